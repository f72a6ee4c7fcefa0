"""The outside world as the pure packages and the shells see it."""

from typing import Protocol

from xcelib.ids import Instant


class Clock(Protocol):
    """Two clocks: the wall's, for people and for `--begin`; and one that only grows, for limits and leases."""

    def wall(self) -> Instant:
        """Seconds since the epoch."""
        ...

    def steady(self) -> float:
        """Seconds since some fixed moment, counting through suspend (CLOCK_BOOTTIME)."""
        ...
