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
        ("999999999999999999[1000000]", Atom("done", 10**18 - 1, 1_000_000)),
        ("exit(1[1], 255)", Atom("exit", 1, 1, 255)),
        (f'"{"x" * 256}"', Atom("done", "x" * 256)),
        ("1" + " " * 4095, Atom("done", 1)),
        ("1 && 2 && 3", Join("&&", (Atom("done", 1), Atom("done", 2), Atom("done", 3)))),
        ("1 || 2 && 3", Join("||", (Atom("done", 1), Join("&&", (Atom("done", 2), Atom("done", 3)))))),
        ("(1 || 2) && 3", Join("&&", (Join("||", (Atom("done", 1), Atom("done", 2))), Atom("done", 3)))),
        ("1 && (2 && 3)", Join("&&", (Atom("done", 1), Atom("done", 2), Atom("done", 3)))),
        ("((1)) || (2 || 3)", Join("||", (Atom("done", 1), Atom("done", 2), Atom("done", 3)))),
        ('exit("a\\\\b [1]")', Atom("exit", "a\\\\b [1]")),
    ],
)
def test_a_condition_is_read(text: str, condition: Condition) -> None:
    assert parse(text) == condition


CONDITION = "expected `done`, `exit`, `ended`, `started` or a job id"


@pytest.mark.parametrize(
    ("text", "column", "what"),
    [
        ("", 1, f"{CONDITION}, found the end"),
        ("prep", 1, f"{CONDITION}, found `prep`"),
        ("'prep'", 1, "`'` means nothing here"),
        ('"prep', 1, "the quote is never closed"),
        ("done", 5, "expected `(`, found the end"),
        ("done()", 6, 'expected a job id or "name", found `)`'),
        ("done(prep)", 6, 'expected a job id or "name", found `prep`'),
        ('done("")', 6, "a job name has 1 to 256 characters that can be printed"),
        (f'done("{"x" * 257}")', 6, "a job name has 1 to 256 characters that can be printed"),
        ('done("a\nb")', 6, "a job name has 1 to 256 characters that can be printed"),
        ("done(12", 8, "expected `)`, found the end"),
        ("done(12, 3)", 8, "expected `)`, found `,`"),
        ("done(12a)", 6, "expected a job id, found `12a`"),
        ("done(0)", 6, "expected a job id from 1 to 999999999999999999, found `0`"),
        ("1000000000000000000", 1, "expected a job id from 1 to 999999999999999999, found `1000000000000000000`"),
        ("exit(12, x)", 10, "expected an exit code, found `x`"),
        ("exit(12, 256)", 10, "expected an exit code from 0 to 255, found `256`"),
        ("exit(12, >3)", 10, "`>` means nothing here"),
        ("12[", 4, "expected `*` or an element index, found the end"),
        ("12[0]", 4, "expected `*` or an element index from 1 to 1000000, found `0`"),
        ("12[3", 5, "expected `]`, found the end"),
        ('"prep"[3]', 7, "expected `&&`, `||` or the end, found `[`"),
        ("1 &&", 5, f"{CONDITION}, found the end"),
        ("1 & 2", 3, "`&` means nothing here"),
        ("1 2", 3, "expected `&&`, `||` or the end, found `2`"),
        ("1 && (2", 8, "expected `)`, found the end"),
        ("1)", 2, "expected `&&`, `||` or the end, found `)`"),
        ("1\u00a0", 2, "`\\xa0` means nothing here"),
        ("1\n", 2, "`\\n` means nothing here"),
        ("done(１２)", 6, "`１` means nothing here"),
        ("external(12)", 1, "`external` is not supported yet"),
        ("!" * 40 + "1", 34, "the dependency nests deeper than 32 levels"),
        ("(" * 40 + "1", 34, "the dependency nests deeper than 32 levels"),
        ("&&".join(["1"] * 300), 769, "the dependency has more than 256 conditions"),
    ],
)
def test_what_is_wrong_is_told_with_its_column(text: str, column: int, what: str) -> None:
    with pytest.raises(Usage) as caught:
        parse(text)
    assert caught.value.message == f"the dependency is wrong at column {column}: {what}"
    assert caught.value.code == ("not_supported_yet" if "supported" in what else "bad_dependency")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("prep", 'write "prep" in double quotes for a job name'),
        ("ended(prep)", 'write "prep" in double quotes for a job name'),
        ("'prep'", "job names stand in double quotes"),
        ("doen(12)", "did you mean `done`?"),
        ("1 and 2", "write `&&`"),
        ("1 OR 2", "write `||`"),
        ("not 1", "write `!`"),
        ("1 & 2", "write `&&` for and"),
        ("1 | 2", "write `||` for or"),
        ("1 2", "join conditions with `&&` or `||`"),
        ("1\n&& 2", "write the dependency in one line"),
        ("exit(12, >3)", "an exit code is compared for being equal alone, as in `exit(12, 3)`"),
        ('"prep"[3]', "an element is named by its job's id, as in `done(12[3])`"),
        ("1)", "nothing opens this `)`"),
    ],
)
def test_the_way_out_is_told(text: str, hint: str) -> None:
    with pytest.raises(Usage) as caught:
        parse(text)
    assert caught.value.hints == (hint,)


def test_the_place_is_shown_with_a_caret_and_without_what_acts_on_a_terminal() -> None:
    with pytest.raises(Usage) as caught:
        parse("1 && ?")
    assert caught.value.detail == "  1 && ?\n       ^"
    with pytest.raises(Usage) as caught:
        parse("1 && \x1b")
    assert caught.value.detail == "  1 && ?\n       ^"


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
