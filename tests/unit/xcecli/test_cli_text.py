"""Words for people: ages, sizes, spans, bars, and tables that fit."""

import itertools

import pytest

from xcecli.kit.text import CUT, ago, amount, bar, harmless, size, span, table


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-5, "0s"), (0, "0s"), (59, "59s"), (60, "1m"), (3599, "59m"), (3600, "1h"), (86_399, "23h"), (900_000, "10d")],
)
def test_an_age_has_one_unit(seconds: float, text: str) -> None:
    assert ago(1000.0, 1000.0 + seconds) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (5, "5B"),
        (1023, "1023B"),
        (1024, "1K"),
        (1536, "1.5K"),
        (512 << 20, "512M"),
        (7680 << 20, "7.5G"),
        (100 << 30, "100G"),
        ((100 << 30) + 1, "100G"),
        (3 << 40, "3T"),
    ],
)
def test_a_size_has_the_unit_that_leaves_few_digits(value: int, text: str) -> None:
    assert size(value) == text


def test_amounts_of_memory_are_sizes_and_others_are_numbers() -> None:
    assert (amount("mem", 1 << 30), amount("slots", 8), amount("lic", 2)) == ("1G", "8", "2")


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.0, "0.0s"), (0.24, "0.2s"), (9.96, "10.0s"), (65, "1m5s"), (7200, "2h")]
)
def test_a_span_is_as_exact_as_it_is_short(seconds: float, text: str) -> None:
    assert span(seconds) == text


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [(0, 4, "...."), (1, 4, "#..."), (4, 4, "####"), (9, 4, "####"), (1, 0, ""), (1, -1, "")],
)
def test_a_bar_shows_the_part_and_never_leaves_its_place(part: float, whole: float, text: str) -> None:
    assert bar(part, whole, width=4) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ü 名", "plain ü 名"),
        ("\x1b[2J", "\\x1b[2J"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\u202eevil\u2066", "\\u202eevil\\u2066"),
        ("\ud800", "\\ud800"),
        ("\x9b31m", "\\x9b31m"),
        ("\\x1b", "\\x1b"),
    ],
)
def test_what_steers_a_terminal_is_shown_instead(text: str, shown: str) -> None:
    assert harmless(text) == shown
    assert harmless(shown) == shown


def test_columns_stand_side_by_side_without_blanks_at_the_end() -> None:
    assert table(["A", "LONG"], [["1", "x"], ["22", ""]], width=80) == ["A   LONG", "1   x", "22"]


def test_the_widest_columns_are_cut_and_short_ones_stay() -> None:
    lines = table(["ID", "NAME", "WHY"], [["4711", "n" * 40, "w" * 60]], width=40)
    assert lines[1] == f"4711  {'n' * 15}{CUT}  {'w' * 15}{CUT}"
    assert len(lines[1]) == 40


def test_a_column_that_must_stay_whole_is_cut_last() -> None:
    row = [["2026-03-01 12:00:00", "x" * 30]]
    assert table(["AT", "WHY"], row, width=30, whole=("AT",))[1] == f"2026-03-01 12:00:00  {'x' * 8}{CUT}"
    assert len(table(["AT", "WHY"], row, width=12, whole=("AT",))[1]) == 12


@pytest.mark.parametrize("width", [20, 30, 79, 80, 200])
def test_a_table_fits_wherever_its_headers_leave_room(width: int) -> None:
    for lengths in itertools.product((0, 1, 5, 30, 300), repeat=3):
        lines = table(["ID", "NAME", "WHY"], [["x" * length for length in lengths]], width=width)
        assert max(map(len, lines)) <= width


def test_headers_are_never_cut() -> None:
    assert table(["IDENTITY", "NAME"], [["1", "2"]], width=5)[0] == "IDENTITY  NAME"
