"""Expressions of `select`: precedence, and types checked while parsing."""

from typing import Final, Literal, NamedTuple

from xcelib.resreq.ast import Attribute, Binary, BinaryOp, Defined, Expr, Negative, Not, Number, Text, Truth
from xcelib.resreq.cursor import Cursor
from xcelib.resreq.errors import GrammarError
from xcelib.resreq.lexer import Token

# "word" is a name that no descriptor has: a text on the right of a string attribute, an error elsewhere.
Type = Literal["string", "number", "size", "boolean", "word"]

COMPARISONS: Final = ("==", "!=", "<", "<=", ">", ">=")
SLIPS: Final = {"=": "==", "=>": ">=", "=<": "<="}
WORDS: Final = {"and": "&&", "or": "||", "not": "!"}


class Typed(NamedTuple):
    expr: Expr
    type: Type
    column: int


def parse_expression(cursor: Cursor) -> Expr:
    """A whole boolean expression."""
    return _boolean(cursor, _either(cursor, 0))


def _boolean(cursor: Cursor, typed: Typed) -> Expr:
    """The expression where true or false is wanted; a bare boolean or string attribute means "has it"."""
    if typed.type == "boolean" or (typed.type == "string" and isinstance(typed.expr, Attribute)):
        return typed.expr
    if typed.type == "word":
        raise _misplaced_word(cursor, typed)
    example, hint = "4G" if typed.type == "size" else "4", ""
    if isinstance(typed.expr, Attribute):
        hint = f"compare it, for example `{typed.expr.name} > {example}`"
    message = f"a {typed.type} is neither true nor false"
    raise cursor.error(message, column=typed.column, hint=hint, code="type_mismatch")


def _misplaced_word(cursor: Cursor, typed: Typed) -> GrammarError:
    assert isinstance(typed.expr, Text)  # as every word is
    word = typed.expr.value
    if word.lower() in WORDS:
        return cursor.error(f"`{word}` is no operator", column=typed.column, hint=f"write `{WORDS[word.lower()]}`")
    if word.lower() == "defined":
        return cursor.error("expected `(` after `defined`", column=typed.column, hint="write `defined(NAME)`")
    return cursor.unknown(word, typed.column)


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
    sign = cursor.takes(*COMPARISONS)
    if sign is None:
        if cursor.token.text in SLIPS:
            slip = cursor.token.text
            raise cursor.error(f"`{slip}` is no operator", hint=f"write `{SLIPS[slip]}`")
        return left
    cursor.count_node(depth)
    right = _sum(cursor, depth)
    left, right = _comparable(cursor, left, right, sign)
    if cursor.token.text in COMPARISONS:
        raise cursor.error("comparisons do not chain", hint="join two of them with `&&`")
    op: BinaryOp = sign.text  # type: ignore[assignment]  # one of the comparisons
    return Typed(Binary(op, left.expr, right.expr), "boolean", left.column)


def _comparable(cursor: Cursor, left: Typed, right: Typed, sign: Token) -> tuple[Typed, Typed]:
    """Both sides as one type, or an error at the place of the wrong one."""
    if right.type == "word" and left.type == "string" and isinstance(left.expr, Attribute):
        return left, right._replace(type="string")
    for side in (left, right):
        if side.type == "word":
            raise _misplaced_word(cursor, side)
    left, right = _with_units(cursor, left, right)
    if left.type != right.type:
        message = f"a {left.type} cannot be compared with a {right.type}"
        raise cursor.error(message, column=right.column, hint=_mismatch_hint(left, right), code="type_mismatch")
    if left.type == "boolean" and sign.text not in ("==", "!="):
        raise cursor.error(f"true and false have no order for `{sign.text}`", column=sign.column, code="type_mismatch")
    return left, right


def _mismatch_hint(left: Typed, right: Typed) -> str:
    """The way out of comparing two types, where there is one."""
    if isinstance(left.expr, Not):
        return "`!` binds first: write `!(...)` round the comparison"
    if {left.type, right.type} == {"number", "size"}:
        return "a size has a unit, a number has none"
    if left.type == "string":
        match right.expr:
            case Number(text=written) | Attribute(name=written):
                return f"write `'{written}'` in quotes if it is a text"
            case Truth(value=value):
                return f"write `'{str(value).lower()}'` in quotes if it is a text"
    return ""


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
        raise _misplaced_word(cursor, typed)
    if typed.type not in ("number", "size"):
        raise cursor.error(f"a {typed.type} is no number", column=typed.column, code="type_mismatch")
    return typed


def _unary(cursor: Cursor, depth: int) -> Typed:
    cursor.count_node(depth)
    column = cursor.token.column
    if cursor.takes("!"):
        return _negation(cursor, _unary(cursor, depth + 1), column)
    if cursor.takes("-"):
        operand = _numeric(cursor, _unary(cursor, depth + 1))
        return Typed(Negative(operand.expr), operand.type, column)
    if cursor.takes("("):
        inner = _either(cursor, depth + 1)
        cursor.need(")", hint="a parenthesis is open")
        return inner._replace(column=column)
    return _primary(cursor)


def _negation(cursor: Cursor, operand: Typed, column: int) -> Typed:
    if operand.type in ("number", "size") and cursor.token.text in COMPARISONS:
        message, hint = f"a {operand.type} is neither true nor false", "write `!(...)` round the comparison"
        raise cursor.error(message, column=operand.column, hint=hint, code="type_mismatch")
    return Typed(Not(_boolean(cursor, operand)), "boolean", column)


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
    if not token.is_bare:
        return Typed(Number(cursor.size(token), token.text), "size", token.column)
    if len(token.text) > 18:
        raise cursor.error("the number is too long, at most 18 characters", column=token.column)
    value = float(token.text) if "." in token.text else int(token.text)
    return Typed(Number(value, token.text), "number", token.column)


def _named(cursor: Cursor, token: Token) -> Typed:
    if token.text in ("true", "false"):
        return Typed(Truth(token.text == "true"), "boolean", token.column)
    if token.text == "defined" and cursor.takes("("):
        name = known_name(cursor, "defined")
        cursor.need(")")
        return Typed(Defined(name.text), "boolean", token.column)
    descriptor = cursor.known.get(token.text)
    if descriptor is None:
        return Typed(Text(token.text), "word", token.column)
    return Typed(Attribute(token.text), descriptor.type, token.column)


def known_name(cursor: Cursor, where: str) -> Token:
    """The name of an attribute that exists; it is behind the cursor then."""
    token = cursor.token
    if token.kind != "word":
        raise cursor.expected(f"the name of an attribute in `{where}`")
    if token.text not in cursor.known:
        raise cursor.unknown(token.text, token.column)
    return cursor.advance()
