"""From tree to canonical text: minimal parentheses, one space round binary operators, sizes as written."""

import re
from typing import Final

from xcelib.quantity import format_duration
from xcelib.resreq.ast import (
    Alternative,
    Attribute,
    Binary,
    Compound,
    Defined,
    Expr,
    Negative,
    Not,
    Number,
    OrderKey,
    Resreq,
    Simple,
    Span,
    Term,
    Text,
    Truth,
)
from xcelib.resreq.descriptors import BUILTINS

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*\Z", re.ASCII)
_STRENGTH: Final = {
    "||": 1,
    "&&": 2,
    "==": 3,
    "!=": 3,
    "<": 3,
    "<=": 3,
    ">": 3,
    ">=": 3,
    "+": 4,
    "-": 4,
    "*": 5,
    "/": 5,
}
_UNARY = 6


def expr_text(expr: Expr) -> str:
    """A select expression; what it prints parses to the same tree."""
    return _text(expr, 0)


def _text(expr: Expr, least: int) -> str:
    """The text, in parentheses where its operator binds less than `least`."""
    match expr:
        case Number(text=text):
            return text
        case Text(value=value):
            return _string(value)
        case Truth(value=value):
            return "true" if value else "false"
        case Attribute(name=name):
            return name
        case Defined(name=name):
            return f"defined({name})"
        case Not(operand=operand):
            return f"!{_text(operand, _UNARY)}"
        case Negative(operand=operand):
            return f"-{_text(operand, _UNARY)}"
        case Binary(op=op, left=left, right=right):
            strength = _STRENGTH[op]
            is_comparison = strength == 3
            text = f"{_text(left, strength + is_comparison)} {op} {_text(right, strength + 1)}"
            return f"({text})" if strength < least else text


def _string(value: str) -> str:
    if _PLAIN.match(value) and value not in BUILTINS and value not in ("true", "false", "defined", "and", "or", "not"):
        return value
    return f'"{value}"' if "'" in value else f"'{value}'"


def term_text(term: Term) -> str:
    amount = term.text or str(term.amount)
    return f"{term.resource}={amount}" + (f"/{term.per}" if term.per is not None else "")


def terms_text(terms: tuple[Term, ...]) -> str:
    return ", ".join(term_text(term) for term in terms)


def order_text(keys: tuple[OrderKey, ...]) -> str:
    return ":".join(f"-{key.name}" if key.reversed else key.name for key in keys)


def span_text(span: Span) -> str:
    return span.kind if span.count is None else f"{span.kind}={span.count}"


def _simple_text(needs: Simple) -> str:
    sections = {
        "select": expr_text(needs.select) if needs.select is not None else "",
        "order": order_text(needs.order),
        "rusage": terms_text(needs.rusage),
        "span": span_text(needs.span) if needs.span is not None else "",
        "same": ":".join(needs.same),
    }
    return " ".join(f"{name}[{text}]" for name, text in sections.items() if text)


def to_text(resreq: Resreq) -> str:
    """The whole requirement; "" for one that asks for nothing."""
    match resreq:
        case Simple():
            return _simple_text(resreq)
        case Compound(parts=parts):
            return " + ".join(f"{part.tasks}*{{{_simple_text(part.needs)}}}" for part in parts)
        case Alternative(choices=choices):
            texts = [f"{{{to_text(choice.needs)}}}{_delay_text(choice.delay_s)}" for choice in choices]
            return " || ".join(texts)


def _delay_text(seconds: int) -> str:
    return f"@{format_duration(seconds)}" if seconds else ""
