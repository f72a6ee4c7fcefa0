"""The keys of `hosts.yaml`. A name may be a range, which stands for many hosts that are alike."""

from typing import Any

from xceadmin.config.nodes import Node, Sequence
from xceadmin.config.reading import Absent, Reading, text_of
from xceadmin.config.resource_keys import amounts, attributes
from xceadmin.config.shapes import Key, Keys, list_of, mapping_of, name_in, record
from xceadmin.config.values import anything, choice, integer, name, text
from xcelib.config import codes
from xcelib.config.hostnames import expand_hosts
from xcelib.config.model import HostConfig
from xcelib.config.paths import Path
from xcelib.errors import XceError

SLOTS_MAX = 1_000_000


def host_names(reading: Reading, node: Node, path: Path) -> tuple[str, ...] | Absent:
    """The hosts that a name or a range stands for."""
    found = text_of(reading, node, path, "a host such as node7, or a range such as node[001-128]")
    if isinstance(found, Absent):
        return found
    try:
        return tuple(expand_hosts(found))
    except XceError as error:
        return reading.fault(node, path, codes.BAD_NAME, error.message, hint="; ".join(error.hints))


HOST: Keys = {
    "name": Key(host_names, is_required=True),
    "address": Key(text),
    "state": Key(choice("open", "closed")),
    "slots": Key(integer(1, SLOTS_MAX)),
    "attributes": Key(attributes),
    "counters": Key(amounts),
    "instances": Key(mapping_of(name, list_of(anything))),
}
_read_host = record(HOST)


def read_hosts(reading: Reading, node: Node, path: Path) -> dict[str, HostConfig] | Absent:
    """All hosts, ranges expanded."""
    if not isinstance(node, Sequence):
        return reading.expected(node, path, "a list of mappings with `name`")
    found: dict[str, HostConfig] = {}
    for number, item in enumerate(node.items):
        fields = _read_host(reading, item, (*path, name_in(item, "name") or str(number)))
        if not isinstance(fields, Absent):
            _add_hosts(reading, item, path, fields, found)
    return found


def _add_hosts(reading: Reading, item: Node, path: Path, fields: dict[str, Any], found: dict[str, HostConfig]) -> None:
    names = fields.pop("name")
    repeated = [name for name in names if name in found]
    if repeated:
        first = reading.places[(*path, repeated[0])].line
        message = f"host `{repeated[0]}` is defined twice, first in line {first}"
        reading.fault(item, (*path, repeated[0]), codes.REPEATED, message)
    for host in names:
        if host not in found:
            reading.places[(*path, host)] = item.place
            found[host] = HostConfig(name=host, **fields)


_GROUP: Keys = {
    "name": Key(name, is_required=True),
    "hosts": Key(list_of(host_names), is_required=True),
}
_read_group = record(_GROUP)


def read_host_groups(reading: Reading, node: Node, path: Path) -> dict[str, tuple[str, ...]] | Absent:
    """Host groups by name, their ranges expanded and sorted."""
    if not isinstance(node, Sequence):
        return reading.expected(node, path, "a list of mappings with `name`")
    found: dict[str, tuple[str, ...]] = {}
    for number, item in enumerate(node.items):
        place = (*path, name_in(item, "name") or str(number))
        fields = _read_group(reading, item, place)
        if isinstance(fields, Absent):
            continue
        if fields["name"] in found:
            reading.fault(item, place, codes.REPEATED, f"host group `{fields['name']}` is defined twice")
            continue
        reading.places[place] = item.place
        found[fields["name"]] = distinct_hosts(fields["hosts"])
    return found


def distinct_hosts(ranges: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """The names of several ranges, each once, sorted."""
    return tuple(sorted({host for names in ranges for host in names}))
