"""Dependency expressions: what is read, what is refused and where, and the three values of the logic."""

import pytest

from xcelib.depends import (
    Atom,
    Condition,
    Join,
    Not,
    Outcome,
    Verdict,
    evaluate,
    is_by_element,
    job_ids,
    names,
    parse,
    resolve_names,
    to_text,
)  # fmt: skip
from xcelib.errors import Usage

WAITING = Outcome(started=False, final=False, done=False)
RUNNING = Outcome(started=True, final=False, done=False)
DONE = Outcome(started=True, final=True, done=True)
FAILED = Outcome(started=True, final=True, done=False, failed=True, exit_codes=(3,))
KILLED = Outcome(started=False, final=True, done=False, failed=True)
HALF_FAILED = Outcome(started=True, final=False, done=False, failed=True, exit_codes=(3,))


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("12", Atom("done", 12)),
        ('"prep"', Atom("done", "prep")),
        ("done(12)", Atom("done", 12)),
        ("DONE( 12 )", Atom("done", 12)),
        ("12[3]", Atom("done", 12, 3)),
        ("ended(12[*])", Atom("ended", 12, "*")),
        ("exit(12, 3)", Atom("exit", 12, None, 3)),
        ('exit("prep")', Atom("exit", "prep")),
        ("!started(12)", Not(Atom("started", 12))),
        ("1 && 2 && 3", Join("&&", (Atom("done", 1), Atom("done", 2), Atom("done", 3)))),
        ("1 || 2 && 3", Join("||", (Atom("done", 1), Join("&&", (Atom("done", 2), Atom("done", 3)))))),
        ("(1 || 2) && 3", Join("&&", (Join("||", (Atom("done", 1), Atom("done", 2))), Atom("done", 3)))),
    ],
)
def test_a_condition_is_read(text: str, condition: Condition) -> None:
    assert parse(text) == condition


@pytest.mark.parametrize(
    ("text", "column", "expected"),
    [
        ("", 1, "`done`, `exit`, `ended`, `started` or a job id"),
        ("prep", 1, "`done`, `exit`, `ended`, `started` or a job id"),
        ("'prep'", 1, "a condition such as `done(12)`"),
        ("done", 5, "`(`"),
        ("done()", 6, 'a job id or "name"'),
        ('done("")', 7, 'a job id or "name"'),
        ("done(12", 8, "`)`"),
        ("done(12, 3)", 8, "`)`"),
        ("exit(12, x)", 10, "an exit code from 0 to 255"),
        ("exit(12, 256)", 10, "an exit code from 0 to 255"),
        ("12[", 4, "an element index or `*`"),
        ("12[3", 5, "`]`"),
        ('"prep"[3]', 7, "`&&`, `||` or the end"),
        ("1 &&", 5, "`done`, `exit`, `ended`, `started` or a job id"),
        ("1 & 2", 3, "a condition such as `done(12)`"),
        ("1 2", 3, "`&&`, `||` or the end"),
        ("1 && (2", 8, "`)`"),
        ("1)", 2, "`&&`, `||` or the end"),
        ("done(１２)", 6, "a condition such as `done(12)`"),
        ("!" * 40 + "1", 34, "at most 256 conditions and 32 levels"),
        ("(" * 40 + "1", 34, "at most 32 levels of parentheses"),
        ("&&".join(["1"] * 300), 769, "at most 256 conditions and 32 levels"),
    ],
)
def test_what_is_wrong_is_told_with_its_column(text: str, column: int, expected: str) -> None:
    with pytest.raises(Usage) as caught:
        parse(text)
    assert caught.value.message == f"the dependency is wrong at column {column}: expected {expected}"
    assert caught.value.code == "bad_dependency"


@pytest.mark.parametrize(
    ("text", "hint"),
    [("prep", 'write "prep" in double quotes for a job name'), ("'prep'", "job names stand in double quotes")],
)
def test_a_name_without_quotes_is_told_how(text: str, hint: str) -> None:
    with pytest.raises(Usage) as caught:
        parse(text)
    assert caught.value.hints == (hint,)


def test_the_place_is_shown_with_a_caret_unless_it_would_act_on_the_terminal() -> None:
    with pytest.raises(Usage) as caught:
        parse("1 && ?")
    assert caught.value.detail == "  1 && ?\n       ^"
    with pytest.raises(Usage) as caught:
        parse("1 && \x1b")
    assert caught.value.detail == ""


def test_a_longer_text_than_any_is_refused() -> None:
    with pytest.raises(Usage, match="4097 characters, at most 4096"):
        parse("1" * 4097)


@pytest.mark.parametrize(
    "text", ["done(12)", "exit(12[3], 4)", "!(done(1) || done(2))", '(done("a") || ended(2)) && !started(3[*])']
)
def test_the_canonical_text_is_kept(text: str) -> None:
    assert to_text(parse(text)) == text


def test_jobs_and_names_are_found_and_names_resolved() -> None:
    condition = parse('done(12) && (exit("prep", 1) || !ended(7[*]))')
    assert job_ids(condition) == {12, 7}
    assert names(condition) == {"prep"}
    assert is_by_element(condition)
    resolved = resolve_names(condition, lambda name: 99)
    assert to_text(resolved) == "done(12) && (exit(99, 1) || !ended(7[*]))"
    assert names(resolved) == set()
    assert not is_by_element(parse("12"))


@pytest.mark.parametrize(
    ("text", "outcome", "verdict"),
    [
        ("done(1)", WAITING, "open"),
        ("done(1)", RUNNING, "open"),
        ("done(1)", DONE, "met"),
        ("done(1)", FAILED, "never"),
        ("done(1)", HALF_FAILED, "never"),
        ("ended(1)", RUNNING, "open"),
        ("ended(1)", FAILED, "met"),
        ("started(1)", WAITING, "open"),
        ("started(1)", RUNNING, "met"),
        ("started(1)", KILLED, "met"),
        ("exit(1)", RUNNING, "open"),
        ("exit(1)", DONE, "never"),
        ("exit(1)", FAILED, "met"),
        ("exit(1)", KILLED, "met"),
        ("exit(1, 3)", FAILED, "met"),
        ("exit(1, 4)", FAILED, "never"),
        ("exit(1, 4)", HALF_FAILED, "open"),
        ("exit(1, 3)", KILLED, "never"),
        ("!done(1)", DONE, "never"),
        ("!done(1)", FAILED, "met"),
        ("!done(1)", RUNNING, "open"),
    ],
)
def test_one_job_decides(text: str, outcome: Outcome, verdict: Verdict) -> None:
    assert evaluate(parse(text), outcome=lambda job, index: outcome, index=0) == verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("1 && 2", "never"),
        ("1 && 3", "open"),
        ("1 && 1", "met"),
        ("2 && 3", "never"),
        ("1 || 2", "met"),
        ("2 || 3", "open"),
        ("2 || 2", "never"),
        ("1 || 3", "met"),
    ],
)
def test_joined_conditions_decide_as_soon_as_they_can(text: str, verdict: Verdict) -> None:
    outcomes = {1: DONE, 2: FAILED, 3: RUNNING}
    assert evaluate(parse(text), outcome=lambda job, index: outcomes[job], index=0) == verdict


def test_a_star_asks_for_the_element_of_the_same_index() -> None:
    asked: list[tuple[int, int | None]] = []

    def outcome(job: int, index: int | None) -> Outcome:
        asked.append((job, index))
        return DONE

    evaluate(parse("1[*] && 2[7] && 3"), outcome=outcome, index=5)
    assert sorted(asked) == [(1, 5), (2, 7), (3, None)]
