"""The machine's clocks."""

import time

from xcelib.ids import Instant


class SystemClock:
    """CLOCK_REALTIME for people, CLOCK_BOOTTIME for leases and limits (G13)."""

    def wall(self) -> Instant:
        return Instant(time.time())

    def steady(self) -> float:
        return time.clock_gettime(time.CLOCK_BOOTTIME)
