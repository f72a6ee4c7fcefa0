"""The tree of a condition, its canonical text, and the jobs that it names."""

from collections.abc import Callable
from typing import Final, Literal, get_args

import msgspec

Kind = Literal["done", "exit", "ended", "started"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
EVERY: Final = "*"


class Atom(msgspec.Struct, frozen=True, tag=True):
    kind: Kind
    job: int | str  # a name until it is resolved
    index: int | Literal["*"] | None = None
    code: int | None = None


class Not(msgspec.Struct, frozen=True, tag=True):
    operand: "Condition"


class Join(msgspec.Struct, frozen=True, tag=True):
    """Two conditions or more; none of them is a join by the same operator."""

    op: Literal["&&", "||"]
    operands: "tuple[Condition, ...]"


Condition = Atom | Not | Join


def to_text(condition: Condition, *, is_inner: bool = False) -> str:
    """The canonical text: minimal parentheses, one space round binary operators."""
    match condition:
        case Atom(kind=kind, job=job, index=index, code=code):
            where = f'"{job}"' if isinstance(job, str) else str(job)
            element = "" if index is None else f"[{index}]"
            return f"{kind}({where}{element}{'' if code is None else f', {code}'})"
        case Not(operand=operand):
            return f"!{to_text(operand, is_inner=True)}"
        case Join(op=op, operands=operands):
            text = f" {op} ".join(to_text(operand, is_inner=op == "&&") for operand in operands)
            return f"({text})" if is_inner else text


def atoms(condition: Condition) -> list[Atom]:
    match condition:
        case Atom():
            return [condition]
        case Not(operand=operand):
            return atoms(operand)
        case Join(operands=operands):
            return [atom for operand in operands for atom in atoms(operand)]


def job_ids(condition: Condition) -> frozenset[int]:
    return frozenset(atom.job for atom in atoms(condition) if isinstance(atom.job, int))


def names(condition: Condition) -> frozenset[str]:
    """The job names that are not resolved yet."""
    return frozenset(atom.job for atom in atoms(condition) if isinstance(atom.job, str))


def is_by_element(condition: Condition) -> bool:
    return any(atom.index == EVERY for atom in atoms(condition))


def resolve_names(condition: Condition, newest: Callable[[str], int]) -> Condition:
    """The condition with every name replaced by the id that `newest` gives for it."""
    match condition:
        case Atom(job=str(name)):
            return msgspec.structs.replace(condition, job=newest(name))
        case Not(operand=operand):
            return Not(resolve_names(operand, newest))
        case Join(op=op, operands=operands):
            return Join(op, tuple(resolve_names(operand, newest) for operand in operands))
    return condition
