import pytest

from tests.kit.oracle import Element, Findings, Mark, What, judge


def a_mark(what: What = "start", *, job_id: int = 1, attempt: int = 1) -> Mark:
    return Mark(Element(job_id), attempt, "a", "boot", what)


ONE = Element(1)


def test_nothing_is_found_when_every_promise_was_kept() -> None:
    marks = [a_mark("start"), a_mark("end")]
    assert judge(marks, acknowledged=[ONE], done=[ONE]) == Findings()


def test_a_job_is_lost_when_it_was_acknowledged_and_never_started() -> None:
    assert judge([], acknowledged=[ONE]) == Findings(lost=(ONE,))


def test_a_start_is_double_when_one_attempt_starts_twice() -> None:
    marks = [a_mark("start"), a_mark("start"), a_mark("end")]
    assert judge(marks, acknowledged=[ONE]) == Findings(double=((ONE, 1),))


def test_a_second_attempt_is_found_unless_the_job_is_rerunnable() -> None:
    marks = [a_mark("start", attempt=1), a_mark("start", attempt=2), a_mark("end", attempt=2)]
    assert judge(marks, acknowledged=[ONE]) == Findings(rerun=(ONE,))
    assert judge(marks, acknowledged=[ONE], rerunnable=[ONE]) == Findings()


def test_attempts_overlap_when_an_old_one_ends_after_a_new_one_began() -> None:
    marks = [a_mark("start"), a_mark("start", attempt=2), a_mark("end", attempt=1), a_mark("end", attempt=2)]
    assert judge(marks, acknowledged=[ONE], rerunnable=[ONE]) == Findings(overlapping=((ONE, 1),))


def test_a_job_is_unknown_when_it_ran_and_no_submit_could_have_made_it() -> None:
    assert judge([a_mark()], acknowledged=[]) == Findings(unknown=(ONE,))
    assert judge([a_mark()], acknowledged=[], unanswered=[ONE]) == Findings()


@pytest.mark.parametrize(("marks", "done"), [([a_mark("start")], [ONE]), ([a_mark("start"), a_mark("end")], [])])
def test_an_end_is_mistold_when_history_and_the_job_disagree(marks: list[Mark], done: list[Element]) -> None:
    assert judge(marks, acknowledged=[ONE], done=done) == Findings(mistold=(ONE,))
