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
from xcelib.resreq.expressions import COMPARISONS

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*\Z", re.ASCII)
_TAKEN: Final = frozenset((*BUILTINS, "true", "false", "defined", "and", "or", "not"))
_COMPARISON, _UNARY = 3, 6
_STRENGTH: Final = {
    "||": 1,
    "&&": 2,
    **dict.fromkeys(COMPARISONS, _COMPARISON),
    **dict.fromkeys("+-", 4),
    **dict.fromkeys("*/", 5),
}


def expr_text(expr: Expr) -> str:
    """A select expression; what it prints parses to the same tree, with the built-in resources and the same memory unit.

    Where a site declares an attribute, a text of the same name needs quotes, which are not printed here: keep
    such a text as its author wrote it.
    """
    return _text(expr, 0)


def _text(expr: Expr, least: int) -> str:
    """The text, in parentheses where its operator binds less than `least`."""
    match expr:
        case Number(text=text):
            return text
        case Text(value=value):
            return _quoted(value)
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
        case Binary(op=op, left=left):
            strength = _STRENGTH[op]
            is_comparison = strength == _COMPARISON
            text = f"{_text(left, strength + is_comparison)} {op} {_right_text(expr, strength + 1)}"
            return f"({text})" if strength < least else text


def _right_text(binary: Binary, least: int) -> str:
    """A plain word is a text on the right of an attribute alone, so only there it needs no quotes."""
    match binary:
        case Binary(left=Attribute(), right=Text(value=value)) if _PLAIN.match(value) and value not in _TAKEN:
            return value
    return _text(binary.right, least)


def _quoted(value: str) -> str:
    """No text has quotes of both kinds: the grammar has no way to write it."""
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
