"""The tree of a resource requirement. Values are plain; the printer and the evaluators walk it."""

from typing import Literal

import msgspec

Per = Literal["task", "job", "host"]
BinaryOp = Literal["||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/"]


class Number(msgspec.Struct, frozen=True, tag=True):
    """A number or a size: `value` is in bytes for a size; `text` is what the author wrote."""

    value: int | float
    text: str


class Text(msgspec.Struct, frozen=True, tag=True):
    """A string: a quoted one, or a plain word that is no attribute's name."""

    value: str


class Truth(msgspec.Struct, frozen=True, tag=True):
    value: bool


class Attribute(msgspec.Struct, frozen=True, tag=True):
    """An attribute, load index or counter of the host. Alone it means "the host has it"."""

    name: str


class Defined(msgspec.Struct, frozen=True, tag=True):
    name: str


class Not(msgspec.Struct, frozen=True, tag=True):
    operand: "Expr"


class Negative(msgspec.Struct, frozen=True, tag=True):
    operand: "Expr"


class Binary(msgspec.Struct, frozen=True, tag=True):
    op: BinaryOp
    left: "Expr"
    right: "Expr"


Expr = Number | Text | Truth | Attribute | Defined | Not | Negative | Binary


class Term(msgspec.Struct, frozen=True):
    """One rusage term. `amount` is in bytes for a size; `per` is None where the author left it out (it means task)."""

    resource: str
    amount: int | float
    per: Per | None = None
    text: str = ""  # the amount as written


class Span(msgspec.Struct, frozen=True):
    kind: Literal["hosts", "ptile", "block", "stripe"]
    count: int | None = None  # `stripe` alone has none; `hosts` takes 1 or -1


class OrderKey(msgspec.Struct, frozen=True):
    name: str
    reversed: bool = False


class Simple(msgspec.Struct, frozen=True, tag=True):
    select: Expr | None = None
    order: tuple[OrderKey, ...] = ()
    rusage: tuple[Term, ...] = ()
    span: Span | None = None
    same: tuple[str, ...] = ()


class Part(msgspec.Struct, frozen=True):
    tasks: int
    needs: Simple


class Compound(msgspec.Struct, frozen=True, tag=True):
    """Parts placed together or not at all; the first part has the first host."""

    parts: tuple[Part, ...]


class Choice(msgspec.Struct, frozen=True):
    needs: Simple | Compound
    delay_s: int = 0


class Alternative(msgspec.Struct, frozen=True, tag=True):
    """Choices tried in order."""

    choices: tuple[Choice, ...]


Resreq = Simple | Compound | Alternative
