"""What an expression says of one host."""

import math
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from xcelib.resreq.ast import Attribute, Binary, Defined, Expr, Negative, Not, Number, Text, Truth

Value = str | int | float | bool
Host = Mapping[str, Value]

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_CALCULATE: dict[str, Callable[[int | float, int | float], int | float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


def matches(expr: Expr, host: Host) -> bool:
    """Whether the host has what the expression asks for.

    A comparison with something that the host does not have, or with a division by zero, is false:
    `!` of it is true. It never raises.
    """
    match expr:
        case Binary(op="&&", left=left, right=right):
            return matches(left, host) and matches(right, host)
        case Binary(op="||", left=left, right=right):
            return matches(left, host) or matches(right, host)
        case Binary(op=op, left=left, right=right) if op in _COMPARE:
            return _compare(op, _value(left, host), _value(right, host))
        case Not(operand=operand):
            return not matches(operand, host)
        case Defined(name=name):
            return name in host
    return bool(_value(expr, host))


def _compare(op: str, left: Value | None, right: Value | None) -> bool:
    if left is None or right is None or isinstance(left, str) != isinstance(right, str):
        return False
    return _COMPARE[op](left, right)


def _value(expr: Expr, host: Host) -> Value | None:
    """The value of an operand; None where there is none."""
    match expr:
        case Number(value=value) | Text(value=value) | Truth(value=value):
            return value
        case Attribute(name=name):
            return host.get(name)
        case Negative(operand=operand):
            found = _value(operand, host)
            return None if found is None or isinstance(found, str) else -found
        case Binary(op=op, left=left, right=right) if op in _CALCULATE:
            return _arithmetic(op, _value(left, host), _value(right, host))
    return matches(expr, host)


def _arithmetic(op: str, left: Value | None, right: Value | None) -> int | float | None:
    """None where the result is no finite number: a division by zero, or too large."""
    if left is None or right is None or isinstance(left, str) or isinstance(right, str):
        return None
    try:
        result = _CALCULATE[op](left, right)
    except (ZeroDivisionError, OverflowError):
        return None
    return result if isinstance(result, int) or math.isfinite(result) else None


def contradictory(expr: Expr) -> bool:
    """Whether a conjunction asks one attribute to equal two values: no host can ever match."""
    wanted: dict[str, object] = {}
    for part in _conjuncts(expr):
        match part:
            case Binary(op="==", left=Attribute(name=name), right=Text() | Number() | Truth() as literal):
                pass
            case Binary(op="==", left=Text() | Number() | Truth() as literal, right=Attribute(name=name)):
                pass
            case _:
                continue
        if wanted.setdefault(name, literal.value) != literal.value:
            return True
    return False


def _conjuncts(expr: Expr) -> Iterator[Expr]:
    if isinstance(expr, Binary) and expr.op == "&&":
        yield from _conjuncts(expr.left)
        yield from _conjuncts(expr.right)
    else:
        yield expr
