"""The outside world as the pure packages and the shells see it."""

from collections.abc import Callable
from typing import Any, Protocol

from xcelib.ids import Instant


class Clock(Protocol):
    """Two clocks: the wall's, for people and for `--begin`; and one that only grows, for limits and leases."""

    def wall(self) -> Instant:
        """Seconds since the epoch."""
        ...

    def steady(self) -> float:
        """Seconds since some fixed moment, counting through suspend (CLOCK_BOOTTIME)."""
        ...


class Store(Protocol):
    """Where transactions become durable, in the order in which they were given."""

    def commit(self, transaction: Any, done: Callable[[], None]) -> None:
        """Queue a transaction; `done` is called on the controller's thread once it is on disk.

        A failure is never reported through `done`: the store stops the controller (G1).
        """
        ...

    def spec(self, job_id: int) -> bytes | None:
        """The encoded `JobSpec` of a committed job."""
        ...

    def answer(self, key: str) -> tuple[bytes, bytes] | None:
        """Digest and answer of an earlier request, if `key` is known."""
        ...
