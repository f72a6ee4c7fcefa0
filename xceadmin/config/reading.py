"""What the readers of values share: where faults go, where values were written, and what is declared."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from xceadmin.config.faults import Faults, SourceFault
from xceadmin.config.nodes import Node, Place, Scalar, kind_of
from xcelib.config import codes
from xcelib.config.findings import Finding
from xcelib.config.model import MemoryUnit
from xcelib.config.paths import Path, key_name, path_text
from xcelib.resreq.descriptors import BUILTINS, Descriptor

_TABLES: Final = {
    codes.NO_QUEUE: "queues",
    codes.NO_PROFILE: "applications",
    codes.NO_RESOURCE: "resources",
    codes.BAD_RESREQ: "resources",
    codes.NO_HOST: "hosts",
    codes.NO_GROUP: "user_groups",
    codes.NO_PROJECT: "projects",
}


class Absent:
    """The value of what could not be read; its fault is recorded."""


ABSENT: Final = Absent()


@dataclass(slots=True)
class Reading:
    """The state of one build.

    `known` grows by resources.yaml, which is read before what names resources. `texts` are the
    scalars that have a grammar of their own. `unread` are the tables whose file could not be read:
    a name of theirs may well be defined there.
    """

    faults: Faults
    places: dict[Path, Place] = field(default_factory=dict)
    known: dict[str, Descriptor] = field(default_factory=lambda: dict(BUILTINS))
    memory_unit: MemoryUnit = "required"
    texts: dict[Path, Scalar] = field(default_factory=dict)
    unread: set[str] = field(default_factory=set)

    def fault(self, node: Node, path: Path, code: str, message: str, *, hint: str = "") -> Absent:
        """Record a fault at a node; what was to be read there is absent."""
        self.faults.put(SourceFault(place=node.place, code=code, message=message, hint=hint, path=path_text(path)))
        return ABSENT

    def may_declare(self, resource: str) -> bool:
        """Whether the sources mean to declare a resource, though it could not be read."""
        return "resources" in self.unread or ("resources", resource, "name") in self.places

    def is_consequence(self, finding: Finding) -> bool:
        """Whether a finding only follows from a file or a key that could not be read."""
        if finding.code == codes.MISSING_KEY and (*finding.path, "total") in self.places:
            return True
        table = _TABLES.get(finding.code)
        return table is not None and table in self.unread

    def expected(self, node: Node, path: Path, wanted: str, *, hint: str = "") -> Absent:
        """Record that `wanted` was expected and something else found."""
        subject = f"`{key_name(path)}`" if path else "the file"
        message = f"{subject} takes {wanted}, found {kind_of(node)}"
        return self.fault(node, path, codes.WRONG_TYPE, message, hint=hint)


Reader = Callable[[Reading, Node, Path], Any]

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})


def text_of(reading: Reading, node: Node, path: Path, wanted: str) -> str | Absent:
    """The text of a scalar; a list, a mapping and nothing at all are faults."""
    if not isinstance(node, Scalar):
        return reading.expected(node, path, wanted)
    if node.is_plain and node.text in _NULLS:
        hint = "remove the key" if not node.text else f'remove the key, or quote the text: "{node.text}"'
        return reading.fault(node, path, codes.EMPTY, f"`{key_name(path)}` has no value", hint=hint)
    return node.text
