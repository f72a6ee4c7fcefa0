"""Readers of lists and mappings, built from readers of what they hold."""

from collections.abc import Callable
from collections.abc import Mapping as Table
from dataclasses import dataclass
from typing import Any

from xceadmin.config.nodes import Mapping, Node, Scalar, Sequence
from xceadmin.config.reading import ABSENT, Absent, Reader, Reading
from xcelib.config import codes
from xcelib.config.paths import Path, key_name
from xcelib.errors import did_you_mean


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a mapping. `at` is its place in the model where that is not the key itself."""

    read: Reader
    at: Path = ()
    is_required: bool = False


Keys = Table[str, Key]
Misplaced = Table[str, str]  # a key that people expect here -> the hint where it belongs


def list_of(read: Reader, *, is_set: bool = False) -> Reader:
    """A list, as a tuple. A set is sorted, since its order means nothing, and refuses what stands twice."""

    def read_list(reading: Reading, node: Node, path: Path) -> tuple[Any, ...] | Absent:
        if not isinstance(node, Sequence):
            hint = f"write [{node.text}]" if isinstance(node, Scalar) and node.text else ""
            return reading.expected(node, path, "a list", hint=hint)
        if not node.items:
            message = f"`{key_name(path)}` is an empty list"
            return reading.fault(node, path, codes.EMPTY, message, hint="remove the key: an empty list is not obeyed")
        values = _read_items(reading, node, path, read)
        return tuple(sorted(_distinct(reading, values, path))) if is_set else tuple(value for _, value in values)

    return read_list


def _read_items(reading: Reading, node: Sequence, path: Path, read: Reader) -> list[tuple[Node, Any]]:
    found = []
    for number, item in enumerate(node.items):
        value = read(reading, item, path)
        if not isinstance(value, Absent):
            reading.places[(*path, value if isinstance(value, str) else str(number))] = item.place
            found.append((item, value))
    return found


def _distinct(reading: Reading, values: list[tuple[Node, Any]], path: Path) -> list[Any]:
    kept: list[Any] = []
    for node, value in values:
        if value in kept:
            reading.fault(node, path, codes.REPEATED, f"`{value}` stands twice in `{key_name(path)}`")
        else:
            kept.append(value)
    return kept


def mapping_of(read_key: Reader, read_value: Reader) -> Reader:
    """A mapping of free keys."""

    def read_mapping(reading: Reading, node: Node, path: Path) -> dict[str, Any] | Absent:
        if not isinstance(node, Mapping):
            return reading.expected(node, path, "a mapping")
        found: dict[str, Any] = {}
        for key, value_node in node.entries:
            place = (*path, key.text)
            reading.places[place] = key.place
            name = read_key(reading, key, place)
            value = read_value(reading, value_node, place)
            if not isinstance(name, Absent) and not isinstance(value, Absent):
                found[name] = value
        return found

    return read_mapping


def record(keys: Keys, *, misplaced: Misplaced | None = None) -> Reader:
    """A mapping of known keys, as a dict of what was read, nested where `Key.at` says so."""

    def read_record(reading: Reading, node: Node, path: Path) -> dict[str, Any] | Absent:
        if not isinstance(node, Mapping):
            return reading.expected(node, path, "a mapping")
        found: dict[str, Any] = {}
        for key_node, value_node in node.entries:
            key = keys.get(key_node.text)
            if key is None:
                _refuse_key(reading, key_node, path, keys, misplaced or {})
                continue
            at = key.at or (key_node.text,)
            reading.places[(*path, *at)] = key_node.place
            value = key.read(reading, value_node, (*path, *at))
            if not isinstance(value, Absent):
                _put(found, at, value)
        return found if _is_complete(reading, node, path, keys, found) else ABSENT

    return read_record


def _put(found: dict[str, Any], at: Path, value: Any) -> None:
    for part in at[:-1]:
        found = found.setdefault(part, {})
    found[at[-1]] = value


def _refuse_key(reading: Reading, node: Scalar, path: Path, keys: Keys, misplaced: Misplaced) -> None:
    place = (*path, node.text)
    if node.text in misplaced:
        message = f"`{node.text}` does not belong here"
        reading.fault(node, place, codes.MISPLACED, message, hint=misplaced[node.text])
        return
    hints = did_you_mean(node.text, keys, otherwise=f"known are {', '.join(keys)}")
    where = f" in `{key_name(path)}`" if path else ""
    reading.fault(node, place, codes.UNKNOWN_KEY, f"key `{node.text[:80]}` does not exist{where}", hint=hints[0])


def _is_complete(reading: Reading, node: Mapping, path: Path, keys: Keys, found: dict[str, Any]) -> bool:
    """Whether every required key could be read; one that is not even written is a fault of its own."""
    missing = [name for name, key in keys.items() if key.is_required and name not in found]
    written = {key.text for key, _ in node.entries}
    for name in missing:
        if name not in written:
            reading.fault(node, path, codes.MISSING_KEY, f"key `{name}` is missing")
    return not missing


Build = Callable[[Reading, Path, dict[str, Any]], Any]


def plain(struct: Callable[..., Any]) -> Build:
    """The fields as they were read, in a struct."""
    return lambda reading, path, fields: struct(**fields)


def named(keys: Keys, build: Build, *, by: str = "name", misplaced: Misplaced | None = None) -> Reader:
    """A list of mappings that each have a name, as a dict by name of what `build` makes of each."""
    read_item = record(keys, misplaced=misplaced)

    def read_named(reading: Reading, node: Node, path: Path) -> dict[str, Any] | Absent:
        if not isinstance(node, Sequence):
            return reading.expected(node, path, f"a list of mappings with `{by}`")
        found: dict[str, Any] = {}
        for number, item in enumerate(node.items):
            place = (*path, name_in(item, by) or str(number))
            fields = read_item(reading, item, place)
            if isinstance(fields, Absent) or _is_repeated(reading, item, place, by):
                continue
            reading.places[place] = item.place
            found[fields[by]] = build(reading, place, fields)
        return found

    return read_named


def name_in(node: Node, by: str) -> str:
    """The text of the key `by` of a mapping; "" where there is none."""
    if isinstance(node, Mapping):
        for key, value in node.entries:
            if key.text == by and isinstance(value, Scalar):
                return value.text
    return ""


def _is_repeated(reading: Reading, item: Node, place: Path, by: str) -> bool:
    first = reading.places.get(place)
    if first is None:
        return False
    message = f"{by} `{place[-1]}` is defined twice, first in line {first.line}"
    reading.fault(item, place, codes.REPEATED, message, hint="give each its own name")
    return True
