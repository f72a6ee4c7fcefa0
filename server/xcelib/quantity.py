"""Amounts as people write them: sizes, durations, times, counts, arrays, exit codes.

Every parser takes text and gives a plain value in base units (bytes, seconds), or raises `Usage` that
names the value and shows how to write it. ASCII digits only, at most 19 of them; a list has at most
`LIST_MAX` items. Nothing is expanded before it is counted.
"""

import re
from datetime import datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from typing import Final, Literal

from xcelib.errors import Usage
from xcelib.excerpt import shortened
from xcelib.jobspec import ARRAY_SIZE_MAX, BEGIN_MAX, ArraySpec, TaskRange

MemoryUnit = Literal["required", "K", "M", "G"]

SIZE_UNITS: Final = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50}
DURATION_UNITS: Final = {"w": 604_800, "d": 86_400, "h": 3_600, "m": 60, "s": 1}
AMOUNT_MAX: Final = (1 << 63) - 1
TASKS_MAX: Final = 10_000_000
LIST_MAX: Final = 10_000

_NUMBER = r"[0-9]{1,19}(?:\.[0-9]{1,9})?"
_SIZE = re.compile(rf"({_NUMBER})(?: ?(?:([KMGTP])(?:i?B)?|(B)))?\Z", re.ASCII | re.IGNORECASE)
_PIECE = re.compile(rf"({_NUMBER})(ms|[wdhms])", re.ASCII)
_CLOCK = re.compile(r"([0-9]{1,6}):([0-5][0-9]):([0-5][0-9])\Z", re.ASCII)
_OFFSET = re.compile(r"(?:now)?\+(.+)\Z", re.DOTALL)
_TIME_OF_DAY = re.compile(r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?\Z", re.ASCII)
_DATE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?\Z",
    re.ASCII,
)
_TASKS = re.compile(r"([0-9]{1,8})(?:(-)([0-9]{1,8})?)?\Z", re.ASCII)
_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9})(?::([0-9]{1,9}))?)?\Z", re.ASCII)


def _wrong(what: str, text: str, code: str, *hints: str) -> Usage:
    return Usage(f"`{shortened(text)}` is no {what}", code=code, hints=hints)


def parse_size(text: str, *, memory_unit: MemoryUnit = "required") -> int:
    """`"4G"` to bytes; K M G T P are powers of 1024. A bare number needs `memory_unit` (0 does not)."""
    match = _SIZE.match(text)
    if match is None:
        raise _wrong("size", text, "bad_size", "write a size such as `512M` or `4G`")
    number, unit = Fraction(match[1]), (match[2] or match[3] or "").upper()
    if not unit and number:
        if memory_unit == "required":
            raise Usage(
                f"the size `{text}` has no unit",
                code="size_without_unit",
                hints=[f"write `{text}M` or `{text}G`"],
            )
        unit = memory_unit
    amount = number * SIZE_UNITS.get(unit, 1)
    if amount.denominator != 1 or amount > AMOUNT_MAX:
        raise _wrong("size", text, "bad_size", "a size is a whole number of bytes, below `8192P`")
    return int(amount)


def format_size(amount: int) -> str:
    """The shortest exact text: `4G`, `1536M`, `1000B`; 0 is `0`."""
    for unit, factor in reversed(SIZE_UNITS.items()):
        if amount and amount % factor == 0:
            return f"{amount // factor}{unit}"
    return f"{amount}B" if amount else "0"


def parse_interval(text: str) -> float:
    """`"1h30m"`, `"250ms"`, `"1.5s"` to seconds, for timers."""
    return float(_seconds(text))


def parse_duration(text: str) -> int:
    """`"1h30m"`, `"90s"`, `"1:30:00"` to whole seconds."""
    seconds = _seconds(text)
    if seconds.denominator != 1:
        raise _wrong("duration", text, "bad_duration", "a duration is a whole number of seconds, such as `90s`")
    return int(seconds)


def _seconds(text: str) -> Fraction:
    """The exact duration; units, `H:MM:SS`, or a bare 0."""
    clock = _CLOCK.match(text)
    if clock is not None:
        return Fraction(int(clock[1]) * 3600 + int(clock[2]) * 60 + int(clock[3]))
    if re.fullmatch(_NUMBER, text, re.ASCII):
        if not Fraction(text):
            return Fraction(0)
        raise Usage(
            f"the duration `{text}` has no unit",
            code="duration_without_unit",
            hints=[f"write `{text}s` for seconds or `{text}m` for minutes"],
        )
    if re.fullmatch(r"[0-9]{1,6}:[0-9]{1,2}", text, re.ASCII):
        hours, minutes = text.split(":")
        raise Usage(
            f"`{text}` may mean hours and minutes, or minutes and seconds",
            code="ambiguous_duration",
            hints=[f"write `{hours}h{minutes}m` or `{hours}m{minutes}s`"],
        )
    return _sum_of_pieces(text)


def _sum_of_pieces(text: str) -> Fraction:
    total, end, seen = Fraction(0), 0, list[int]()
    for match in _PIECE.finditer(text):
        order = [*DURATION_UNITS, "ms"].index(match[2])
        if match.start() != end or (seen and order <= seen[-1]):
            break
        seen.append(order)
        total += Fraction(match[1]) * (Fraction(1, 1000) if match[2] == "ms" else DURATION_UNITS[match[2]])
        end = match.end()
    if not seen or end != len(text) or total > AMOUNT_MAX:
        raise _wrong("duration", text, "bad_duration", "write a duration such as `90s`, `1h30m`, `2d` or `1:30:00`")
    return total


def format_duration(seconds: int) -> str:
    """`1h30m`; 0 is `0s`. Weeks are written as days."""
    pieces = []
    rest = seconds
    for unit, factor in DURATION_UNITS.items():
        if unit != "w" and rest >= factor:
            pieces.append(f"{rest // factor}{unit}")
            rest %= factor
    return "".join(pieces) or "0s"


def parse_when(text: str, *, now: datetime) -> float:
    """A moment to epoch seconds: ISO date and time, `HH:MM` (the next one), `tomorrow`, `+2h`, `now+2h`.

    `now` is aware; a time without zone is read in its zone. An offset is counted in seconds that pass,
    whatever clocks are put forward or back meanwhile.
    """
    offset = _OFFSET.match(text)
    try:
        when = now.timestamp() + parse_duration(offset[1]) if offset else _named_moment(text, now).timestamp()
    except (ValueError, OverflowError):
        hints = ["write `2026-03-01T09:00`, `18:30`, `tomorrow` or `+2h`"]
        raise Usage(f"`{shortened(text)}` is no time", code="bad_time", hints=hints) from None
    if not 0 <= when <= BEGIN_MAX:
        raise Usage(f"the time `{shortened(text)}` is not between the years 1970 and 3000", code="bad_time")
    return when


def _named_moment(text: str, now: datetime) -> datetime:
    """Raises `ValueError` for what names none."""
    if text == "now":
        return now
    if text == "tomorrow":
        return now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    clock = _TIME_OF_DAY.match(text)
    if clock is not None:
        then = now.replace(hour=int(clock[1]), minute=int(clock[2]), second=int(clock[3] or 0), microsecond=0)
        return then if then > now else then + timedelta(days=1)
    if not _DATE.match(text):  # Python reads more, such as `20260301` and `2026-W09-1`
        raise ValueError(text)
    then = datetime.fromisoformat(text)
    return then if then.tzinfo is not None else then.replace(tzinfo=now.tzinfo)


def parse_task_range(text: str) -> TaskRange:
    """`4`, `4-16`, or `4-` (no upper end)."""
    match = _TASKS.match(text)
    if match is not None:
        low = int(match[1])
        high = low if match[2] is None else (int(match[3]) if match[3] else None)
        if 1 <= low <= TASKS_MAX and (high is None or low <= high <= TASKS_MAX):
            return TaskRange(min=low, max=high)
    raise _wrong("task count or range", text, "bad_tasks", "write `4`, or a range such as `4-16`")


def format_task_range(tasks: TaskRange) -> str:
    if tasks.max == tasks.min:
        return str(tasks.min)
    return f"{tasks.min}-{'' if tasks.max is None else tasks.max}"


def parse_array(text: str) -> ArraySpec:
    """`1-100:2%10`, `1,3,7-9`: indexes, a step, and how many may run at once.

    Nothing is expanded: ranges that do not overlap have no more elements than there are indexes.
    """
    hint = "write `1-100`, `1-100:2`, `1,3,7-9`, with `%10` for at most 10 at once"
    body, percent, limit_text = text.partition("%")
    if percent and not (re.fullmatch("[0-9]{1,7}", limit_text) and 1 <= int(limit_text) <= ARRAY_SIZE_MAX):
        what = f"array: the limit after `%` is a whole number from 1 to {ARRAY_SIZE_MAX}"
        raise _wrong(what, text, "bad_array", hint)
    ranges: list[tuple[int, int, int]] = []
    for part in _items(body, "array", "bad_array"):
        match = _RANGE.match(part)
        if match is None:
            raise _wrong("array", text, "bad_array", hint)
        first, last, step = int(match[1]), int(match[2] or match[1]), int(match[3] or 1)
        if not 1 <= first <= last <= ARRAY_SIZE_MAX or not 1 <= step <= ARRAY_SIZE_MAX:
            what = f"array: indexes are 1 to {ARRAY_SIZE_MAX}, first to last, with a step above 0"
            raise _wrong(what, text, "bad_array", hint)
        ranges.append((first, last, step))
    _refuse_overlap(text, ranges)
    return ArraySpec(ranges=tuple(ranges), limit=int(limit_text) if percent else 0)


def _items(text: str, what: str, code: str) -> list[str]:
    """The parts of a list, of which there are not too many."""
    items = text.split(",", LIST_MAX)
    if len(items) > LIST_MAX:
        raise _wrong(f"{what} of at most {LIST_MAX} items", text, code)
    return items


def _refuse_overlap(text: str, ranges: list[tuple[int, int, int]]) -> None:
    for (_, last, _), (first, _, _) in pairwise(sorted(ranges)):
        if first <= last:
            raise Usage(
                f"two ranges of the array `{shortened(text)}` overlap at {first}",
                code="bad_array",
                hints=["write ranges that lie one after the other"],
            )


def parse_exit_codes(text: str) -> tuple[int, ...]:
    """`1,3-5` to the codes, sorted."""
    codes: set[int] = set()
    for part in _items(text, "list of exit codes", "bad_exit_codes"):
        match = _RANGE.match(part)
        if match is None or match[3] or not int(match[1]) <= int(match[2] or match[1]) <= 255:
            raise _wrong("list of exit codes", text, "bad_exit_codes", "write codes from 0 to 255, such as `1,3-5`")
        codes.update(range(int(match[1]), int(match[2] or match[1]) + 1))
    return tuple(sorted(codes))
