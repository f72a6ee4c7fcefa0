"""Starting and minding the daemons: children by posix_spawn, restarted when they fail."""

import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence

import msgspec

BACKOFF_S = (0.02, 0.1, 0.2, 0.5, 1.0)  # commands answer again within seconds, however often it fails (G10)
STEADY_S = 30.0  # a child that lived this long failed for a new reason


class Child(msgspec.Struct):
    """One daemon: its name, how it is started, and how it has fared."""

    name: str
    argv: tuple[str, ...]
    log: str
    pid: int = 0
    started_at: float = 0.0
    failures: int = 0
    start_at: float = 0.0


def spawn(argv: Sequence[str], *, log: str, environ: Mapping[str, str], is_leader: bool = False) -> int:
    """Start a program with an empty signal mask, default dispositions and its output in a file; returns its pid."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, log, flags, 0o600),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    ]
    return os.posix_spawn(
        argv[0],
        list(argv),
        dict(environ),
        file_actions=actions,
        setsigmask=[],
        setsigdef=[s for s in signal.valid_signals() if s not in (signal.SIGKILL, signal.SIGSTOP)],
        setsid=is_leader,
    )


class Minder:
    """Keeps its children running until told to stop. One thread, no loop but `run`."""

    def __init__(self, children: Sequence[Child], environ: Mapping[str, str], say: Callable[[str], None]) -> None:
        self._children = list(children)
        self._environ = environ
        self._say = say

    def run(self, *, ready: Callable[[], None]) -> int:
        """Start all; call `ready` after each round; stop on SIGTERM or SIGINT. The exit status is 0,
        or that of a child that says it can not run at all (bad configuration, damage, in use)."""
        wanted = {signal.SIGTERM, signal.SIGINT, signal.SIGCHLD}
        signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
        while True:
            self._start_due()
            fatal = self._reap()
            if fatal is not None:
                self._stop()
                return fatal
            ready()
            found = signal.sigtimedwait(wanted, self._sleep_s())
            if found is not None and found.si_signo in (signal.SIGTERM, signal.SIGINT):
                self._say("stopping")
                self._stop()
                return 0

    def pids(self) -> dict[str, int]:
        return {child.name: child.pid for child in self._children if child.pid}

    def _start_due(self) -> None:
        now = time.monotonic()
        for child in self._children:
            if not child.pid and child.start_at <= now:
                child.pid = spawn(child.argv, log=child.log, environ=self._environ)
                child.started_at = now

    def _sleep_s(self) -> float:
        now = time.monotonic()
        dues = [child.start_at - now for child in self._children if not child.pid]
        return max(0.0, min([1.0, *dues]))

    def _reap(self) -> int | None:
        """Note the children that ended; returns an exit status that makes going on pointless."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return None
            if pid == 0:
                return None
            for child in self._children:
                if child.pid == pid:
                    code = os.waitstatus_to_exitcode(status)
                    if self._note_end(child, code):
                        return code

    def _note_end(self, child: Child, code: int) -> bool:
        now = time.monotonic()
        child.pid = 0
        child.failures = 0 if now - child.started_at > STEADY_S else child.failures
        child.start_at = now + BACKOFF_S[min(child.failures, len(BACKOFF_S) - 1)]
        child.failures += 1
        self._say(f"{child.name} ended with {code}; it is started again")
        return code in (1, 70, 78) and child.failures == 1 and child.name == "controller"

    def _stop(self) -> None:
        """SIGTERM in reverse order, each given time; then SIGKILL. Jobs live on."""
        for child in reversed(self._children):
            if child.pid:
                os.kill(child.pid, signal.SIGTERM)
        end = time.monotonic() + 5.0
        for child in self._children:
            while child.pid:
                pid, _ = os.waitpid(child.pid, os.WNOHANG)
                if pid:
                    child.pid = 0
                elif time.monotonic() > end:
                    os.kill(child.pid, signal.SIGKILL)
                    os.waitpid(child.pid, 0)
                    child.pid = 0
                else:
                    signal.sigtimedwait({signal.SIGCHLD}, 0.05)


def python_argv(*words: str) -> tuple[str, ...]:
    """This interpreter running xceserver with the given words."""
    return (sys.executable, "-m", "xceserver.boot.main", *words)
