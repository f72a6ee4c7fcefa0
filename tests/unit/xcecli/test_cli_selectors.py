"""Selectors: one word names one job, elements, a range, the last one, or jobs by name."""

from typing import Any

import pytest

from tests.kit.cli import Answers, Ran, a_world, run_client
from xcecli.main import main
from xcelib import wire

DONE = {"POST /jobs/kill": (200, wire.ActionReport(done=("1",)))}


def a_row(job_id: int, name: str = "") -> wire.JobRow:
    return wire.JobRow(id=job_id, name=name, user="ann", state="RUN", queue="normal", submitted_at=0.0)


def kill(*words: str, answers: Answers = DONE, **world: Any) -> Ran:
    return run_client(main, ["kill", *words], answers, a_world(**world))


def listing(*rows: wire.JobRow) -> Answers:
    return {**DONE, "GET /jobs": (200, wire.JobPage(jobs=rows))}


@pytest.mark.parametrize(
    ("words", "jobs"),
    [
        (["12"], [{"id": 12}]),
        (["12", "12"], [{"id": 12}]),
        (["12[3-7]"], [{"id": 12, "elements": "3-7"}]),
        (["12[1,3,5-9]"], [{"id": 12, "elements": "1,3,5-9"}]),
        (["12[5,4,3]"], [{"id": 12, "elements": "3-5"}]),
        (["12-14", "--yes"], [{"id": 12}, {"id": 13}, {"id": 14}]),
        (["12-12"], [{"id": 12}]),
        (["12", "12[3]", "--yes"], [{"id": 12}, {"id": 12, "elements": "3"}]),
    ],
)
def test_a_word_names_jobs(words: list[str], jobs: list[dict[str, object]]) -> None:
    assert kill(*words).body()["jobs"] == jobs


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("x12", "`x12` is not a job id"),
        ("0", "`0` is not a job id"),
        ("１２", "`１２` is not a job id"),
        ("12[", "`12[` is not a job id"),
        ("12[]", "`12[]` is not a job id"),
        ("12[a]", "`a` is no list of element indexes"),
        ("12[7-3]", "`7-3` is no list of element indexes"),
        ("14-12", "`14-12` is no range of at most 10000 jobs"),
        ("1-10001", "`1-10001` is no range of at most 10000 jobs"),
        ("", "`` is not a job id"),
    ],
)
def test_a_word_that_names_nothing_is_refused_before_anything_is_sent(word: str, message: str) -> None:
    ran = kill(word, "--yes")
    assert (ran.status, ran.requests) == (2, [])
    assert f"error: {message}\n" in ran.err


def test_last_is_the_newest_of_your_jobs_live_or_ended() -> None:
    ran = kill("last", answers=listing(a_row(9)))
    assert dict(ran.requests[0].url.params) == {"scope": "both", "limit": "1"}
    assert ran.body()["jobs"] == [{"id": 9}]


def test_last_of_no_jobs_is_told() -> None:
    ran = kill("last", answers=listing())
    assert (ran.status, ran.err) == (1, "xcecli: error: you have no jobs\n")


def test_names_match_live_jobs_of_all_pages_in_the_order_of_their_ids() -> None:
    def answer(request: Any) -> tuple[int, Any]:
        if request.method == "POST":
            return 200, wire.ActionReport(done=("1",))
        if "cursor" not in request.url.params:
            return 200, wire.JobPage(jobs=(a_row(7, "fit-2"), a_row(6, "other")), cursor=6)
        return 200, wire.JobPage(jobs=(a_row(5, "fit-1"), a_row(4, "FIT-0")))

    assert kill("name:fit-*", "--yes", answers=answer).body()["jobs"] == [{"id": 5}, {"id": 7}]


def test_a_name_that_no_job_has_is_told() -> None:
    ran = kill("name:nothing", "--yes", answers=listing(a_row(1, "x")))
    assert (ran.status, ran.err) == (1, "xcecli: error: no live job of yours is named `nothing`\n")


@pytest.mark.parametrize("words", [["12-14"], ["12", "13", "14"], ["name:fit"]])
def test_several_jobs_and_names_need_a_yes_where_nobody_can_be_asked(words: list[str]) -> None:
    ran = kill(*words, answers=listing(a_row(12, "fit"), a_row(13, "fit"), a_row(14, "fit")))
    assert ran.status == 2
    assert "3 jobs (12, 13, 14) are meant\nhint: to kill them all add `--yes`" in ran.err
    assert all(request.method == "GET" for request in ran.requests)


@pytest.mark.parametrize(
    ("said", "sent"), [("y\n", 1), ("YES\n", 1), ("n\n", 0), ("\n", 0), ("", 0), ("yes please\n", 0)]
)
def test_several_jobs_are_asked_about_on_a_terminal(said: str, sent: int) -> None:
    ran = kill("12", "13", inp=said, is_terminal=True)
    assert ran.err.startswith("kill 2 jobs (12, 13)? [y/N] ")
    assert len(ran.requests) == sent
    assert ran.status == (0 if sent else 2)


def test_of_many_jobs_eight_are_named() -> None:
    assert "20 jobs (1, 2, 3, 4, 5, 6, 7, 8, …) are meant" in kill("1-20").err


@pytest.mark.parametrize(
    ("word", "message"),
    [("12-13", "`12-13` names 2 jobs, this takes one"), ("12[3-4]", "`12[3-4]` names 2 elements, this takes one")],
)
def test_what_takes_one_job_takes_no_more(word: str, message: str) -> None:
    ran = run_client(main, ["logs", word])
    assert (ran.status, ran.err) == (2, f"xcecli: error: {message}\n")


def test_what_is_refused_is_told_and_what_was_done_too() -> None:
    refusal = wire.ActionRefusal(job="13", code="already_ended", message="job `13` has\x1b ended")
    report = wire.ActionReport(done=("12",), refused=(refusal,))
    ran = kill("12", "13", "--yes", answers={"POST /jobs/kill": (200, report)})
    assert (ran.status, ran.out) == (1, "job 12 is being ended\n")
    assert ran.err == "xcecli: error: job `13` has\\x1b ended\n"


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ("kill", "is being ended"), ("stop", "is being stopped"), ("resume", "resumes"), ("requeue", "is queued again"),
    ],
)  # fmt: skip
def test_each_action_goes_its_own_way(action: str, words: str) -> None:
    answers = {f"POST /jobs/{action}": (200, wire.ActionReport(done=("12",)))}
    ran = run_client(main, [action, "12"], answers)
    assert (ran.status, ran.out) == (0, f"job 12 {words}\n")
    assert ran.body() == {"jobs": [{"id": 12}]}


def test_force_and_why_are_sent() -> None:
    assert kill("12", "--force", "--why", "wrong input").body() == {
        "jobs": [{"id": 12}], "force": True, "why": "wrong input",
    }  # fmt: skip
