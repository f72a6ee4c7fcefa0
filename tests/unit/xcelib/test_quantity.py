"""Amounts as people write them: a table of right and wrong for each parser."""

from datetime import UTC, datetime, timedelta, tzinfo

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
        ("9223372036854775807B", (1 << 63) - 1),
        ("1 G", 1 << 30),
    ],
)
def test_a_size_is_bytes(text: str, amount: int) -> None:
    assert parse_size(text) == amount


@pytest.mark.parametrize(
    "text",
    [
        *("", "4096", "G", "-1G", "4X", "1e3G", "0x4G", "4GG", "٤G", "1.0000000001G", "9" * 5000, "99999999P", "0.3B"),
        *("4iB", "4i", "4 ", "4\nG", "4G\n", "4\u212a", "4  G", "8192P", "1_000M"),
    ],
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
    [
        *(("0", 0), ("00", 0), ("0.0", 0), ("90s", 90), ("1h30m", 5400), ("2d", 172_800), ("1w", 604_800)),
        *(("1:30:00", 5400), ("1.5h", 5400), ("0.5m", 30), ("2000ms", 2)),
        ("9007199254740993s", 9_007_199_254_740_993),  # a float would lose the last second
    ],
)
def test_a_duration_is_seconds(text: str, seconds: int) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text",
    ["", "90", "1:30", "5 m", "m", "30m1h", "1h1h", "-5m", "1.5s", "1y", "9" * 400 + "d", "1500ms", "٣s", "1h30"],
)
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


@pytest.mark.parametrize(("text", "seconds"), [("250ms", 0.25), ("1.5s", 1.5), ("1m250ms", 60.25), ("0", 0.0)])
def test_a_timer_may_have_fractions(text: str, seconds: float) -> None:
    assert parse_interval(text) == seconds


@pytest.mark.parametrize("text", ["1e3", "inf", "nan", "-0", "0x1s", "1.s", ".5s"])
def test_a_timer_is_no_number_of_another_notation(text: str) -> None:
    with pytest.raises(Usage, match="is no duration"):
        parse_interval(text)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (5400, "1h30m"), (90, "1m30s"), (60, "1m"), (3600, "1h"), (100_800, "1d4h"), (604_800, "7d")],
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
        ("2026-03-02 09:30Z", datetime(2026, 3, 2, 9, 30, tzinfo=UTC)),
        ("2026-03-02T09:30:01.500000+00:00", datetime(2026, 3, 2, 9, 30, 1, 500_000, tzinfo=UTC)),
        ("12:00", datetime(2026, 3, 2, 12, 0, tzinfo=UTC)),
        ("9:05:30", datetime(2026, 3, 2, 9, 5, 30, tzinfo=UTC)),
        ("now", NOW),
        ("1970-01-01", datetime(1970, 1, 1, tzinfo=UTC)),
        ("3000-01-01", datetime(3000, 1, 1, tzinfo=UTC)),
        ("+0", NOW),
    ],
)
def test_a_moment_can_be_written_in_many_ways(text: str, when: datetime) -> None:
    assert parse_when(text, now=NOW) == when.timestamp()


@pytest.mark.parametrize(
    "text",
    [
        *("", "soon", "25:00", "24:00", "12:60", "2026-13-01", "noon", "99999-01-01", "-2h", "tomorrow 9:00", "now-1h"),
        *("20260301", "2026-W09-1", "2026-03-01T9", "２０２６-03-01", "2026-03-01\n", "1772319600", "9" * 5000),
    ],
)
def test_a_wrong_moment_is_refused(text: str) -> None:
    with pytest.raises(Usage, match="is no time") as caught:
        parse_when(text, now=NOW)
    assert caught.value.code == "bad_time"
    assert len(caught.value.message) < 100


@pytest.mark.parametrize(
    ("text", "code"), [("+2", "duration_without_unit"), ("+", "bad_time"), ("+2x", "bad_duration")]
)
def test_a_wrong_offset_is_refused(text: str, code: str) -> None:
    with pytest.raises(Usage) as caught:
        parse_when(text, now=NOW)
    assert caught.value.code == code


@pytest.mark.parametrize(
    "text", ["+999999999999999999s", "+1000000d", "9999-12-31", "0001-01-01T00:00+14:00", "1969-12-31", "3000-01-02"]
)
def test_a_moment_that_no_clock_here_will_show_is_refused(text: str) -> None:
    with pytest.raises(Usage, match="not between the years 1970 and 3000"):
        parse_when(text, now=NOW)


class Spring(tzinfo):
    """A zone whose clocks are put forward by an hour at 2:00 on the 29th of March."""

    def utcoffset(self, when: datetime | None) -> timedelta:
        assert when is not None
        return timedelta(hours=2 if when.replace(tzinfo=None) >= datetime(2026, 3, 29, 3) else 1)

    def dst(self, when: datetime | None) -> timedelta:
        return self.utcoffset(when) - timedelta(hours=1)

    def tzname(self, when: datetime | None) -> str:
        return "XST"


def test_an_offset_is_time_that_passes_and_a_clock_time_is_what_the_clock_shows() -> None:
    evening = datetime(2026, 3, 28, 22, 0, tzinfo=Spring())
    assert parse_when("+8h", now=evening) - evening.timestamp() == 8 * 3600
    assert parse_when("06:00", now=evening) - evening.timestamp() == 7 * 3600
    assert parse_when("2026-03-29T06:00", now=evening) - evening.timestamp() == 7 * 3600


@pytest.mark.parametrize(
    ("text", "low", "high"), [("1", 1, 1), ("4", 4, 4), ("4-16", 4, 16), ("4-", 4, None), ("10000000", 10**7, 10**7)]
)
def test_a_task_range_reads_and_prints(text: str, low: int, high: int | None) -> None:
    tasks = parse_task_range(text)
    assert tasks == TaskRange(min=low, max=high)
    assert format_task_range(tasks) == text


@pytest.mark.parametrize("text", ["", "0", "-4", "16-4", "4-x", "4--8", "1.5", "9" * 30, "10000001", "1-10000001"])
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
        ("7-9,1-3", ((7, 9, 1), (1, 3, 1)), 0),
        ("1-3:1000000%1000000", ((1, 3, 1_000_000),), 1_000_000),
        ("5-5", ((5, 5, 1),), 0),
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
        "1:2",
        "1-3:-1",
        "1-1e9",
        "1-3,",
        "1-3%1000001",
        "1-3%5%6",
        "1-3%٣",
        "1-٣",
        "9" * 5000,
        "1-3%" + "9" * 5000,
        ",".join(["1"] * 10_001),
    ],
)
def test_a_wrong_array_is_refused_before_anything_is_expanded(text: str) -> None:
    with pytest.raises(Usage, match="array"):
        parse_array(text)


def test_ranges_that_overlap_are_told_even_if_their_steps_share_no_index() -> None:
    with pytest.raises(Usage) as caught:
        parse_array("1-10:2,2-10:2")
    assert caught.value.message == "two ranges of the array `1-10:2,2-10:2` overlap at 2"


def test_exit_codes_are_sorted_and_bounded() -> None:
    assert parse_exit_codes("3-5,1") == (1, 3, 4, 5)
    assert parse_exit_codes("255,0,7-7") == (0, 7, 255)


@pytest.mark.parametrize(
    "text", ["256", "5-3", "1:2", "1-3:2", "", "1,,2", "-1", "1, 2", "１", "9" * 5000, ",".join(["1"] * 10_001)]
)
def test_wrong_exit_codes_are_refused(text: str) -> None:
    with pytest.raises(Usage, match="is no list of exit codes"):
        parse_exit_codes(text)
