"""What stands between the brackets of `order`, `same`, `rusage` and `span`."""

from typing import Final, get_args

from xcelib.excerpt import shortened
from xcelib.resreq.ast import OrderKey, Per, Span, Term
from xcelib.resreq.cursor import Cursor, near
from xcelib.resreq.descriptors import Descriptor
from xcelib.resreq.errors import GrammarError
from xcelib.resreq.expressions import COMPARISONS, known_name
from xcelib.resreq.lexer import Token

TASKS_MAX: Final = 10_000_000
AMOUNT_DIGITS_MAX: Final = 15
PERS: Final[tuple[Per, ...]] = get_args(Per)
LATER_TERMS: Final = ("duration", "decay")
SPANS: Final = ("hosts", "ptile", "block", "stripe")


def whole(cursor: Cursor, what: str, *, least: int, most: int) -> int:
    """A number without unit or fraction; it is behind the cursor then."""
    token = cursor.token
    if not token.is_bare or "." in token.text:
        raise cursor.expected(what)
    if len(token.text) > len(str(most)) or not least <= int(token.text) <= most:
        raise cursor.expected(f"{what} from {least} to {most}")
    return int(cursor.advance().text)


def order(cursor: Cursor) -> tuple[OrderKey, ...]:
    keys: list[OrderKey] = []
    while True:
        is_reversed = cursor.takes("-") is not None
        name = known_name(cursor, "order")
        if any(key.name == name.text for key in keys):
            raise cursor.error(f"`{name.text}` stands twice in the order", column=name.column)
        keys.append(OrderKey(name.text, is_reversed))
        if not cursor.takes(":"):
            return tuple(keys)


def same(cursor: Cursor) -> tuple[str, ...]:
    names = [known_name(cursor, "same").text]
    while cursor.takes(":", ","):
        names.append(known_name(cursor, "same").text)
    return tuple(dict.fromkeys(names))


def terms(cursor: Cursor) -> tuple[Term, ...]:
    found: list[Term] = []
    while True:
        token = cursor.token
        term = _term(cursor)
        if any(other.resource == term.resource for other in found):
            raise cursor.error(f"`{term.resource}` is reserved twice", column=token.column)
        found.append(term)
        if not cursor.takes(",", ":"):
            return tuple(found)


def _term(cursor: Cursor) -> Term:
    cursor.count_node(0)
    descriptor = _counter(cursor)
    name = descriptor.name
    if cursor.token.text in COMPARISONS:
        hint = f"`rusage` reserves an amount: write `{name}=AMOUNT`"
        raise cursor.expected("`=`", hint=hint)
    cursor.need("=", hint=f"write an amount, as in `{name}={'4G' if descriptor.type == 'size' else '1'}`")
    amount, text = _amount(cursor, descriptor)
    return Term(name, amount, _per(cursor), text)


def _counter(cursor: Cursor) -> Descriptor:
    """The resource of a term; its name is behind the cursor then."""
    name = cursor.token
    if name.kind != "word":
        raise cursor.expected("the name of a resource, as in `mem=4G`")
    descriptor = cursor.known.get(name.text)
    if descriptor is None or not descriptor.is_counter:
        raise _no_counter(cursor, name, descriptor)
    cursor.advance()
    return descriptor


def _no_counter(cursor: Cursor, name: Token, descriptor: Descriptor | None) -> GrammarError:
    if descriptor is not None:
        message = f"`{name.text}` is a fact about a host and cannot be reserved"
        return cursor.error(message, hint="use it in `select`", code="unknown_resource")
    if name.text in LATER_TERMS and cursor.peek().text == "=":
        return cursor.error(f"`{name.text}=` is not supported yet", code="not_supported_yet")
    counters = sorted(each.name for each in cursor.known.values() if each.is_counter)
    hint = near(name.text, counters, otherwise=f"resources are {', '.join(counters)}")
    return cursor.error(f"no resource is named `{shortened(name.text)}`", hint=hint, code="unknown_resource")


def _amount(cursor: Cursor, descriptor: Descriptor) -> tuple[int | float, str]:
    token = cursor.token
    if token.kind != "number":
        raise cursor.expected(f"an amount of `{descriptor.name}`, 0 or more")
    if descriptor.type == "size":
        amount = cursor.size(token)
    elif not token.is_bare:
        raise cursor.error(f"`{descriptor.name}` is counted and has no unit", hint=f"write `{descriptor.name}=1`")
    elif "." in token.text or len(token.text) > AMOUNT_DIGITS_MAX:
        rule = f"in whole numbers of at most {AMOUNT_DIGITS_MAX} digits"
        raise cursor.error(f"`{descriptor.name}` is counted {rule}")
    else:
        amount = int(token.text)
    cursor.advance()
    return amount, token.text


def _per(cursor: Cursor) -> Per | None:
    if not cursor.takes("/"):
        return None
    for per in PERS:
        if cursor.token.text == per:
            cursor.advance()
            return per
    raise cursor.expected("`task`, `job` or `host`", hint=near(cursor.token.text, PERS))


def span(cursor: Cursor) -> Span:
    token = cursor.token
    if token.kind != "word" or token.text not in SPANS:
        raise cursor.expected("`hosts=1`, `ptile=N`, `block=N` or `stripe`", hint=near(token.text, SPANS))
    cursor.advance()
    if not cursor.takes("="):
        if token.text == "stripe":
            return Span("stripe")
        raise cursor.expected("`=` and a number")
    match token.text:
        case "hosts":
            return Span("hosts", _one_host_or_none(cursor))
        case "ptile":
            return Span("ptile", _tile(cursor))
        case "block":
            return Span("block", _tasks(cursor))
    return Span("stripe", _tasks(cursor))


def _one_host_or_none(cursor: Cursor) -> int:
    """`1`, or `-1` for no span."""
    is_none = cursor.takes("-") is not None
    if cursor.token.text != "1":
        hint = "for a number of tasks on each host write `ptile=N`"
        raise cursor.expected("`hosts=1` (one host) or `hosts=-1` (no span)", hint=hint)
    cursor.advance()
    return -1 if is_none else 1


def _tile(cursor: Cursor) -> int:
    if cursor.token.text in ("!", "'!'", '"!"'):
        raise cursor.error("`ptile='!'` is not supported yet", hint="write a number", code="not_supported_yet")
    return _tasks(cursor)


def _tasks(cursor: Cursor) -> int:
    return whole(cursor, "a number of tasks", least=1, most=TASKS_MAX)
