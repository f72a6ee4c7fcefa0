"""The tasks of an attempt on this host: forked, brought to life, ended."""

import os
from collections.abc import Sequence

from xceserver.worker import task as child
from xceserver.worker.ending import Outcome, outcome_of
from xceserver.worker.failure import DECODER, Failure
from xceserver.worker.single import assert_single_threaded
from xceserver.worker.task import Task


class TaskSet:
    """Forks all tasks at once; `waiting` are the descriptors that tell how each one's exec went."""

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
        for number, task in enumerate(tasks):
            try:
                self._fork(number, task)
            except OSError as error:
                self.failure = Failure(f"task {number} cannot be forked: {error.strerror}")
                return

    def _fork(self, number: int, task: Task) -> None:
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
        self._pids[pid] = number
        self.first_pid = self.first_pid or pid
        self.waiting.add(reader)

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
