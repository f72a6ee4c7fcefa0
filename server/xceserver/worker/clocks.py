"""The two clocks of `xceserver.ports`, read from the kernel."""

import time

from xcelib.ids import Instant


class SystemClock:
    """Steady time is CLOCK_BOOTTIME: it counts through suspend, and nobody can set it."""

    def wall(self) -> Instant:
        return Instant(time.time())

    def steady(self) -> float:
        return time.clock_gettime(time.CLOCK_BOOTTIME)
