"""From text to tree. Every error has a place, every construct a bound, and nothing parses by luck.

resreq      := compound | alternative | simple
compound    := N "*{" simple "}" ("+" N "*{" simple "}")+
alternative := "{" (simple|compound) "}" ("||" "{" ... "}" ["@" DELAY])+
simple      := section*        each at most once; a bare expression is select[...]
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from xcelib.errors import Usage
from xcelib.excerpt import shortened
from xcelib.quantity import MemoryUnit, parse_duration
from xcelib.resreq import bodies
from xcelib.resreq.ast import Alternative, Choice, Compound, Expr, OrderKey, Part, Resreq, Simple, Span, Term
from xcelib.resreq.cursor import Cursor, near
from xcelib.resreq.descriptors import BUILTINS, Descriptor
from xcelib.resreq.errors import GrammarError
from xcelib.resreq.expressions import SLIPS, WORDS, parse_expression
from xcelib.resreq.lexer import Token

# Each section's parser, and what its items are parted by.
SECTIONS: Final[Mapping[str, tuple[Callable[[Cursor], object], str]]] = {
    "select": (parse_expression, "join expressions with `&&` or `||`"),
    "order": (bodies.order, "part names with `:`"),
    "rusage": (bodies.terms, "part terms with `,`"),
    "span": (bodies.span, "only one span can be asked for"),
    "same": (bodies.same, "part names with `:`"),
}
LATER_SECTIONS: Final = {"cu": "topology", "affinity": "binding to cores"}

Known = Mapping[str, Descriptor]
T = TypeVar("T")


def parse(text: str, *, known: Known = BUILTINS, memory_unit: MemoryUnit = "required") -> Resreq:
    """The tree of a whole requirement. Raises `GrammarError` (a `Usage`) that shows the place."""
    return _whole_text(_requirement, text, known, memory_unit)


def parse_select(text: str, *, known: Known = BUILTINS, memory_unit: MemoryUnit = "required") -> Expr:
    """The expression alone, as a profile's `select` has it. Raises as `parse`, as all of these do."""
    return _whole_text(parse_expression, text, known, memory_unit)


def parse_terms(text: str, *, known: Known = BUILTINS, memory_unit: MemoryUnit = "required") -> tuple[Term, ...]:
    return _whole_text(bodies.terms, text, known, memory_unit)


def parse_span(text: str) -> Span:
    return _whole_text(bodies.span, text, BUILTINS, "required")


def parse_order(text: str, *, known: Known = BUILTINS) -> tuple[OrderKey, ...]:
    return _whole_text(bodies.order, text, known, "required")


def parse_same(text: str, *, known: Known = BUILTINS) -> tuple[str, ...]:
    return _whole_text(bodies.same, text, known, "required")


def _whole_text(rule: Callable[[Cursor], T], text: str, known: Known, memory_unit: MemoryUnit) -> T:
    cursor = Cursor(text, known, memory_unit)
    parsed = rule(cursor)
    if cursor.token.kind != "end":
        raise cursor.expected("the end", hint=_leftover_hint(cursor))
    return parsed


def _leftover_hint(cursor: Cursor, otherwise: str = "") -> str:
    """Why something is left where a rule has ended."""
    token = cursor.token
    if token.text.lower() in WORDS:
        return f"write `{WORDS[token.text.lower()]}`"
    if token.text in SLIPS:
        return f"write `{SLIPS[token.text]}`"
    if token.text == "||":
        return "choices stand in braces: `{...} || {...}`"
    if token.text in ("]", ")", "}"):
        return f"nothing opens this `{token.text}`"
    if token.text in SECTIONS and cursor.peek().text == "[":
        return "beside other sections write the expression as `select[...]`"
    return otherwise


# --- compound and alternative ---------------------------------------------------------------------------------------


def _requirement(cursor: Cursor) -> Resreq:
    if cursor.token.text == "{":
        return _alternative(cursor)
    return _compound(cursor) if _begins_part(cursor) else _simple(cursor)


def _begins_part(cursor: Cursor) -> bool:
    return cursor.token.kind == "number" and cursor.peek(1).text == "*" and cursor.peek(2).text == "{"


def _compound(cursor: Cursor) -> Compound:
    parts = [_part(cursor)]
    while cursor.takes("+"):
        parts.append(_part(cursor))
    if len(parts) < 2:
        raise cursor.expected("`+` and a second part", hint="for one part write the requirement alone, and `--tasks`")
    return Compound(tuple(parts))


def _part(cursor: Cursor) -> Part:
    if not _begins_part(cursor):
        raise cursor.expected("a part such as `2*{mem > 4G}`")
    tasks = bodies.whole(cursor, "a number of tasks", least=1, most=bodies.TASKS_MAX)
    cursor.need("*")
    return Part(tasks, _braced(cursor, _simple))


def _braced(cursor: Cursor, rule: Callable[[Cursor], T]) -> T:
    cursor.need("{")
    cursor.count_node(0)
    needs = rule(cursor)
    cursor.need("}", hint=_leftover_hint(cursor, "the brace is open" if cursor.token.kind == "end" else ""))
    return needs


def _alternative(cursor: Cursor) -> Alternative:
    choices = [_choice(cursor, is_first=True)]
    while cursor.takes("||"):
        choices.append(_choice(cursor, is_first=False))
    if len(choices) < 2:
        raise cursor.expected("`||` and a second choice", hint="for one choice write the requirement without `{}`")
    return Alternative(tuple(choices))


def _choice(cursor: Cursor, *, is_first: bool) -> Choice:
    needs = _braced(cursor, _simple_or_compound)
    at = cursor.takes("@")
    if at is None:
        return Choice(needs)
    if is_first:
        raise cursor.error("the first choice has no delay", column=at.column, hint="put `@` behind a later one")
    return Choice(needs, _delay(cursor))


def _simple_or_compound(cursor: Cursor) -> Simple | Compound:
    return _compound(cursor) if _begins_part(cursor) else _simple(cursor)


def _delay(cursor: Cursor) -> int:
    token = cursor.token
    if token.kind != "number":
        raise cursor.expected("a delay such as `5m`")
    try:
        seconds = parse_duration(token.text)
    except Usage as error:
        hint = error.hints[0] if error.hints else ""
        raise cursor.error(error.message, hint=hint, code=error.code) from error
    cursor.advance()
    return seconds


# --- simple ---------------------------------------------------------------------------------------------------------


def _simple(cursor: Cursor) -> Simple:
    if cursor.token.kind == "end" or cursor.token.text == "}":
        return Simple()
    if not _begins_section(cursor):
        return Simple(select=_bare_expression(cursor))
    found: dict[str, object] = {}
    while _begins_section(cursor):
        name = cursor.token
        if name.text not in SECTIONS:
            raise _unknown_section(cursor, name)
        if name.text in found:
            raise cursor.error(f"the section `{name.text}` stands twice")
        found[name.text] = _section(cursor)
    if cursor.token.text not in ("", "}"):  # "" is the end
        raise cursor.expected("a section", hint=_leftover_hint(cursor, "write an expression as `select[...]`"))
    return Simple(**found)  # type: ignore[arg-type]  # each section's parser gives its field's type


def _bare_expression(cursor: Cursor) -> Expr:
    expr = parse_expression(cursor)
    if cursor.token.kind in ("word", "number", "string"):
        raise cursor.expected("the end", hint=_leftover_hint(cursor, SECTIONS["select"][1]))
    return expr


def _begins_section(cursor: Cursor) -> bool:
    return cursor.token.kind == "word" and cursor.peek().text == "["


def _section(cursor: Cursor) -> object:
    name = cursor.advance().text
    cursor.need("[")
    rule, parting = SECTIONS[name]
    parsed = rule(cursor)
    is_open = cursor.token.kind == "end"
    hint = f"the bracket of `{name}[` is open" if is_open else _leftover_hint(cursor, parting)
    cursor.need("]", hint=hint)
    return parsed


def _unknown_section(cursor: Cursor, name: Token) -> GrammarError:
    if name.text in LATER_SECTIONS:
        what = f"`{name.text}` ({LATER_SECTIONS[name.text]}) is not supported yet"
        return cursor.error(what, code="not_supported_yet")
    hint = near(name.text, SECTIONS, otherwise=f"sections are {', '.join(SECTIONS)}")
    return cursor.error(f"there is no section `{shortened(name.text)}`", hint=hint)
