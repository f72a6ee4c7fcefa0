"""Dependency expressions: what prints parses back, any text is a condition or an error, logic is three-valued."""

from hypothesis import given
from hypothesis import strategies as st

from xcelib.depends import Atom, Condition, Join, Not, Outcome, evaluate, parse, to_text
from xcelib.errors import Usage

ATOMS = st.builds(
    Atom,
    kind=st.sampled_from(("done", "exit", "ended", "started")),
    job=st.integers(1, 99) | st.text("abc def", min_size=1, max_size=5),
    index=st.none(),
    code=st.none(),
) | st.builds(
    Atom, kind=st.just("exit"), job=st.integers(1, 9), index=st.sampled_from((None, 3, "*")), code=st.integers(0, 255)
)


def _joined(inner: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
    parts = st.lists(inner, min_size=2, max_size=3)
    return st.builds(Not, inner) | st.builds(
        lambda op, found: Join(op, tuple(found)), st.sampled_from(("&&", "||")), parts
    )


CONDITIONS: st.SearchStrategy[Condition] = st.recursive(ATOMS, _joined, max_leaves=8)
NUMBERED = st.recursive(ATOMS.filter(lambda atom: isinstance(atom.job, int)), _joined, max_leaves=8)


def _flat(condition: Condition) -> Condition:
    """A join directly inside one of its own kind reads back as one chain."""
    if isinstance(condition, Not):
        return Not(_flat(condition.operand))
    if isinstance(condition, Join):
        operands: list[Condition] = [_flat(operand) for operand in condition.operands]
        return Join(condition.op, tuple(operands))
    return condition


@given(CONDITIONS)
def test_what_prints_parses_to_the_same_text(condition: Condition) -> None:
    text = to_text(_flat(condition))
    assert to_text(parse(text)) == text


@given(st.text(max_size=60) | st.text('done(exit,ended&|!)[*]"12 ', max_size=60))
def test_any_text_is_a_condition_or_an_error(text: str) -> None:
    try:
        found = parse(text)
    except Usage:
        return
    assert parse(to_text(found)) == found


OUTCOMES = st.builds(
    lambda started, final, failed, code: Outcome(
        started=started or final, final=final, done=final and not failed, failed=failed, exit_codes=(code,) if failed else ()
    ),
    st.booleans(), st.booleans(), st.booleans(), st.integers(1, 3),
)  # fmt: skip


@given(NUMBERED, st.dictionaries(st.integers(1, 99), OUTCOMES))
def test_a_final_world_leaves_nothing_open(condition: Condition, world: dict[int, Outcome]) -> None:
    ended = Outcome(started=True, final=True, done=True)

    def outcome(job_id: int, index: int | None) -> Outcome:
        found = world.get(job_id, ended)
        return Outcome(
            started=True, final=True, done=not found.failed, failed=found.failed, exit_codes=found.exit_codes
        )

    assert evaluate(condition, outcome=outcome, index=1) in ("met", "never")


@given(NUMBERED, st.dictionaries(st.integers(1, 99), OUTCOMES))
def test_not_turns_a_verdict_round(condition: Condition, world: dict[int, Outcome]) -> None:
    fresh = Outcome(started=False, final=False, done=False)

    def outcome(job_id: int, index: int | None) -> Outcome:
        return world.get(job_id, fresh)

    opposite = {"met": "never", "never": "met", "open": "open"}
    verdict = evaluate(condition, outcome=outcome, index=1)
    assert evaluate(Not(condition), outcome=outcome, index=1) == opposite[verdict]
