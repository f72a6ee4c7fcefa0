"""From text to tree. Every error has a place, every construct a bound, and nothing parses by luck.

resreq      := compound | alternative | simple
compound    := N "*{" simple "}" ("+" N "*{" simple "}")+
alternative := "{" (simple|compound) "}" ("||" "{" ... "}" ["@" DELAY])+
simple      := section*        each at most once; a bare expression is select[...]
"""

from collections.abc import Mapping

from xcelib.errors import Usage, did_you_mean
from xcelib.quantity import MemoryUnit, parse_duration
from xcelib.resreq.ast import (
    Alternative,
    Choice,
    Compound,
    Expr,
    OrderKey,
    Part,
    Per,
    Resreq,
    Simple,
    Span,
    Term,
)
from xcelib.resreq.descriptors import BUILTINS, Descriptor
from xcelib.resreq.expressions import Cursor, parse_expression
from xcelib.resreq.lexer import GrammarError, Token

SECTIONS = ("select", "order", "rusage", "span", "same")
LATER_SECTIONS = {"cu": "topology", "affinity": "binding to cores"}
TASKS_MAX = 10_000_000

Known = Mapping[str, Descriptor]


def parse(text: str, *, known: Known = BUILTINS, memory_unit: MemoryUnit = "required") -> Resreq:
    """The tree of a whole requirement. Raises `GrammarError` (a `Usage`) that shows the place."""
    cursor = Cursor(text, known, memory_unit)
    parsed: Resreq
    if cursor.token.text == "{":
        parsed = _alternative(cursor)
    elif _begins_part(cursor):
        parsed = _compound(cursor)
    else:
        parsed = _simple(cursor)
    _need_end(cursor)
    return parsed


def parse_select(text: str, *, known: Known = BUILTINS, memory_unit: MemoryUnit = "required") -> Expr:
    """The expression alone, as a profile's `select` has it."""
    cursor = Cursor(text, known, memory_unit)
    parsed = parse_expression(cursor)
    _need_end(cursor)
    return parsed


def parse_terms(text: str, *, known: Known = BUILTINS, memory_unit: MemoryUnit = "required") -> tuple[Term, ...]:
    cursor = Cursor(text, known, memory_unit)
    parsed = _terms(cursor)
    _need_end(cursor)
    return parsed


def parse_span(text: str) -> Span:
    cursor = Cursor(text, BUILTINS, "required")
    parsed = _span(cursor)
    _need_end(cursor)
    return parsed


def parse_order(text: str, *, known: Known = BUILTINS) -> tuple[OrderKey, ...]:
    cursor = Cursor(text, known, "required")
    parsed = _order(cursor)
    _need_end(cursor)
    return parsed


def parse_same(text: str, *, known: Known = BUILTINS) -> tuple[str, ...]:
    cursor = Cursor(text, known, "required")
    parsed = _same(cursor)
    _need_end(cursor)
    return parsed


def _need_end(cursor: Cursor) -> None:
    token = cursor.token
    if token.kind == "end":
        return
    hint = ""
    if token.text.lower() in ("and", "or", "not"):
        hint = "write `&&`, `||` and `!`"
    elif token.text == "]":
        hint = "there is no `[` for it"
    raise cursor.expected("the end", hint=hint)


# --- compound and alternative ---------------------------------------------------------------------------------------


def _begins_part(cursor: Cursor) -> bool:
    ahead = [cursor.token, cursor.peek(1), cursor.peek(2)]
    return ahead[0].kind == "number" and ahead[1].text == "*" and ahead[2].text == "{"


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
    tasks = _whole(cursor, "a number of tasks", least=1, most=TASKS_MAX)
    cursor.need("*")
    return Part(tasks, _braced_simple(cursor))


def _braced_simple(cursor: Cursor) -> Simple:
    cursor.need("{")
    cursor.count_node(0)
    needs = _simple(cursor)
    cursor.need("}")
    return needs


def _alternative(cursor: Cursor) -> Alternative:
    choices = [_choice(cursor, is_first=True)]
    while cursor.takes("||"):
        choices.append(_choice(cursor, is_first=False))
    if len(choices) < 2:
        raise cursor.expected("`||` and a second choice", hint="for one choice write the requirement without `{}`")
    return Alternative(tuple(choices))


def _choice(cursor: Cursor, *, is_first: bool) -> Choice:
    cursor.need("{")
    cursor.count_node(0)
    needs = _compound(cursor) if _begins_part(cursor) else _simple(cursor)
    cursor.need("}")
    at = cursor.takes("@")
    if at is None:
        return Choice(needs)
    if is_first:
        raise cursor.error("the first choice has no delay", column=at.column)
    token = cursor.advance()
    try:
        return Choice(needs, parse_duration(token.text))
    except Usage as error:
        raise cursor.error(error.message, column=token.column, hint=error.hints[0] if error.hints else "") from error


# --- simple ---------------------------------------------------------------------------------------------------------


def _simple(cursor: Cursor) -> Simple:
    if cursor.token.kind == "end" or cursor.token.text == "}":
        return Simple()
    if cursor.token.kind != "word" or cursor.peek().text != "[":
        return Simple(select=parse_expression(cursor))
    found: dict[str, object] = {}
    while cursor.token.kind == "word" and cursor.peek().text == "[":
        section = cursor.token
        if section.text not in SECTIONS:
            raise _unknown_section(cursor, section)
        if section.text in found:
            raise cursor.error(f"the section `{section.text}` stands twice")
        cursor.advance()
        cursor.need("[")
        found[section.text] = _section(cursor, section.text)
        cursor.need("]", hint=f"the bracket of `{section.text}[` is open")
    return Simple(**found)  # type: ignore[arg-type]  # each section's parser gives its field's type


def _section(cursor: Cursor, name: str) -> object:
    match name:
        case "select":
            return parse_expression(cursor)
        case "order":
            return _order(cursor)
        case "rusage":
            return _terms(cursor)
        case "span":
            return _span(cursor)
    return _same(cursor)


def _unknown_section(cursor: Cursor, section: Token) -> GrammarError:
    if section.text in LATER_SECTIONS:
        what = f"`{section.text}` ({LATER_SECTIONS[section.text]}) is not supported yet"
        return cursor.error(what, code="not_supported_yet")
    hints = did_you_mean(section.text, SECTIONS, otherwise=f"sections are {', '.join(SECTIONS)}")
    return cursor.error(f"there is no section `{section.text}`", hint=hints[0])


def _whole(cursor: Cursor, what: str, *, least: int, most: int) -> int:
    token = cursor.token
    if token.kind != "number" or not token.text.isdigit() or len(token.text) > 9:
        raise cursor.expected(what)
    if not least <= int(token.text) <= most:
        raise cursor.error(f"expected {what} from {least} to {most}")
    cursor.advance()
    return int(token.text)


def _order(cursor: Cursor) -> tuple[OrderKey, ...]:
    keys: list[OrderKey] = []
    while True:
        is_reversed = cursor.takes("-") is not None
        name = _known_name(cursor, "order")
        if any(key.name == name.text for key in keys):
            raise cursor.error(f"`{name.text}` stands twice in the order", column=name.column)
        keys.append(OrderKey(name.text, is_reversed))
        if not cursor.takes(":"):
            return tuple(keys)


def _same(cursor: Cursor) -> tuple[str, ...]:
    names = [_known_name(cursor, "same").text]
    while cursor.takes(":", ","):
        names.append(_known_name(cursor, "same").text)
    return tuple(dict.fromkeys(names))


def _known_name(cursor: Cursor, where: str) -> Token:
    token = cursor.token
    if token.kind != "word":
        raise cursor.expected(f"the name of an attribute in `{where}`")
    if token.text not in cursor.known:
        raise cursor.unknown(token.text, token.column)
    return cursor.advance()


def _terms(cursor: Cursor) -> tuple[Term, ...]:
    terms: list[Term] = []
    while True:
        token = cursor.token
        term = _term(cursor)
        if any(other.resource == term.resource for other in terms):
            raise cursor.error(f"`{term.resource}` is reserved twice", column=token.column)
        terms.append(term)
        if not cursor.takes(",", ":"):
            return tuple(terms)


def _term(cursor: Cursor) -> Term:
    name = cursor.token
    if name.kind != "word":
        raise cursor.expected("the name of a resource, as in `mem=4G`")
    if name.text in ("duration", "decay") and cursor.peek().text == "=":
        raise cursor.error(f"`{name.text}=` is not supported yet", code="not_supported_yet")
    descriptor = cursor.known.get(name.text)
    if descriptor is None or not descriptor.is_counter:
        raise _no_counter(cursor, name, descriptor)
    cursor.advance()
    if cursor.takes("==", ">=", ">", "<", "<="):
        raise cursor.error(
            "`rusage` reserves an amount", column=cursor.token.column, hint=f"write `{name.text}=AMOUNT`"
        )
    cursor.need("=", hint=f"write an amount, as in `{name.text}={'4G' if descriptor.type == 'size' else '1'}`")
    cursor.count_node(0)
    amount, text = _amount(cursor, descriptor)
    return Term(name.text, amount, _per(cursor), text)


def _no_counter(cursor: Cursor, name: Token, descriptor: Descriptor | None) -> GrammarError:
    counters = [each.name for each in cursor.known.values() if each.is_counter]
    if descriptor is not None:
        message = f"`{name.text}` is a fact about a host and cannot be reserved"
        return cursor.error(message, hint="use it in `select`", code="unknown_resource")
    hints = did_you_mean(name.text, counters, otherwise=f"resources are {', '.join(sorted(counters))}")
    return cursor.error(f"no resource is named `{name.text}`", hint=hints[0], code="unknown_resource")


def _amount(cursor: Cursor, descriptor: Descriptor) -> tuple[int | float, str]:
    token = cursor.token
    if token.kind != "number":
        raise cursor.expected(f"an amount of `{descriptor.name}`, 0 or more")
    if descriptor.type == "size":
        amount: int | float = cursor.size(token)
    elif not token.text[-1].isdigit():
        raise cursor.error(f"`{descriptor.name}` is counted and has no unit", hint=f"write `{descriptor.name}=1`")
    elif "." in token.text or len(token.text) > 15:
        raise cursor.error(f"`{descriptor.name}` is counted in whole numbers below 10^15")
    else:
        amount = int(token.text)
    cursor.advance()
    return amount, token.text


def _per(cursor: Cursor) -> Per | None:
    if not cursor.takes("/"):
        return None
    token = cursor.token
    if token.text not in ("task", "job", "host"):
        hints = did_you_mean(token.text, ("task", "job", "host"))
        raise cursor.expected("`task`, `job` or `host`", hint=hints[0] if hints else "")
    cursor.advance()
    per: Per = token.text  # type: ignore[assignment]  # one of the three
    return per


def _span(cursor: Cursor) -> Span:
    token = cursor.token
    kind = token.text
    if kind not in ("hosts", "ptile", "block", "stripe"):
        raise cursor.expected("`hosts=1`, `ptile=N`, `block=N` or `stripe`")
    cursor.advance()
    if not cursor.takes("="):
        if kind == "stripe":
            return Span("stripe")
        raise cursor.expected("`=` and a number")
    if (kind == "ptile" and cursor.token.kind in ("string", "word")) or cursor.token.text == "!":
        raise cursor.error("`ptile='!'` is not supported yet", code="not_supported_yet")
    if kind == "hosts":
        is_none = cursor.takes("-") is not None
        if _whole(cursor, "1 (one host) or -1 (no span)", least=1, most=1):
            return Span("hosts", -1 if is_none else 1)
    return Span(kind, _whole(cursor, "a number of tasks", least=1, most=TASKS_MAX))  # type: ignore[arg-type]
