"""When a sync that nobody waits for is done: soon, but not at the cost of a sync for every job. Pure."""

from typing import Final

LAZY_S: Final = 0.010


class Pacer:
    """A token bucket. Urgent syncs are never delayed and use tokens too; lazy ones wait for a token, or ride along."""

    def __init__(self, *, rate: float = 100.0, burst: float = 20.0, now: float) -> None:
        self._rate = rate
        self._burst = burst
        self._tokens = burst
        self._at = now

    def wait_s(self, *, asked_at: float, now: float) -> float:
        """How long a lazy sync asked for at `asked_at` still waits; 0 when it is due."""
        self._refill(now)
        return max(0.0, asked_at + LAZY_S - now, (1.0 - self._tokens) / self._rate)

    def spent(self, *, now: float) -> None:
        """A sync is being done."""
        self._refill(now)
        self._tokens = max(-self._burst, self._tokens - 1.0)

    def _refill(self, now: float) -> None:
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate)
        self._at = now
