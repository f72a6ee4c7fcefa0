"""The tasks of an attempt on this host: brought to life, ended."""

import os
from collections.abc import Sequence
from typing import Final

from xceserver.worker import task as child
from xceserver.worker.command import run_command
from xceserver.worker.ending import Outcome, outcome_of
from xceserver.worker.failure import DECODER, Failure, StartFailed
from xceserver.worker.single import assert_single_threaded
from xceserver.worker.task import DEFAULTED, Opened, Task

_CLOSED: Final = 0o077  # what the supervisor itself makes is nobody else's


class TaskSet:
    """Starts all tasks at once. `waiting` are the descriptors that tell how the exec of each forked one went."""

    def __init__(self, private: Sequence[int]) -> None:
        """`private`: descriptors that must not live on in a child that is slow to reach exec."""
        self._private = tuple(private)
        self._pids: dict[int, int] = {}
        self.waiting: set[int] = set()
        self.outcomes: list[Outcome] = []
        self.failure: Failure | None = None
        self.first_pid = 0

    @property
    def is_running(self) -> bool:
        """Whether a task has not been reaped yet."""
        return bool(self._pids)

    @property
    def is_alive(self) -> bool:
        """Whether all tasks reached exec."""
        return not self.waiting and self.failure is None and self.first_pid != 0

    def start(self, tasks: Sequence[Task]) -> None:
        """Start them; the first that cannot be started is the failure of all."""
        for number, task in enumerate(tasks):
            try:
                pid = self._fork(task) if task.needs_fork else _spawn(task)
            except StartFailed as error:
                self.failure = error.failure
                return
            except OSError as error:
                self.failure = Failure(f"task {number} cannot be started: {error.strerror}")
                return
            self._pids[pid] = number
            self.first_pid = self.first_pid or pid

    def _fork(self, task: Task) -> int:
        reader, writer = os.pipe2(os.O_CLOEXEC)
        try:
            assert_single_threaded()
            pid = os.fork()  # xce-fork-ok: the supervisor is a fork of the single-threaded launcher
            if pid == 0:
                for fd in self._private:
                    os.close(fd)
                child.run(task, writer)
        except OSError:
            os.close(reader)
            raise
        finally:
            os.close(writer)
        self.waiting.add(reader)
        return pid

    def heard(self, reader: int) -> None:
        """The exec pipe speaks: nothing more to come is success, a message is a failure."""
        raw = os.read(reader, 1 << 13)
        if raw and self.failure is None:
            self.failure = DECODER.decode(raw)
        os.close(reader)
        self.waiting.discard(reader)

    def reaped(self, pid: int, status: int) -> None:
        """A child was reaped: a task, or something that a task left behind."""
        number = self._pids.pop(pid, None)
        if number is not None:
            self.outcomes.append(outcome_of(number, status))


def _spawn(task: Task) -> int:
    """Start a task that needs nothing between fork and exec: no second copy of this process's page tables."""
    opened = child.enter(task)
    try:
        return run_command(task.argv, task.env, lambda path, argv, env: _spawned(path, argv, env, opened))
    finally:
        for fd in opened.own:
            os.close(fd)
        os.chdir("/")  # a supervisor keeps no file system busy
        os.umask(_CLOSED)


def _spawned(path: bytes, argv: list[bytes], env: dict[bytes, bytes], opened: Opened) -> int:
    pid = os.posix_spawn(
        path,
        argv,
        env,
        file_actions=[
            (os.POSIX_SPAWN_DUP2, opened.stdin, 0),
            (os.POSIX_SPAWN_DUP2, opened.out, 1),
            (os.POSIX_SPAWN_DUP2, opened.err, 2),
        ],
        setsid=True,
        setsigmask=[],
        setsigdef=DEFAULTED,
    )
    child.raise_oom_score(pid)
    return pid
