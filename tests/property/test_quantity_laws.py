"""Amounts: what is written reads back, any text is an amount in its bounds or an error that names it."""

from collections.abc import Callable
from datetime import UTC, datetime
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xcelib.errors import Usage
from xcelib.jobspec import ARRAY_SIZE_MAX, BEGIN_MAX
from xcelib.quantity import (
    AMOUNT_MAX,
    DURATION_UNITS,
    SIZE_UNITS,
    format_duration,
    format_size,
    format_task_range,
    parse_array,
    parse_duration,
    parse_exit_codes,
    parse_interval,
    parse_size,
    parse_task_range,
    parse_when,
)
from xcelib.ranges import IndexSet

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ANY_TEXTS = st.text(max_size=40) | st.text("0123456789.:,-+%/ smhdwKMGTPiBTZno", max_size=40)


@given(
    st.integers(0, AMOUNT_MAX)
    | st.builds(lambda n, unit: n * unit, st.integers(0, 999), st.sampled_from(list(SIZE_UNITS.values())))
)
def test_a_size_reads_back_exactly_and_no_shorter_text_does(amount: int) -> None:
    text = format_size(amount)
    assert parse_size(text) == amount
    if amount:
        others = [f"{amount // unit}{name}" for name, unit in SIZE_UNITS.items() if amount % unit == 0]
        assert all(len(text) <= len(other) for other in others)


@given(st.integers(0, AMOUNT_MAX))
def test_a_duration_reads_back_exactly(seconds: int) -> None:
    text = format_duration(seconds)
    assert parse_duration(text) == seconds
    assert parse_interval(text) == float(seconds)


@given(st.lists(st.integers(0, 999), min_size=5, max_size=5))
def test_a_duration_is_the_sum_of_its_pieces(counts: list[int]) -> None:
    text = "".join(f"{count}{unit}" for count, unit in zip(counts, DURATION_UNITS, strict=True))
    assert parse_duration(text) == sum(n * s for n, s in zip(counts, DURATION_UNITS.values(), strict=True))


@given(st.integers(0, 4000).map(lambda quarters: f"{quarters / 4:.2f}"), st.sampled_from(list(SIZE_UNITS)))
def test_a_fraction_of_a_unit_is_exact(number: str, unit: str) -> None:
    assert parse_size(number + unit) == Fraction(number) * SIZE_UNITS[unit]


@given(st.integers(1, 10_000_000), st.integers(0, 1000) | st.none())
def test_a_task_range_reads_back(low: int, more: int | None) -> None:
    text = str(low) if more == 0 else f"{low}-{'' if more is None else min(low + more, 10_000_000)}"
    tasks = parse_task_range(text)
    assert parse_task_range(format_task_range(tasks)) == tasks


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(1, 9)), min_size=1, max_size=6),
    st.integers(0, 9),
)
def test_an_array_has_the_elements_it_names(gaps: list[tuple[int, int, int]], limit: int) -> None:
    parts, named, end = list[str](), list[int](), 0
    for gap, length, step in gaps:
        first, last = end + 1 + gap, end + 1 + gap + length
        parts.append(f"{first}-{last}:{step}")
        named += range(first, last + 1, step)
        end = last
    array = parse_array(",".join(parts) + (f"%{limit}" if limit else ""))
    assert list(IndexSet.from_array(array)) == named
    assert array.limit == limit


@given(st.sets(st.integers(0, 255), min_size=1))
def test_exit_codes_are_a_set(codes: set[int]) -> None:
    assert parse_exit_codes(",".join(map(str, codes))) == tuple(sorted(codes))


@given(st.floats(0, BEGIN_MAX - 1))
def test_a_moment_reads_back(when: float) -> None:
    then = datetime.fromtimestamp(when, UTC)
    assert parse_when(then.isoformat(), now=NOW) == then.timestamp()


def _size_of(text: str) -> None:
    assert 0 <= parse_size(text) <= AMOUNT_MAX


def _duration_of(text: str) -> None:
    assert 0 <= parse_duration(text) <= AMOUNT_MAX


def _interval_of(text: str) -> None:
    assert 0 <= parse_interval(text) <= float(AMOUNT_MAX)


def _moment_of(text: str) -> None:
    assert 0 <= parse_when(text, now=NOW) <= BEGIN_MAX


def _tasks_of(text: str) -> None:
    tasks = parse_task_range(text)
    assert 1 <= tasks.min <= (tasks.max or tasks.min)


def _array_of(text: str) -> None:
    array = parse_array(text)
    assert 1 <= sum((last - first) // step + 1 for first, last, step in array.ranges) <= ARRAY_SIZE_MAX
    assert 0 <= array.limit <= ARRAY_SIZE_MAX


def _codes_of(text: str) -> None:
    codes = parse_exit_codes(text)
    assert codes
    assert all(0 <= code <= 255 for code in codes)


CHECKS = (_size_of, _duration_of, _interval_of, _moment_of, _tasks_of, _array_of, _codes_of)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.strip("_"))
@given(text=ANY_TEXTS)
def test_any_text_is_an_amount_in_its_bounds_or_an_error_that_names_it(check: Callable[[str], None], text: str) -> None:
    error = _error_of(check, text)
    if error is not None:
        assert "`" in error.message
        assert len(error.message) < 200


def _error_of(check: Callable[[str], None], text: str) -> Usage | None:
    try:
        check(text)
    except Usage as error:
        return error
    return None
