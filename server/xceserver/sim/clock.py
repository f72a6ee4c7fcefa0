"""Time that moves only when the simulation moves it."""

import heapq
from collections.abc import Callable

from xcelib.ids import Instant

EPOCH = 1_700_000_000.0


class SimClock:
    """Due actions run in the order of (time, arming). The wall clock may be made to jump; the steady one only grows."""

    def __init__(self) -> None:
        self._steady = 0.0
        self._wall_offset = EPOCH
        self._armed = 0
        self._due: list[tuple[float, int, Callable[[], None]]] = []

    def wall(self) -> Instant:
        return Instant(self._steady + self._wall_offset)

    def steady(self) -> float:
        return self._steady

    def jump_wall(self, seconds: float) -> None:
        self._wall_offset += seconds

    def call_later(self, seconds: float, action: Callable[[], None]) -> None:
        assert seconds >= 0.0, "an action in the past is a bug in the caller"
        self._armed += 1
        heapq.heappush(self._due, (self._steady + seconds, self._armed, action))

    def step(self) -> bool:
        """Run the next due action; False when there is none."""
        if not self._due:
            return False
        self._steady, _, action = heapq.heappop(self._due)
        action()
        return True
