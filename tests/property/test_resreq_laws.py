"""Requirements: parse and print are inverse, any text is a tree or an error, and the evaluator never raises."""

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from tests.kit.joined_trees import join_same_layer, override
from xcelib.errors import Usage
from xcelib.quantity import parse_size
from xcelib.resreq import sections
from xcelib.resreq.ast import (
    Alternative,
    Attribute,
    Binary,
    Choice,
    Compound,
    Defined,
    Expr,
    Negative,
    Not,
    Number,
    OrderKey,
    Part,
    Per,
    Resreq,
    Simple,
    Span,
    Term,
    Text,
    Truth,
)
from xcelib.resreq.combine import conjoin
from xcelib.resreq.errors import GrammarError
from xcelib.resreq.evaluate import contradictory, matches
from xcelib.resreq.lexer import TEXT_MAX
from xcelib.resreq.parser import parse, parse_select
from xcelib.resreq.printer import expr_text, to_text

Host = dict[str, str | int | float | bool]

ORDERS = ("==", "!=", "<", "<=", ">", ">=")
STRINGS = st.sampled_from(("type", "model", "hname")).map(Attribute)
SIZE_TEXTS = st.sampled_from(("512M", "4G", "1.5g", "7B", "0K"))
ALPHABET = "abcXYZ_ 9.'-&]é"
WORDS = (
    *("select[", "rusage[", "order[", "span[", "same[", "]", "(", ")", "{", "}", "2*{", "}@5m", "||", "&&", "+", "-"),
    *("*", "/", "==", "=", ">=", "mem", "type", "ncpus", "gpus", "r1m", "4G", "4", "'a b'", "defined(", "!", ",", ":"),
)


NUMERIC: st.SearchStrategy[Expr] = st.recursive(
    st.sampled_from(("ncpus", "r1m", "slots")).map(Attribute)
    | st.integers(0, 999).map(lambda value: Number(value, str(value)))
    | st.sampled_from(("0.5", "2.25")).map(lambda text: Number(float(text), text)),
    lambda inner: st.builds(Negative, inner) | st.builds(Binary, st.sampled_from("+-*/"), inner, inner),
    max_leaves=4,
)
SIZES: st.SearchStrategy[Expr] = st.recursive(
    st.sampled_from(("mem", "maxmem")).map(Attribute) | SIZE_TEXTS.map(lambda text: Number(parse_size(text), text)),
    lambda inner: (
        st.builds(Negative, inner)
        | st.builds(Binary, st.sampled_from("+-"), inner, inner)
        | st.builds(Binary, st.sampled_from("*/"), inner, NUMERIC)
    ),
    max_leaves=4,
)
TEXTS = st.text(ALPHABET, max_size=6).map(Text) | st.sampled_from(("mem", "true", "and", "defined")).map(Text)
COMPARISONS: st.SearchStrategy[Expr] = (
    st.builds(Binary, st.sampled_from(ORDERS), NUMERIC, NUMERIC)
    | st.builds(Binary, st.sampled_from(ORDERS), SIZES, SIZES)
    | st.builds(Binary, st.sampled_from(ORDERS), STRINGS | TEXTS, STRINGS | TEXTS)
    | st.sampled_from(("model", "mem")).map(Defined)
    | st.booleans().map(Truth)
    | STRINGS
)
EXPRESSIONS: st.SearchStrategy[Expr] = st.recursive(
    COMPARISONS,
    lambda inner: (
        st.builds(Not, inner)
        | st.builds(Binary, st.sampled_from(("&&", "||")), inner, inner)
        | st.builds(Binary, st.sampled_from(("==", "!=")), st.builds(Not, inner), st.booleans().map(Truth))
    ),
    max_leaves=8,
)
HOSTS: st.SearchStrategy[Host] = st.fixed_dictionaries(
    {},
    optional={
        "ncpus": st.integers(0, 99),
        "mem": st.integers(0, 1 << 40),
        "maxmem": st.integers(0, 1 << 40) | st.text(max_size=3),
        "type": st.text(max_size=3) | st.integers(),
        "r1m": st.floats(),
    },
)
PERS: st.SearchStrategy[Per | None] = st.sampled_from(("task", "job", "host", None))
TERMS = st.builds(
    lambda name, count, per: Term(name, count, per, str(count)),
    st.sampled_from(("slots", "gpus")),
    st.integers(0, 99),
    PERS,
)
TERMS |= st.builds(lambda size, per: Term("mem", parse_size(size), per, size), SIZE_TEXTS, PERS)
SPANS = st.sampled_from((Span("hosts", 1), Span("hosts", -1), Span("stripe"))) | st.builds(
    Span, st.sampled_from(("ptile", "block", "stripe")), st.integers(1, 99)
)
SIMPLES = st.builds(
    Simple,
    select=st.none() | EXPRESSIONS,
    order=st.lists(
        st.builds(OrderKey, st.sampled_from(("r1m", "mem", "ncpus")), st.booleans()),
        unique_by=lambda key: key.name,
        max_size=2,
    ).map(tuple),
    rusage=st.lists(TERMS, unique_by=lambda term: term.resource, max_size=3).map(tuple),
    span=st.none() | SPANS,
    same=st.lists(st.sampled_from(("type", "model", "ncpus")), unique=True, max_size=2).map(tuple),
)
PARTS = st.lists(st.builds(Part, st.integers(1, 99), SIMPLES), min_size=2, max_size=3)
COMPOUNDS = PARTS.map(lambda parts: Compound(tuple(parts)))
LATER_CHOICES = st.lists(st.builds(Choice, SIMPLES | COMPOUNDS, st.integers(0, 90_061)), min_size=1, max_size=2)
ALTERNATIVES = st.builds(lambda first, later: Alternative((Choice(first), *later)), SIMPLES | COMPOUNDS, LATER_CHOICES)
REQUIREMENTS: st.SearchStrategy[Resreq] = SIMPLES | COMPOUNDS | ALTERNATIVES
ANY_TEXTS = st.text(max_size=200) | st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join)


@given(EXPRESSIONS)
def test_an_expression_prints_and_parses_to_itself(expr: Expr) -> None:
    assert parse_select(expr_text(expr)) == expr


@given(REQUIREMENTS)
def test_a_requirement_prints_and_parses_to_itself(needs: Resreq) -> None:
    printed = to_text(needs)
    if len(printed) <= TEXT_MAX:
        assert parse(printed) == needs


def tree_or_place(text: str) -> Resreq | int:
    """The tree, or the column of the error; any other exception is a bug."""
    try:
        return parse(text)
    except GrammarError as error:
        return error.column


def check_tree_or_place(text: str) -> None:
    found = tree_or_place(text)
    if isinstance(found, int):
        assert 0 <= found <= len(text)
    else:
        assert parse(to_text(found)) == found


@given(ANY_TEXTS)
def test_any_text_is_a_tree_or_an_error_with_its_place(text: str) -> None:
    check_tree_or_place(text)


@given(st.sampled_from(WORDS), st.sampled_from(WORDS), st.integers(0, 1))
def test_a_text_as_long_as_allowed_is_a_tree_or_an_error_with_its_place(one: str, other: str, gap: int) -> None:
    unit = one + " " * gap + other
    check_tree_or_place((unit * TEXT_MAX)[:TEXT_MAX])


@given(EXPRESSIONS, HOSTS)
def test_the_evaluator_never_raises_and_not_turns_it_round(expr: Expr, host: Host) -> None:
    assert matches(Not(expr), host) is not matches(expr, host)


@given(EXPRESSIONS, EXPRESSIONS, HOSTS)
def test_conjoining_is_and(left: Expr, right: Expr, host: Host) -> None:
    joined = conjoin(left, right)
    assert matches(joined, host) == (matches(left, host) and matches(right, host))
    assert parse_select(expr_text(joined)) == joined


@given(EXPRESSIONS, HOSTS)
def test_what_contradicts_itself_matches_no_host(expr: Expr, host: Host) -> None:
    if contradictory(expr):
        assert not matches(expr, host)


@given(
    st.sampled_from("ab"), st.sampled_from("ab"), EXPRESSIONS, st.dictionaries(st.just("type"), st.sampled_from("ab"))
)
def test_two_equalities_contradict_where_their_values_differ(one: str, other: str, rest: Expr, host: Host) -> None:
    equalities = [Binary("==", Attribute("hname"), Text(value)) for value in (one, other)]
    expr = conjoin(conjoin(equalities[0], rest), equalities[1])
    assert contradictory(expr) or one == other
    assert not (contradictory(expr) and matches(expr, {**host, "hname": one}))


@given(st.lists(st.builds(Simple, select=EXPRESSIONS) | SIMPLES, max_size=3))
def test_joining_texts_is_joining_trees(needs: list[Simple]) -> None:
    """A client that knows no names gets what the server would have got."""
    of_trees = joined_or_code(lambda: join_same_layer(needs))
    of_texts = joined_or_code(lambda: parse(sections.join_repeated([to_text(each) for each in needs])))
    assert of_texts == of_trees


def joined_or_code(join: Callable[[], Resreq]) -> tuple[Simple, list[Expr]] | str:
    try:
        return _without_leaning(join())
    except Usage as error:
        return error.code


def _without_leaning(needs: Resreq) -> tuple[Simple, list[Expr]]:
    """The sections but `select`, and what its `&&` join, however they are grouped."""
    assert isinstance(needs, Simple)
    parts: list[Expr] = [needs.select] if needs.select is not None else []
    while any(isinstance(part, Binary) and part.op == "&&" for part in parts):
        parts = [
            piece
            for part in parts
            for piece in ((part.left, part.right) if isinstance(part, Binary) and part.op == "&&" else (part,))
        ]
    return Simple(order=needs.order, rusage=needs.rusage, span=needs.span, same=needs.same), parts


@given(SIMPLES | COMPOUNDS, SIMPLES | COMPOUNDS)
def test_overriding_texts_is_overriding_trees(earlier: Resreq, later: Resreq) -> None:
    assert parse(sections.override(to_text(earlier), to_text(later))) == override(earlier, later)


@given(SIMPLES)
def test_overriding_by_nothing_or_by_itself_changes_nothing(needs: Simple) -> None:
    assert override(needs, Simple()) == override(needs, needs) == override(Simple(), needs) == needs
