"""Waiting for a real process: bounded, and it tells what it saw."""

import time
from collections.abc import Callable
from typing import Final, TypeVar

T = TypeVar("T")
_POLL_S: Final = 0.02


def wait_for(what: str, probe: Callable[[], T], accept: Callable[[T], bool], *, limit_s: float = 10.0) -> T:
    """Poll a real process until `accept` likes what `probe` saw, and return that.

    On failure it says what was seen last, not just that time ran out. The last probe comes after the limit,
    so a machine that stood still for a while does not fail a test by itself.
    """
    end = time.monotonic() + limit_s
    while True:
        is_last = time.monotonic() > end
        if accept(seen := probe()):
            return seen
        if is_last:
            raise AssertionError(f"waited {limit_s} s for {what}; last seen: {seen!r}")
        time.sleep(_POLL_S)
