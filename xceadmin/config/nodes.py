"""What a YAML file says, with the place of each piece. Scalars stay the text that was written."""

from dataclasses import dataclass, field
from typing import NamedTuple


class Place(NamedTuple):
    """A place in a source file; line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(slots=True)
class Scalar:
    """`is_plain`: written without quotes, so that it may be a number or a truth value.

    `is_verbatim`: its line holds the text as it is, without escapes or folding.
    """

    text: str
    is_plain: bool
    place: Place
    is_verbatim: bool = True


@dataclass(slots=True)
class Sequence:
    """`size` counts the nodes inside and itself, aliases expanded; `height` its levels."""

    place: Place
    items: list["Node"] = field(default_factory=list)
    size: int = 1
    height: int = 1


@dataclass(slots=True)
class Mapping:
    place: Place
    entries: list[tuple[Scalar, "Node"]] = field(default_factory=list)
    size: int = 1
    height: int = 1


Node = Scalar | Sequence | Mapping


def kind_of(node: Node) -> str:
    """What a message says was found."""
    if isinstance(node, Mapping):
        return "a mapping"
    if isinstance(node, Sequence):
        return "a list"
    if not node.text:
        return "an empty text"
    return f"`{node.text[:40]}`" if node.is_plain else f'the text "{node.text[:40]}"'
