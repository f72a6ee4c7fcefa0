"""Expressions of `select`: precedence, and types checked while parsing."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from xcelib.errors import Usage, did_you_mean
from xcelib.quantity import MemoryUnit, parse_size
from xcelib.resreq.ast import Attribute, Binary, BinaryOp, Defined, Expr, Negative, Not, Number, Text, Truth
from xcelib.resreq.descriptors import Descriptor
from xcelib.resreq.lexer import GrammarError, Token, tokens

NODES_MAX = 256
DEPTH_MAX = 32

# "word" is a name that no descriptor has: a string where it is compared with one, an error elsewhere.
Type = Literal["string", "number", "size", "boolean", "word"]

_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


class Typed(NamedTuple):
    expr: Expr
    type: Type
    column: int


class Cursor:
    """The tokens and where the parser is; all grammars of a requirement share it."""

    def __init__(self, text: str, known: Mapping[str, Descriptor], memory_unit: MemoryUnit) -> None:
        self.text = text
        self.known = known
        self.memory_unit: MemoryUnit = memory_unit
        self._tokens = tokens(text)
        self._at = 0
        self._nodes = 0

    @property
    def token(self) -> Token:
        return self._tokens[self._at]

    def peek(self, ahead: int = 1) -> Token:
        return self._tokens[min(self._at + ahead, len(self._tokens) - 1)]

    def advance(self) -> Token:
        token = self.token
        self._at += token.kind != "end"
        return token

    def takes(self, *signs: str) -> Token | None:
        token = self.token
        if token.kind == "sign" and token.text in signs:
            return self.advance()
        return None

    def need(self, sign: str, *, hint: str = "") -> None:
        if self.takes(sign) is None:
            raise self.error(f"expected `{sign}`{self._found()}", hint=hint)

    def _found(self) -> str:
        return f", found `{self.token.text}`" if self.token.kind != "end" else ", found the end"

    def expected(self, what: str, *, hint: str = "") -> GrammarError:
        return self.error(f"expected {what}{self._found()}", hint=hint)

    def error(self, what: str, *, column: int | None = None, hint: str = "", code: str | None = None) -> GrammarError:
        where = self.token.column if column is None else column
        return GrammarError(text=self.text, column=where, expected=what, hint=hint, code=code)

    def count_node(self, depth: int) -> None:
        self._nodes += 1
        if self._nodes > NODES_MAX:
            raise self.error(f"the requirement has more than {NODES_MAX} parts")
        if depth > DEPTH_MAX:
            raise self.error(f"the requirement nests deeper than {DEPTH_MAX} levels")

    def unknown(self, name: str, column: int) -> GrammarError:
        hints = did_you_mean(name, self.known, otherwise=f"write '{name}' in quotes if it is a text")
        return self.error(f"no attribute is named `{name}`", column=column, hint=hints[0], code="unknown_attribute")

    def size(self, token: Token) -> int:
        """The bytes of a literal, with its unit or the configuration's; the error shows its place."""
        try:
            return parse_size(token.text, memory_unit=self.memory_unit)
        except Usage as error:
            hint = error.hints[0] if error.hints else ""
            raise self.error(error.message, column=token.column, hint=hint, code=error.code) from error


def parse_expression(cursor: Cursor) -> Expr:
    """A whole boolean expression."""
    return _boolean(cursor, _either(cursor, 0))


def _boolean(cursor: Cursor, typed: Typed) -> Expr:
    """The expression where true or false is wanted; a bare boolean or string attribute means "has it"."""
    if typed.type == "word":
        assert isinstance(typed.expr, Text)
        if typed.expr.value.lower() in ("and", "or", "not"):
            raise cursor.error("operators are signs", column=typed.column, hint="write `&&`, `||` and `!`")
        raise cursor.unknown(typed.expr.value, typed.column)
    if typed.type == "boolean" or (typed.type == "string" and isinstance(typed.expr, Attribute)):
        return typed.expr
    what = typed.expr.name if isinstance(typed.expr, Attribute) else "it"
    example = f"`{what} > 4G`" if typed.type == "size" else f"`{what} > 4`"
    hint = f"compare it, for example {example}" if isinstance(typed.expr, Attribute) else ""
    raise cursor.error(
        f"a {typed.type} is neither true nor false", column=typed.column, hint=hint, code="type_mismatch"
    )


def _either(cursor: Cursor, depth: int) -> Typed:
    return _joined(cursor, depth, "||")


def _joined(cursor: Cursor, depth: int, op: Literal["||", "&&"]) -> Typed:
    part = _comparison if op == "&&" else lambda cursor, depth: _joined(cursor, depth, "&&")
    left = part(cursor, depth)
    while cursor.takes(op):
        cursor.count_node(depth)
        right = part(cursor, depth)
        joined = Binary(op, _boolean(cursor, left), _boolean(cursor, right))
        left = Typed(joined, "boolean", left.column)
    return left


def _comparison(cursor: Cursor, depth: int) -> Typed:
    left = _sum(cursor, depth)
    sign = cursor.takes(*_COMPARISONS)
    if sign is None:
        hints = {"=": "==", "=>": ">=", "=<": "<="}
        if cursor.token.text in hints:
            hint = f"write `{hints[cursor.token.text]}`"
            raise cursor.error(f"`{cursor.token.text}` is no operator", hint=hint)
        return left
    cursor.count_node(depth)
    right = _sum(cursor, depth)
    left, right = _comparable(cursor, left, right, sign)
    if cursor.token.text in _COMPARISONS:
        raise cursor.error("comparisons do not chain", hint="join two of them with `&&`")
    op: BinaryOp = sign.text  # type: ignore[assignment]  # one of the comparisons
    return Typed(Binary(op, left.expr, right.expr), "boolean", left.column)


def _comparable(cursor: Cursor, left: Typed, right: Typed, sign: Token) -> tuple[Typed, Typed]:
    """Both sides as one type, or an error at the place of the wrong one."""
    if left.type == "word" and right.type == "string":
        left = left._replace(type="string")
    elif right.type == "word" and left.type == "string":
        right = right._replace(type="string")
    for side in (left, right):
        if side.type == "word":
            assert isinstance(side.expr, Text)
            raise cursor.unknown(side.expr.value, side.column)
    left, right = _with_units(cursor, left, right)
    if left.type != right.type:
        message = f"a {left.type} cannot be compared with a {right.type}"
        raise cursor.error(message, column=right.column, code="type_mismatch")
    if left.type in ("boolean",) and sign.text not in ("==", "!="):
        raise cursor.error(f"true and false have no order for `{sign.text}`", column=sign.column, code="type_mismatch")
    return left, right


def _with_units(cursor: Cursor, left: Typed, right: Typed) -> tuple[Typed, Typed]:
    """A bare number beside a size is a size, by the configuration's unit; without one it is an error."""
    if {left.type, right.type} != {"size", "number"}:
        return left, right
    return _as_size(cursor, left), _as_size(cursor, right)


def _as_size(cursor: Cursor, side: Typed) -> Typed:
    if side.type == "size" or not isinstance(side.expr, Number):
        return side
    value = cursor.size(Token("number", side.expr.text, side.column))
    return Typed(Number(value, side.expr.text), "size", side.column)


def _sum(cursor: Cursor, depth: int) -> Typed:
    left = _product(cursor, depth)
    while sign := cursor.takes("+", "-"):
        cursor.count_node(depth)
        right = _product(cursor, depth)
        left, right = _with_units(cursor, _numeric(cursor, left), _numeric(cursor, right))
        if left.type != right.type:
            raise cursor.error(
                f"a {left.type} and a {right.type} do not add up", column=right.column, code="type_mismatch"
            )
        op: BinaryOp = sign.text  # type: ignore[assignment]
        left = Typed(Binary(op, left.expr, right.expr), left.type, left.column)
    return left


def _product(cursor: Cursor, depth: int) -> Typed:
    left = _unary(cursor, depth)
    while sign := cursor.takes("*", "/"):
        cursor.count_node(depth)
        right = _numeric(cursor, _unary(cursor, depth))
        left = _numeric(cursor, left)
        op: BinaryOp = sign.text  # type: ignore[assignment]
        left = Typed(Binary(op, left.expr, right.expr), _product_type(cursor, left, right, sign), left.column)
    return left


def _product_type(cursor: Cursor, left: Typed, right: Typed, sign: Token) -> Type:
    sizes = (left.type == "size", right.type == "size")
    if sizes == (True, True):
        if sign.text == "*":
            raise cursor.error("two sizes cannot be multiplied", column=sign.column, code="type_mismatch")
        return "number"
    if sizes == (False, True) and sign.text == "/":
        raise cursor.error("a number cannot be divided by a size", column=sign.column, code="type_mismatch")
    return "size" if any(sizes) else "number"


def _numeric(cursor: Cursor, typed: Typed) -> Typed:
    if typed.type == "word":
        assert isinstance(typed.expr, Text)
        raise cursor.unknown(typed.expr.value, typed.column)
    if typed.type not in ("number", "size"):
        raise cursor.error(f"a {typed.type} is no number", column=typed.column, code="type_mismatch")
    return typed


def _unary(cursor: Cursor, depth: int) -> Typed:
    cursor.count_node(depth)
    column = cursor.token.column
    if cursor.takes("!"):
        operand = _unary(cursor, depth + 1)
        return Typed(Not(_boolean(cursor, operand)), "boolean", column)
    if cursor.takes("-"):
        operand = _numeric(cursor, _unary(cursor, depth + 1))
        return Typed(Negative(operand.expr), operand.type, column)
    if cursor.takes("("):
        inner = _either(cursor, depth + 1)
        cursor.need(")", hint="a parenthesis is open")
        return inner._replace(column=column)
    return _primary(cursor)


def _primary(cursor: Cursor) -> Typed:
    token = cursor.token
    match token.kind:
        case "number":
            cursor.advance()
            return _literal(cursor, token)
        case "string":
            cursor.advance()
            return Typed(Text(token.text[1:-1]), "string", token.column)
        case "word":
            cursor.advance()
            return _named(cursor, token)
    raise cursor.expected("an attribute, a number or a text")


def _literal(cursor: Cursor, token: Token) -> Typed:
    if token.text[-1].isdigit():
        if len(token.text) > 18:
            raise cursor.error("the number is too long", column=token.column)
        value = float(token.text) if "." in token.text else int(token.text)
        return Typed(Number(value, token.text), "number", token.column)
    return Typed(Number(cursor.size(token), token.text), "size", token.column)


def _named(cursor: Cursor, token: Token) -> Typed:
    if token.text in ("true", "false"):
        return Typed(Truth(token.text == "true"), "boolean", token.column)
    if token.text == "defined" and cursor.token.text == "(":
        cursor.advance()
        name = cursor.token
        if name.kind != "word":
            raise cursor.expected("the name of an attribute")
        if name.text not in cursor.known:
            raise cursor.unknown(name.text, name.column)
        cursor.advance()
        cursor.need(")")
        return Typed(Defined(name.text), "boolean", token.column)
    descriptor = cursor.known.get(token.text)
    if descriptor is None:
        return Typed(Text(token.text), "word", token.column)
    return Typed(Attribute(token.text), descriptor.type, token.column)
