"""Amounts as people write them: a table of right and wrong for each parser."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from xcelib.errors import Usage
from xcelib.jobspec import ArraySpec, TaskRange
from xcelib.quantity import (
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

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("0", 0),
        ("4G", 4 << 30),
        ("512M", 512 << 20),
        ("1.5G", 3 << 29),
        ("2k", 2048),
        ("1TiB", 1 << 40),
        ("7B", 7),
        ("1 G", 1 << 30),
    ],
)
def test_a_size_is_bytes(text: str, amount: int) -> None:
    assert parse_size(text) == amount


@pytest.mark.parametrize(
    "text",
    ["", "4096", "G", "-1G", "4X", "1e3G", "0x4G", "4GG", "٤G", "1.0000000001G", "9" * 5000, "99999999P", "0.3B"],
)
def test_a_wrong_size_is_refused_with_its_value(text: str) -> None:
    with pytest.raises(Usage, match="size"):
        parse_size(text)


def test_a_size_without_unit_shows_both_ways_to_write_it() -> None:
    with pytest.raises(Usage) as caught:
        parse_size("4096")
    assert caught.value.hints == ("write `4096M` or `4096G`",)


def test_the_configuration_can_give_a_bare_number_its_unit() -> None:
    assert parse_size("4096", memory_unit="M") == 4 << 30


@pytest.mark.parametrize(("amount", "text"), [(0, "0"), (4 << 30, "4G"), (1536 << 20, "1536M"), (1000, "1000B")])
def test_a_size_is_written_short_and_exact(amount: int, text: str) -> None:
    assert format_size(amount) == text


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0", 0), ("90s", 90), ("1h30m", 5400), ("2d", 172_800), ("1w", 604_800), ("1:30:00", 5400), ("1.5h", 5400)],
)
def test_a_duration_is_seconds(text: str, seconds: int) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "90", "1:30", "5 m", "m", "30m1h", "1h1h", "-5m", "1.5s", "1y", "9" * 400 + "d"])
def test_a_wrong_duration_is_refused(text: str) -> None:
    with pytest.raises(Usage):
        parse_duration(text)


def test_a_bare_number_and_a_bare_clock_time_say_what_they_could_mean() -> None:
    with pytest.raises(Usage) as bare:
        parse_duration("90")
    with pytest.raises(Usage) as clock:
        parse_duration("1:30")
    assert bare.value.hints == ("write `90s` for seconds or `90m` for minutes",)
    assert clock.value.hints == ("write `1h30m` or `1m30s`",)


def test_a_timer_may_have_fractions() -> None:
    assert parse_interval("250ms") == 0.25


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0s"), (5400, "1h30m"), (90, "1m30s"), (100_800, "1d4h"), (604_800, "7d")]
)
def test_a_duration_is_written_with_units(seconds: int, text: str) -> None:
    assert format_duration(seconds) == text


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("2026-03-02T09:30", datetime(2026, 3, 2, 9, 30, tzinfo=UTC)),
        ("2026-03-02", datetime(2026, 3, 2, tzinfo=UTC)),
        ("18:30", datetime(2026, 3, 1, 18, 30, tzinfo=UTC)),
        ("09:00", datetime(2026, 3, 2, 9, 0, tzinfo=UTC)),
        ("tomorrow", datetime(2026, 3, 2, tzinfo=UTC)),
        ("+2h", datetime(2026, 3, 1, 14, 0, tzinfo=UTC)),
        ("now+90s", datetime(2026, 3, 1, 12, 1, 30, tzinfo=UTC)),
        ("2026-03-02T09:30:00+02:00", datetime(2026, 3, 2, 7, 30, tzinfo=UTC)),
    ],
)
def test_a_moment_can_be_written_in_many_ways(text: str, when: datetime) -> None:
    assert parse_when(text, now=NOW) == when.timestamp()


@pytest.mark.parametrize("text", ["", "soon", "25:00", "2026-13-01", "+2", "noon", "99999-01-01"])
def test_a_wrong_moment_is_refused(text: str) -> None:
    with pytest.raises(Usage):
        parse_when(text, now=NOW)


@pytest.mark.parametrize(("text", "low", "high"), [("4", 4, 4), ("4-16", 4, 16), ("4-", 4, None)])
def test_a_task_range_reads_and_prints(text: str, low: int, high: int | None) -> None:
    tasks = parse_task_range(text)
    assert tasks == TaskRange(min=low, max=high)
    assert format_task_range(tasks) == text


@pytest.mark.parametrize("text", ["", "0", "-4", "16-4", "4-x", "4--8", "1.5", "9" * 30])
def test_a_wrong_task_range_is_refused(text: str) -> None:
    with pytest.raises(Usage):
        parse_task_range(text)


@pytest.mark.parametrize(
    ("text", "ranges", "limit"),
    [
        ("1-100", ((1, 100, 1),), 0),
        ("1-100:2%10", ((1, 100, 2),), 10),
        ("1,3,7-9", ((1, 1, 1), (3, 3, 1), (7, 9, 1)), 0),
        ("1-1000000", ((1, 1_000_000, 1),), 0),
    ],
)
def test_an_array_is_kept_as_ranges(text: str, ranges: tuple[tuple[int, int, int], ...], limit: int) -> None:
    assert parse_array(text) == ArraySpec(ranges=ranges, limit=limit)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0",
        "0-5",
        "5-1",
        "1-5:0",
        "1-5%0",
        "1-5%",
        "1-5%x",
        "1-1000001",
        "1-4000000000",
        "1-5,3",
        "1,1",
        "a",
        "1-",
        "1-2-3",
        "1;2",
    ],
)
def test_a_wrong_array_is_refused_before_anything_is_expanded(text: str) -> None:
    with pytest.raises(Usage, match="array"):
        parse_array(text)


def test_exit_codes_are_sorted_and_bounded() -> None:
    assert parse_exit_codes("3-5,1") == (1, 3, 4, 5)


@pytest.mark.parametrize(
    ("parse", "text"),
    [(parse_exit_codes, "256"), (parse_exit_codes, "5-3"), (parse_exit_codes, "1:2"), (parse_exit_codes, "")],
)
def test_wrong_exit_codes_are_refused(parse: Callable[[str], object], text: str) -> None:
    with pytest.raises(Usage):
        parse(text)
