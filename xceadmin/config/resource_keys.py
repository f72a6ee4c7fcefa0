"""The keys of `resources.yaml`, and readers of amounts and attributes of declared resources."""

from typing import Any

from xceadmin.config.nodes import Node
from xceadmin.config.reading import ABSENT, Absent, Reader, Reading
from xceadmin.config.shapes import Key, Keys, mapping_of, named
from xceadmin.config.values import anything, boolean, choice, integer, name, number, size, text
from xcelib.config import codes
from xcelib.config.model import ResourceConfig, descriptor_of
from xcelib.config.paths import Path
from xcelib.errors import did_you_mean


def _node(reading: Reading, node: Node, path: Path) -> Node:
    """The node itself: its meaning depends on a key beside it."""
    return node


RESOURCE: Keys = {
    "name": Key(name, is_required=True),
    "layer": Key(choice("attribute", "counter", "instance"), is_required=True),
    "scope": Key(choice("host", "shared")),
    "type": Key(choice("string", "number", "size", "boolean")),
    "unit": Key(choice("count", "size")),
    "total": Key(_node),
    "description": Key(text),
    "default_charge": Key(_node),
    "consumable": Key(boolean),
    "release": Key(text),
    "report": Key(anything),
    "provider": Key(name),
}


def _resource(reading: Reading, path: Path, fields: dict[str, Any]) -> ResourceConfig:
    """Read the amounts by the unit, and make the resource known to what is read after it."""
    read_amount: Reader = size if fields.get("unit") == "size" else integer(0)
    for key in ("total", "default_charge"):
        node = fields.pop(key, None)
        amount = ABSENT if node is None else read_amount(reading, node, (*path, key))
        if not isinstance(amount, Absent):
            fields[key] = amount
    resource = ResourceConfig(**fields)
    reading.known.setdefault(resource.name, descriptor_of(resource))
    return resource


read_resources = named(RESOURCE, _resource)


def resource_name(reading: Reading, node: Node, path: Path) -> str | Absent:
    """The name of a built-in or declared resource."""
    found = name(reading, node, path)
    if isinstance(found, Absent) or found in reading.known:
        return found
    if reading.may_declare(found):
        return ABSENT
    hints = did_you_mean(found, reading.known, otherwise="declare it in resources.yaml")
    return reading.fault(node, path, codes.NO_RESOURCE, f"resource `{found}` is not defined", hint=hints[0])


def amount(reading: Reading, node: Node, path: Path) -> int | Absent:
    """An amount of the resource that `path` ends with: bytes of a size, else a whole number."""
    return amount_of(path[-1], reading, node, path)


def amount_of(resource: str, reading: Reading, node: Node, path: Path) -> int | Absent:
    """An amount of a resource; of one that is not known nothing can be said, and its name is the fault."""
    if resource not in reading.known:
        return ABSENT
    read: Reader = size if reading.known[resource].type == "size" else integer(0)
    found: int | Absent = read(reading, node, path)
    return found


def attribute_value(reading: Reading, node: Node, path: Path) -> str | bool | int | float | Absent:
    """A host's value of the attribute that `path` ends with, by its type."""
    if path[-1] not in reading.known:
        return ABSENT
    by_type: dict[str, Reader] = {"boolean": boolean, "number": number, "size": size}
    read = by_type.get(reading.known[path[-1]].type, text)
    found: str | bool | int | float | Absent = read(reading, node, path)
    return found


amounts = mapping_of(resource_name, amount)
attributes = mapping_of(resource_name, attribute_value)
