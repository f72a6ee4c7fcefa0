import pytest

from tests.kit.waiting import wait_for


def test_the_accepted_value_is_returned_when_it_is_seen() -> None:
    seen = iter([1, 2])
    assert wait_for("a two", lambda: next(seen), lambda value: value == 2) == 2


def test_the_last_value_is_told_when_time_runs_out() -> None:
    with pytest.raises(AssertionError, match=r"waited 0\.0 s for a nine; last seen: 'three'"):
        wait_for("a nine", lambda: "three", lambda value: value == "nine", limit_s=0.0)
