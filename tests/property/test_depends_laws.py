"""Dependency expressions: what prints parses back, any text is a condition or an error, logic is three-valued."""

from typing import Literal

from hypothesis import given
from hypothesis import strategies as st

from xcelib.depends import Atom, Condition, Join, Not, Outcome, evaluate, parse, to_text
from xcelib.depends.grammar import BadDependency
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


def _join(op: Literal["&&", "||"], parts: list[Condition]) -> Condition:
    """As the grammar joins: what is joined by the same operator already becomes part of the chain."""
    flat: list[Condition] = []
    for part in parts:
        flat += part.operands if isinstance(part, Join) and part.op == op else (part,)
    return Join(op, tuple(flat))


def _joined(inner: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
    ops: st.SearchStrategy[Literal["&&", "||"]] = st.sampled_from(("&&", "||"))
    return st.builds(Not, inner) | st.builds(_join, ops, st.lists(inner, min_size=2, max_size=3))


CONDITIONS: st.SearchStrategy[Condition] = st.recursive(ATOMS, _joined, max_leaves=8)
NUMBERED = st.recursive(ATOMS.filter(lambda atom: isinstance(atom.job, int)), _joined, max_leaves=8)


@given(CONDITIONS)
def test_what_prints_parses_to_itself(condition: Condition) -> None:
    assert parse(to_text(condition)) == condition


@given(CONDITIONS)
def test_no_parentheses_are_printed_that_could_be_left_out(condition: Condition) -> None:
    text = to_text(condition)
    for opening in (at for at, sign in enumerate(text) if sign == "(" and text[at - 1 : at] in ("", " ", "!", "(")):
        closing = _closing(text, opening)
        without = text[:opening] + text[opening + 1 : closing] + text[closing + 1 :]
        assert _parsed(without) != condition


def _closing(text: str, opening: int) -> int:
    depth = 0
    for at in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if not depth:
            return at
    raise AssertionError(f"`{text}` is not balanced")


def _parsed(text: str) -> Condition | None:
    try:
        return parse(text)
    except Usage:
        return None


PIECES = ("done(", "exit(", "ended(", "1", "12", "[*]", "[3]", ", 3", ")", "(", "!", "&&", "||", '"a b"', "x", "&", "'")


@given(st.text(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_any_text_is_a_condition_or_an_error_with_its_place(text: str) -> None:
    found = _condition_or_column(text)
    if isinstance(found, int):
        assert 0 <= found <= len(text)
    else:
        assert parse(to_text(found)) == found


def _condition_or_column(text: str) -> Condition | int:
    try:
        return parse(text)
    except BadDependency as error:
        return error.column


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


@st.composite
def histories(draw: st.DrawFn) -> tuple[Outcome, Outcome]:
    """An outcome, and what the same job or array has come to later."""
    codes = draw(st.lists(st.integers(1, 4) | st.none(), max_size=3))
    seen = draw(st.integers(0, len(codes)))
    is_over = draw(st.booleans())
    started = bool(codes) or is_over or draw(st.booleans())
    early = Outcome(started=seen > 0, final=False, done=False, failed=seen > 0, exit_codes=tuple(codes[:seen]))
    late = Outcome(
        started=started, final=is_over, done=is_over and not codes, failed=bool(codes), exit_codes=tuple(codes)
    )
    return early, late


@given(NUMBERED, st.dictionaries(st.integers(1, 99), histories()))
def test_what_is_decided_stays_decided(condition: Condition, world: dict[int, tuple[Outcome, Outcome]]) -> None:
    fresh = Outcome(started=False, final=False, done=False)

    def verdict(when: int) -> str:
        return evaluate(condition, outcome=lambda job, index: world.get(job, (fresh, fresh))[when], index=1)

    assert verdict(0) in ("open", verdict(1))
