"""How all processes of an attempt are ended: SIGTERM, the grace, SIGKILL again and again until none is left."""

import signal
from collections.abc import Callable
from typing import Final

_AGAIN_S: Final = 0.05

Send = Callable[[signal.Signals], None]


class Ender:
    """Decides when which signal goes to all; `send` does it. Times are steady seconds."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._kill_at: float | None = None

    @property
    def is_at_work(self) -> bool:
        return self._kill_at is not None

    @property
    def due(self) -> float | None:
        """When `turn` has something to do."""
        return self._kill_at

    def begin(self, *, grace_s: float, now: float) -> None:
        """Ask politely; a stopped process is continued, or it would not hear. A second call only shortens the grace."""
        if self._kill_at is None:
            self._send(signal.SIGTERM)
            self._send(signal.SIGCONT)
            self._kill_at = now + grace_s
        else:
            self._kill_at = min(self._kill_at, now + grace_s)

    def force(self, *, now: float) -> None:
        """No grace."""
        self._kill_at = now
        self.turn(now=now)

    def turn(self, *, now: float) -> None:
        """Kill once the grace is over, and again soon: what was forked meanwhile, what could not die yet."""
        if self._kill_at is not None and now >= self._kill_at:
            self._send(signal.SIGKILL)
            self._kill_at = now + _AGAIN_S
