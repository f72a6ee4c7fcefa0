"""The agent's side of its launcher: started with posix_spawn, told over a socket pair, replaced when it dies."""

import asyncio
import fcntl
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from xceserver.worker import descendants
from xceserver.worker.clocks import SystemClock
from xceserver.worker.durable import SKIP_FSYNC
from xceserver.worker.launch_options import AGENT_FD, LOCK_FILE, LauncherOptions
from xceserver.worker.local import FROM_LAUNCHER, HEAD, FromLauncher, ToLauncher, framed
from xceserver.worker.log import log

_LEAVE_S: Final = 2.0  # an old launcher leaves at once; one that does not is stuck
_POLL_S: Final = 0.01
_DEFAULTS: Final = sorted(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP})
_ROOT: Final = str(Path(__file__).resolve().parents[2])


class LauncherHandle:
    """One launcher at a time. `said` gets its messages; `run` returns when it is gone."""

    def __init__(self, options: LauncherOptions, *, said: Callable[[FromLauncher], None]) -> None:
        self._options = options
        self._said = said
        self._writer: asyncio.StreamWriter | None = None
        self._reader: asyncio.StreamReader | None = None
        self.pid = 0

    def send(self, message: ToLauncher) -> None:
        """Queue a message. While there is no launcher it is dropped: its successor is told what is still due."""
        if self._writer is not None:
            self._writer.write(framed(message))

    async def wait_until_free(self) -> None:
        """Wait for an earlier launcher to leave; one that is stuck is killed. Then folders and locks are the truth."""
        clock = SystemClock()
        give_up = clock.steady() + _LEAVE_S
        while not is_free(f"{self._options.state}/{LOCK_FILE}"):
            if clock.steady() > give_up:
                kill_named(f"{self._options.state}/{LOCK_FILE}")
                give_up = clock.steady() + _LEAVE_S
            await asyncio.sleep(_POLL_S)

    async def start(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self.pid = _spawn(self._options, theirs.fileno())
        ours.setblocking(False)
        self._reader, self._writer = await asyncio.open_connection(sock=ours)

    async def run(self) -> None:
        """Hear the launcher until it is gone, and reap it."""
        assert self._reader is not None
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                length = int.from_bytes(await self._reader.readexactly(HEAD), "big")
                self._said(FROM_LAUNCHER.decode(await self._reader.readexactly(length)))
        await self.close()

    async def close(self) -> None:
        """Let it go: it handles what it was told, and ends."""
        if self._writer is not None:
            writer, self._writer = self._writer, None
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
        while self.pid and os.waitpid(self.pid, os.WNOHANG) == (0, 0):
            await asyncio.sleep(_POLL_S)
        self.pid = 0


def is_free(lock_path: str) -> bool:
    """Whether no launcher holds the lock."""
    with open(lock_path, "ab") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def kill_named(lock_path: str) -> None:
    """Kill the launcher that the lock's file names, if pid and start time still name the same process (G9)."""
    with open(lock_path, encoding="ascii") as lock:
        words = lock.read().split()
    if len(words) != 2:
        return
    pid, started = map(int, words)
    with suppress(OSError):
        pinned = os.pidfd_open(pid)
        try:
            if descendants.start_time(pid) == started:
                log("stuck_launcher_killed", pid=pid)
                signal.pidfd_send_signal(pinned, signal.SIGKILL)
        finally:
            os.close(pinned)


def _spawn(options: LauncherOptions, socket_fd: int) -> int:
    argument = msgspec.json.encode(options).decode()
    return os.posix_spawn(
        sys.executable,
        [sys.executable, "-s", "-P", "-X", "utf8", "-m", "xceserver.worker.launcher", argument],
        _environment(),
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, 2, 1),
            (os.POSIX_SPAWN_DUP2, socket_fd, AGENT_FD),
        ],
        setsid=True,
        setsigmask=[],
        setsigdef=_DEFAULTS,
    )


def _environment() -> dict[str, str]:
    """Nothing of the agent's own: only where the code is. (Not `-E`: that would hide the code as well.)"""
    places = [_ROOT, *(place for place in sys.path if place.endswith("site-packages"))]
    env = {"PATH": os.defpath, "LANG": "C.UTF-8", "PYTHONPATH": os.pathsep.join(places)}
    return env | {name: value for name, value in os.environ.items() if name == SKIP_FSYNC}
