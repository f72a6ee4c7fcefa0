"""Host names with ranges: `node[001-128]`, `rack[1-2]n[01,03-08]`."""

import itertools
import re

from xcelib.errors import Usage
from xcelib.ids import is_name

HOSTS_MAX = 100_000
_BRACKET = re.compile(r"\[([^\[\]]*)\]")
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?\Z", re.ASCII)


def expand_hosts(text: str) -> list[str]:
    """The names that `text` stands for, in order; raises `Usage`. Counted before it is expanded.

    A number keeps the width it is written with: `[008-010]` gives 008, 009, 010.
    """
    pieces = _BRACKET.split(text)
    choices = [_ranges(text, piece) if odd else [piece] for odd, piece in zip(_alternating(), pieces, strict=False)]
    count = 1
    for choice in choices:
        count *= len(choice)
    if count > HOSTS_MAX:
        raise _wrong(text, f"it stands for {count:,} hosts, at most {HOSTS_MAX:,} are allowed")
    names = ["".join(parts) for parts in itertools.product(*choices)]
    if not is_name(names[0]) or not is_name(names[-1]):
        raise _wrong(
            text,
            "a host name is letters, digits, `.`, `_` and `-`, at most 64, and starts with a letter or digit",
        )
    return names


def _alternating() -> "itertools.cycle[bool]":
    return itertools.cycle((False, True))


def _ranges(text: str, body: str) -> list[str]:
    numbers: list[str] = []
    for item in body.split(","):
        first, last, width = _bounds(text, item)
        if len(numbers) + last - first >= HOSTS_MAX:
            raise _wrong(text, f"it stands for more than {HOSTS_MAX:,} hosts")
        numbers.extend(f"{number:0{width}}" for number in range(first, last + 1))
    return numbers


def _bounds(text: str, item: str) -> tuple[int, int, int]:
    match = _RANGE.match(item.strip())
    if match is None:
        raise _wrong(text, f"`[{item}]` is no range of numbers")
    first, last = int(match[1]), int(match[2] or match[1])
    if last < first:
        raise _wrong(text, f"`{item}` counts down")
    return first, last, len(match[1])


def _wrong(text: str, reason: str) -> Usage:
    return Usage(f"`{text}` names no hosts: {reason}", code="bad_host_name", hints=["write `node7` or `node[001-128]`"])
