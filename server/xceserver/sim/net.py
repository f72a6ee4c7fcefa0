"""Links between daemons: messages take time, may come twice, and a link may break and lose what is under way.

Inside one link the order is kept, as TCP keeps it; across links anything may overtake anything.
"""

from collections.abc import Callable
from random import Random
from typing import Any

from xceserver.sim.clock import SimClock


class Faults:
    """How bad the weather is; `calm` ends it."""

    def __init__(self) -> None:
        self.duplicate = 0.05
        self.break_link = 0.01
        self.slow = 0.1

    def calm(self) -> None:
        self.duplicate = self.break_link = self.slow = 0.0


class Link:
    """One direction of one connection."""

    def __init__(self, clock: SimClock, rng: Random, faults: Faults, deliver: Callable[[Any], None]) -> None:
        self._clock = clock
        self._rng = rng
        self._faults = faults
        self._deliver = deliver
        self._free_at = 0.0
        self.is_open = True
        self.on_break: Callable[[], None] = lambda: None

    def send(self, message: Any) -> None:
        """Deliver later, perhaps twice, perhaps never: then the link is broken."""
        if not self.is_open:
            return
        if self._rng.random() < self._faults.break_link:
            self.close()
            return
        times = 2 if self._rng.random() < self._faults.duplicate else 1
        delay = self._rng.uniform(0.0001, 0.002) * (100 if self._rng.random() < self._faults.slow else 1)
        at = max(self._clock.steady() + delay, self._free_at)
        self._free_at = at
        for _ in range(times):
            self._clock.call_later(at - self._clock.steady(), lambda: self._arrive(message))

    def close(self) -> None:
        if self.is_open:
            self.is_open = False
            self._clock.call_later(0.0, self.on_break)

    def _arrive(self, message: Any) -> None:
        if self.is_open:
            self._deliver(message)
