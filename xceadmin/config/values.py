"""Readers of single values: texts, names, numbers, sizes, durations."""

import re
from functools import lru_cache

from xceadmin.config.nodes import Mapping, Node, Scalar, Sequence
from xceadmin.config.reading import ABSENT, Absent, Reader, Reading, text_of
from xcelib.config import codes
from xcelib.config.model import MemoryUnit
from xcelib.config.paths import Path, key_name
from xcelib.errors import XceError, did_you_mean
from xcelib.ids import is_name, is_project_path
from xcelib.quantity import parse_duration, parse_interval, parse_size

NUMBER_MAX = 10**15
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})\Z")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]{0,17})\.[0-9]{1,17}\Z")
_TRUTHS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_NO_TRUTHS = {"yes", "no", "on", "off", "y", "n"}


def text(reading: Reading, node: Node, path: Path) -> str | Absent:
    """Any text, as it was written: `no`, `1:30` and `1.10` are texts."""
    return text_of(reading, node, path, "a text")


def name(reading: Reading, node: Node, path: Path) -> str | Absent:
    """The name of a thing."""
    found = text_of(reading, node, path, "a name")
    if isinstance(found, Absent) or is_name(found):
        return found
    hint = "letters, digits, `.`, `_` and `-`, at most 64, the first a letter or digit"
    return reading.fault(node, path, codes.BAD_NAME, f"`{found[:80]}` is no name", hint=hint)


def member(reading: Reading, node: Node, path: Path) -> str | Absent:
    """A user, or `@` and a group."""
    found = text_of(reading, node, path, "a user or `@group`")
    if isinstance(found, Absent) or is_name(found.removeprefix("@")):
        return found
    return reading.fault(node, path, codes.BAD_NAME, f"`{found[:80]}` is no user and no `@group`")


def project(reading: Reading, node: Node, path: Path) -> str | Absent:
    """A project's path."""
    found = text_of(reading, node, path, "a project such as /eng/cfd")
    if isinstance(found, Absent) or is_project_path(found):
        return found
    message = f"`{found[:80]}` is no project's path"
    return reading.fault(node, path, codes.BAD_NAME, message, hint="write it as /eng/cfd")


def integer(least: int, most: int = NUMBER_MAX) -> Reader:
    """A whole number, written without quotes, within bounds."""

    def read(reading: Reading, node: Node, path: Path) -> int | Absent:
        found = text_of(reading, node, path, "a whole number")
        if isinstance(found, Absent):
            return found
        if not _is_plain(node) or not _WHOLE.match(found):
            return reading.expected(node, path, "a whole number", hint=_number_hint(node))
        value = int(found)
        if not least <= value <= most:
            message = f"`{key_name(path)}` is {value}, it must be at least {least}"
            if value > most:
                message = f"`{key_name(path)}` is {value}, it may be at most {most}"
            return reading.fault(node, path, codes.OUT_OF_RANGE, message)
        return value

    return read


def boolean(reading: Reading, node: Node, path: Path) -> bool | Absent:
    """`true` or `false`, and none of YAML 1.1's other words."""
    found = text_of(reading, node, path, "true or false")
    if isinstance(found, Absent):
        return found
    if not _is_plain(node) or found not in _TRUTHS:
        hint = "write true or false" if found.lower() in _NO_TRUTHS else ""
        return reading.expected(node, path, "true or false", hint=hint)
    return _TRUTHS[found]


def number(reading: Reading, node: Node, path: Path) -> int | float | Absent:
    """A number; a whole one stays whole, so that `2.0` and `2` are the same."""
    found = text_of(reading, node, path, "a number")
    if isinstance(found, Absent):
        return found
    if _is_plain(node) and _WHOLE.match(found):
        return int(found)
    if _is_plain(node) and _DECIMAL.match(found):
        value = float(found)
        return int(value) if value.is_integer() else value
    return reading.expected(node, path, "a number", hint=_number_hint(node))


def size(reading: Reading, node: Node, path: Path) -> int | Absent:
    """A size in bytes."""
    found = text_of(reading, node, path, "a size such as 4G")
    if isinstance(found, Absent):
        return found
    try:
        return _bytes_of(found, reading.memory_unit)
    except XceError as error:
        return _fault_of(reading, node, path, codes.BAD_SIZE, error)


@lru_cache(maxsize=1024)
def _bytes_of(text: str, memory_unit: MemoryUnit) -> int:
    """Remembered, since the hosts of a cluster repeat a few sizes thousands of times."""
    return parse_size(text, memory_unit=memory_unit)


def duration(reading: Reading, node: Node, path: Path) -> int | Absent:
    """A duration in whole seconds."""
    found = text_of(reading, node, path, "a duration such as 8h")
    if isinstance(found, Absent):
        return found
    try:
        return parse_duration(found)
    except XceError as error:
        return _fault_of(reading, node, path, codes.BAD_DURATION, error)


def interval(reading: Reading, node: Node, path: Path) -> float | Absent:
    """A duration above 0 that may have a fraction, in seconds."""
    found = text_of(reading, node, path, "a duration such as 30s")
    if isinstance(found, Absent):
        return found
    try:
        seconds = parse_interval(found)
    except XceError as error:
        return _fault_of(reading, node, path, codes.BAD_DURATION, error)
    if seconds <= 0:
        return reading.fault(node, path, codes.OUT_OF_RANGE, f"`{key_name(path)}` is {found}, it must be above 0")
    return float(seconds)


def choice(*words: str) -> Reader:
    """One of a few words."""

    def read(reading: Reading, node: Node, path: Path) -> str | Absent:
        wanted = f"one of {', '.join(words)}"
        found = text_of(reading, node, path, wanted)
        if isinstance(found, Absent) or found in words:
            return found
        hints = did_you_mean(found, words)
        message = f"`{key_name(path)}` is {wanted}, found `{found[:40]}`"
        return reading.fault(node, path, codes.BAD_CHOICE, message, hint="".join(hints))

    return read


def command(reading: Reading, node: Node, path: Path) -> str | tuple[str, ...] | Absent:
    """A command: one text for the shell, or a list of arguments."""
    if not isinstance(node, Sequence):
        return text_of(reading, node, path, "a command: a text, or a list of arguments")
    arguments = [text(reading, item, path) for item in node.items]
    if not arguments:
        return reading.fault(node, path, codes.EMPTY, f"`{key_name(path)}` is an empty list", hint="remove the key")
    return tuple(argument for argument in arguments if not isinstance(argument, Absent))


def anything(reading: Reading, node: Node, path: Path) -> object:
    """A value that nothing obeys yet: its shape is kept, all scalars as texts."""
    if isinstance(node, Mapping):
        return {key.text: anything(reading, value, (*path, key.text)) for key, value in node.entries}
    if isinstance(node, Sequence):
        return [anything(reading, item, path) for item in node.items]
    return node.text


def _is_plain(node: Node) -> bool:
    return isinstance(node, Scalar) and node.is_plain


def _number_hint(node: Node) -> str:
    if isinstance(node, Scalar) and not node.is_plain and _WHOLE.match(node.text):
        return f"write {node.text} without quotes"
    return "write it in decimal digits, such as 64"


def _fault_of(reading: Reading, node: Node, path: Path, code: str, error: XceError) -> Absent:
    reading.fault(node, path, code, f"`{key_name(path)}`: {error.message}", hint="; ".join(error.hints))
    return ABSENT
