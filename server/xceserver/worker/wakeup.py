"""SIGCHLD as something that poll can wait for."""

import os
import signal
from types import FrameType


def take_note() -> None:
    """Have this process, and its forks, told of their children's ends."""
    signal.signal(signal.SIGCHLD, _noted)


class Wakeup:
    """A pipe that becomes readable when a child ends, after `take_note`. One a process: a fork makes its own."""

    def __init__(self) -> None:
        self.reader, self._writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)

    def drain(self) -> None:
        try:
            os.read(self.reader, 512)
        except BlockingIOError:
            pass

    def close(self) -> None:
        signal.set_wakeup_fd(-1)
        os.close(self.reader)
        os.close(self._writer)


def _noted(number: int, frame: FrameType | None) -> None:
    """The wakeup pipe says it; without a handler the kernel would not."""
