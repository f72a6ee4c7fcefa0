"""Requirements: parse and print are inverse, any text is a tree or an error, and the evaluator never raises."""

from hypothesis import given
from hypothesis import strategies as st

from xcelib.errors import Usage
from xcelib.resreq.ast import Attribute, Binary, Defined, Expr, Not, Number, OrderKey, Simple, Span, Term, Text
from xcelib.resreq.combine import conjoin
from xcelib.resreq.evaluate import contradictory, matches
from xcelib.resreq.parser import parse, parse_select
from xcelib.resreq.printer import expr_text, to_text

NUMBERS = st.integers(0, 999).map(lambda value: Number(value, str(value)))
SIZES = st.sampled_from(("512M", "4G", "1.5G", "0")).map(lambda text: parse_select(f"mem > {text}").right)  # type: ignore[union-attr]
TEXTS = st.text("abcXYZ_ 9.'", min_size=1, max_size=6).map(Text)
ORDERS = ("==", "!=", "<", "<=", ">", ">=")
COMPARISONS = (
    st.builds(Binary, st.sampled_from(ORDERS), st.sampled_from(("ncpus", "r1m", "slots")).map(Attribute), NUMBERS)
    | st.builds(Binary, st.sampled_from(ORDERS), st.sampled_from(("mem", "maxmem")).map(Attribute), SIZES)
    | st.builds(Binary, st.sampled_from(("==", "!=")), st.sampled_from(("type", "model")).map(Attribute), TEXTS)
    | st.builds(Defined, st.just("model"))
    | st.just(Attribute("type"))
)


def _joined(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    return st.builds(Not, inner) | st.builds(Binary, st.sampled_from(("&&", "||")), inner, inner)


EXPRESSIONS: st.SearchStrategy[Expr] = st.recursive(COMPARISONS, _joined, max_leaves=10)
HOSTS = st.fixed_dictionaries(
    {},
    optional={
        "ncpus": st.integers(0, 99),
        "mem": st.integers(0, 1 << 40),
        "type": st.text(max_size=3),
        "r1m": st.floats(0, 99),
    },
)
REQUIREMENTS = st.builds(
    Simple,
    select=st.none() | EXPRESSIONS,
    order=st.lists(st.sampled_from(("r1m", "mem", "ncpus")), unique=True, max_size=2).map(
        lambda names: tuple(OrderKey(name, name == "mem") for name in names)
    ),
    rusage=st.lists(st.sampled_from(("slots", "gpus")), unique=True, max_size=2).map(
        lambda names: tuple(Term(name, 2, "job", "2") for name in names)
    ),
    span=st.none() | st.just(Span("ptile", 4)) | st.just(Span("stripe")),
    same=st.sampled_from(((), ("type",), ("type", "model"))),
)


@given(EXPRESSIONS)
def test_an_expression_prints_and_parses_to_itself(expr: Expr) -> None:
    assert parse_select(expr_text(expr)) == expr


@given(REQUIREMENTS)
def test_a_requirement_prints_and_parses_to_itself(needs: Simple) -> None:
    assert parse(to_text(needs)) == needs


@given(st.text(max_size=200) | st.text("select[mem>4G]&|!()=<rusage,/:{}*+'\" 12", max_size=80))
def test_any_text_is_a_tree_or_an_error(text: str) -> None:
    try:
        found = parse(text)
    except Usage:
        return
    assert parse(to_text(found)) == found


@given(EXPRESSIONS, HOSTS)
def test_the_evaluator_never_raises_and_not_turns_it_round(
    expr: Expr, host: dict[str, str | int | float | bool]
) -> None:
    assert matches(Not(expr), host) is not matches(expr, host)


@given(EXPRESSIONS, EXPRESSIONS, HOSTS)
def test_conjoining_is_and(left: Expr, right: Expr, host: dict[str, str | int | float | bool]) -> None:
    joined = conjoin(left, right)
    assert matches(joined, host) == (matches(left, host) and matches(right, host))
    assert parse_select(expr_text(joined)) == joined


@given(EXPRESSIONS, HOSTS)
def test_what_contradicts_itself_matches_no_host(expr: Expr, host: dict[str, str | int | float | bool]) -> None:
    if contradictory(expr):
        assert not matches(expr, host)
