"""Waiting for jobs and elements, following what they write, and a server that goes away meanwhile."""

import json
from typing import Any

import httpx
import msgspec
import pytest

from tests.kit.cli import Answer, Ran, a_world, output_piece, problem, run_client
from xcecli.main import main
from xcelib import wire
from xcelib.jobspec import ArraySpec, JobSpec


def cli(*argv: str, answers: Any = None, **world: Any) -> Ran:
    return run_client(main, argv, answers, a_world(**world))


def a_row(**fields: Any) -> wire.JobRow:
    return wire.JobRow(**{"id": 12, "user": "ann", "state": "DONE", "queue": "normal", "submitted_at": 0.0, **fields})


@pytest.mark.parametrize(
    ("row", "status"),
    [
        (a_row(ended_at=1.0, exit_code=0), 0),
        (a_row(ended_at=1.0, exit_code=3, state="EXIT"), 3),
        (a_row(ended_at=1.0, signal=9, state="EXIT"), 137),
        (a_row(ended_at=1.0, signal=15, state="EXIT", end_reason="TERM_OWNER"), 143),
        (a_row(ended_at=1.0, state="EXIT", end_reason="TERM_DEPENDENCY"), 1),
        (a_row(ended_at=1.0, exit_code=0, state="EXIT", end_reason="TERM_RUNLIMIT"), 1),
        (a_row(ended_at=1.0, exit_code=7, state="DONE"), 7),
    ],
)
def test_waiting_ends_as_the_job_did(row: wire.JobRow, status: int) -> None:
    answers = {
        "POST /jobs": (201, {"job_id": 4711}),
        "GET /jobs/12/wait": (200, row),
        "GET /jobs/4711/wait": (200, row),
    }
    assert cli("wait", "12", answers=answers).status == status
    submitted = cli("submit", "--wait", "--", "true", answers=answers)
    assert (submitted.status, submitted.out) == (status, "4711\n")


def test_waiting_asks_until_the_end_and_shows_progress_on_a_terminal_only() -> None:
    def answers() -> Any:
        left = [a_row(state="PEND", reason="no host fits now"), a_row(state="RUN"), a_row(ended_at=1.0, exit_code=0)]
        return lambda request: (200, left.pop(0))

    assert cli("wait", "12", answers=answers()).err == ""
    shown = cli("wait", "12", answers=answers(), is_terminal=True)
    assert len(shown.requests) == 3
    assert "job 12: PEND, no host fits now" in shown.err
    assert shown.err.endswith("\r\x1b[K")


def test_of_several_jobs_the_first_failure_is_the_exit_status() -> None:
    answers = {
        "GET /jobs/1/wait": (200, a_row(id=1, ended_at=1.0, exit_code=0)),
        "GET /jobs/2/wait": (200, a_row(id=2, ended_at=1.0, exit_code=4, state="EXIT")),
        "GET /jobs/3/wait": (200, a_row(id=3, ended_at=1.0, signal=9, state="EXIT")),
    }
    ran = cli("wait", "1", "2", "3", "--json", answers=answers)
    assert ran.status == 4
    assert [row["id"] for row in json.loads(ran.out)["jobs"]] == [1, 2, 3]


ARRAY = wire.JobDetail(row=a_row(is_array=True, state="RUN"), spec=JobSpec(array=ArraySpec(((1, 9, 2),))))


def an_element(index: int, state: str, **end: Any) -> wire.ElementRow:
    attempt = wire.AttemptRow(index=index, attempt=1, hosts=("h",), dispatched_at=0.0, **end)
    return wire.ElementRow(index=index, state=state, attempts=(attempt,))


def array_answers(row: wire.JobRow, *elements: wire.ElementRow) -> dict[str, Answer]:
    return {
        "GET /jobs/12": (200, ARRAY),
        "GET /jobs/12/wait": (200, row),
        "GET /jobs/12/elements": (200, wire.ElementPage(elements=elements)),
        "GET /jobs/12/why": (200, wire.WhyReport(row=row, reasons=(wire.WhyReason(code="held", text="held by ann"),))),
    }


def test_elements_are_waited_for_and_no_others() -> None:
    running = a_row(is_array=True, state="RUN", counts={"RUN": 1, "PEND": 1, "EXIT": 2, "DONE": 1})
    over = (an_element(3, "EXIT", ended_at=5.0, exit_code=4), an_element(5, "DONE", ended_at=6.0, exit_code=0))
    ran = cli("wait", "12[3,5]", "--json", answers=array_answers(running, an_element(1, "RUN"), *over))
    (row,) = json.loads(ran.out)["jobs"]
    assert ran.status == 4
    wanted = {"state": "EXIT", "size": 2, "counts": {"DONE": 1, "EXIT": 1}, "ended_at": 6.0, "exit_code": 4}
    assert {name: row[name] for name in wanted} == wanted
    assert cli("wait", "12[5]", answers=array_answers(running, *over)).status == 0


def test_elements_are_waited_for_until_they_end() -> None:
    running = a_row(is_array=True, state="RUN", counts={"RUN": 1})
    pages = [an_element(3, "RUN"), an_element(3, "PEND"), an_element(3, "EXIT", ended_at=5.0, signal=9)]

    def answer(request: httpx.Request) -> Answer:
        fixed = array_answers(running)
        if request.url.path.endswith("/elements"):
            return 200, wire.ElementPage(elements=(pages.pop(0),))
        return fixed[f"GET {request.url.path.removeprefix('/xce/v1')}"]

    assert (cli("wait", "12[3]", answers=answer).status, pages) == (137, [])


def test_an_element_that_was_ended_before_it_ran_has_failed() -> None:
    ended = a_row(is_array=True, state="EXIT", counts={"EXIT": 5}, ended_at=9.0)
    assert cli("wait", "12[3]", answers=array_answers(ended)).status == 1


@pytest.mark.parametrize("command", ["wait", "job", "why", "explain"])
@pytest.mark.parametrize(("element", "array"), [("2", ARRAY.spec.array), ("11", ARRAY.spec.array), ("1", None)])
def test_an_element_that_does_not_exist_is_told(command: str, element: str, array: ArraySpec | None) -> None:
    detail = msgspec.structs.replace(ARRAY, spec=JobSpec(array=array))
    ran = cli(command, f"12[{element}]", answers={**array_answers(ARRAY.row), "GET /jobs/12": (200, detail)})
    words = "job `12` is no array" if array is None else f"job `12` has no element {element}"
    assert (ran.status, ran.err.split("\n")[0]) == (1, f"xcecli: error: {words}")


def test_an_element_is_shown_alone() -> None:
    answers = array_answers(ARRAY.row, an_element(3, "EXIT", ended_at=5.0, exit_code=4))
    assert json.loads(cli("job", "12[3]", "--json", answers=answers).out)["element"]["attempts"][0]["exit_code"] == 4
    shown = cli("job", "12[3]", answers=answers).out
    assert shown.startswith("element   12[3]\nstate     EXIT\n")
    assert "exit 4" in shown


def test_an_element_that_never_ran_is_shown_as_it_waits() -> None:
    row = a_row(is_array=True, state="RUN", counts={"RUN": 1, "PSUSP": 4})
    answers = {**array_answers(row), "GET /jobs/12": (200, msgspec.structs.replace(ARRAY, row=row))}
    assert "state     PSUSP\n" in cli("job", "12[3]", answers=answers).out


def test_an_element_that_runs_does_not_wait_for_what_its_job_waits() -> None:
    row = a_row(is_array=True, state="RUN", counts={"RUN": 1, "PSUSP": 4})
    answers = array_answers(row, an_element(3, "RUN"))
    assert cli("why", "12[3]", answers=answers).out == "job 12[3] does not wait: it is RUN\n"
    assert cli("why", "12[5]", answers=array_answers(row)).out == "job 12[5] is PSUSP\n  held by ann\n"


# --- a server that goes away for a while ------------------------------------------------------------------------------


def test_a_server_that_answered_once_is_waited_for() -> None:
    left: list[Answer | None] = [(200, a_row(state="RUN")), *(None for _ in range(9)), (200, a_row(ended_at=1.0))]

    def answer(request: httpx.Request) -> Answer:
        found = left.pop(0)
        if found is None:
            raise httpx.ConnectError("gone", request=request)
        return found

    ran = cli("wait", "12", answers=answer)
    assert (ran.status, left) == (0, [])
    assert ran.err == "xcecli: note: no answer from unix:/test: gone; asking again\n"


def test_a_server_that_never_answered_is_not_waited_for() -> None:
    def answer(request: httpx.Request) -> Answer:
        raise httpx.ConnectError("gone", request=request)

    ran = cli("wait", "12", answers=answer)
    assert (ran.status, len(ran.requests)) == (69, 5)


def test_patience_has_an_end() -> None:
    first = [True]

    def answer(request: httpx.Request) -> Answer:
        if first and first.pop():
            return 200, a_row(state="RUN")
        raise httpx.ConnectError("gone", request=request)

    ran = cli("wait", "12", answers=answer)
    assert ran.status == 69
    assert 600 < sum(ran.pauses) < 1000


# --- output -----------------------------------------------------------------------------------------------------------


def test_logs_print_what_the_job_wrote_in_pieces() -> None:
    text = b"hello world\n"

    def answer(request: httpx.Request) -> httpx.Response:
        offset = int(request.url.params["offset"])
        return output_piece(text[offset : offset + 5], offset=offset, size=len(text))

    assert cli("logs", "12", answers=answer).out == "hello world\n"


def test_a_long_tail_is_read_to_its_end() -> None:
    text = b"".join(b"%d\n" % number for number in range(5000))

    def answer(request: httpx.Request) -> httpx.Response:
        asked = int(request.url.params["offset"])
        offset = max(0, len(text) + asked) if asked < 0 else asked
        return output_piece(text[offset : offset + 1000], offset=offset, size=len(text))

    assert cli("logs", "12", "--tail", "2000", answers=answer).out.encode() == text[-10_000:]


def test_only_a_line_feed_ends_a_line_of_a_tail() -> None:
    piece = output_piece(b"one\n1%\r2%\r100%\ntwo\n")
    assert cli("logs", "12", "--tail", "2", answers=lambda request: piece).out == "1%\r2%\r100%\ntwo\n"


def test_the_tail_is_the_last_lines_alone() -> None:
    answers = {"GET /jobs/12/output": output_piece(b"one\ntwo\nthree\n")}
    ran = cli("logs", "12", "--tail", "2", answers=lambda request: answers["GET /jobs/12/output"])
    assert ran.out == "two\nthree\n"
    assert ran.requests[0].url.params["offset"] == "-800"


def test_following_waits_through_pending_and_stops_at_the_end() -> None:
    left: list[Answer | httpx.Response] = [
        problem(409, "not_started", "not yet"),
        (200, a_row(state="PEND")),
        output_piece(b"one\n", is_final=False),
        output_piece(b"two\n", offset=4),
        (200, a_row(ended_at=1.0)),
    ]
    assert cli("logs", "-f", "12", answers=lambda request: left.pop(0)).out == "one\ntwo\n"
    assert left == []


def test_following_goes_on_with_the_next_attempt_from_its_beginning() -> None:
    left: list[Answer | httpx.Response] = [
        output_piece(b"one\n", attempt=1),
        (200, a_row(state="PEND")),
        (200, wire.ElementPage(elements=(wire.ElementRow(index=0, state="PEND"),))),
        problem(409, "not_started", "not yet"),
        (200, a_row(state="RUN")),
        output_piece(b"two\n", attempt=2),
        (200, a_row(ended_at=1.0)),
    ]
    ran = cli("logs", "-f", "12", answers=lambda request: left.pop(0))
    assert (ran.out, ran.status) == ("one\ntwo\n", 0)
    asked = [dict(r.url.params) for r in ran.requests if r.url.path.endswith("/output")]
    assert [(each.get("attempt"), each["offset"]) for each in asked] == [(None, "0"), ("2", "0"), ("2", "0")]


def test_following_never_mixes_two_attempts() -> None:
    left: list[Answer | httpx.Response] = [
        output_piece(b"one\n", attempt=4, is_final=False),
        output_piece(b"end\n", attempt=4, offset=4),
        (200, a_row(ended_at=1.0)),
    ]
    ran = cli("logs", "-f", "12", answers=lambda request: left.pop(0))
    assert dict(ran.requests[1].url.params)["attempt"] == "4"


def test_following_ends_when_a_job_that_was_to_run_again_is_ended() -> None:
    left: list[Answer | httpx.Response] = [
        output_piece(b"one\n"),
        (200, a_row(state="PEND")),
        (200, wire.ElementPage(elements=(wire.ElementRow(index=0, state="PEND"),))),
        problem(404, "no_output", "no attempt 2"),
    ]
    ran = cli("logs", "-f", "12", answers=lambda request: left.pop(0))
    assert (ran.out, ran.err, ran.status) == ("one\n", "", 0)


def test_following_an_earlier_attempt_stops_at_its_end() -> None:
    ran = cli("logs", "-f", "12", "--attempt", "1", answers=lambda request: output_piece(b"one\n"))
    assert (ran.out, len(ran.requests)) == ("one\n", 1)


def test_following_from_the_last_lines_goes_on_after_them() -> None:
    left: list[Answer | httpx.Response] = [
        output_piece(b"one\ntwo\n", is_final=False),
        output_piece(b"three\n", offset=8),
        (200, a_row(ended_at=1.0)),
    ]
    ran = cli("logs", "-f", "12", "--tail", "1", answers=lambda request: left.pop(0))
    assert ran.out == "two\nthree\n"
    assert dict(ran.requests[1].url.params) == {"stream": "out", "offset": "8", "attempt": "1"}


def test_following_from_the_last_lines_of_what_has_not_started_waits() -> None:
    left: list[Answer | httpx.Response] = [
        problem(409, "not_started", "not yet"),
        output_piece(b"one\n"),
        (200, a_row(ended_at=1.0)),
    ]
    assert cli("logs", "-f", "12", "--tail", "1", answers=lambda request: left.pop(0)).out == "one\n"


def test_an_array_is_followed_by_one_element_alone() -> None:
    ran = cli("logs", "-f", "12", answers=lambda request: problem(400, "which_element", "say which element"))
    assert "index" not in dict(ran.requests[0].url.params)
    assert "say which element" in ran.err


def test_following_a_job_that_never_ran_is_told() -> None:
    left: list[Answer] = [problem(409, "not_started", "not yet"), (200, a_row(ended_at=1.0, state="EXIT"))]
    ran = cli("logs", "-f", "12", answers=lambda request: left.pop(0))
    assert (ran.status, ran.err) == (1, "xcecli: error: job `12` ended without running\n")


def test_an_element_and_an_attempt_are_asked_for() -> None:
    ran = cli("logs", "12[3]", "--stderr", "--attempt", "2", answers=lambda request: output_piece(b""))
    assert dict(ran.requests[0].url.params) == {"index": "3", "stream": "err", "offset": "0", "attempt": "2"}
