"""The application over ASGI, with the core in memory behind it: statuses, refusals, privacy, queries."""

import pwd
from typing import Any

import httpx
import msgspec
import pytest

from tests.kit.builders import ANN, a_spec
from tests.kit.memory_desk import MemoryDesk, call
from xcelib import wire
from xcelib.config.canonical import to_bytes
from xcelib.config.model import empty
from xcelib.errors import Problem
from xcelib.jobspec import Exdata
from xcelib.states import State
from xceserver.core import commands as cmd
from xceserver.core.records import Element, PastAttempt

USER = pwd.getpwuid(1)
OTHER = pwd.getpwuid(2)
AS_USER = f"{USER.pw_uid}:{USER.pw_gid}"
AS_OTHER = f"{OTHER.pw_uid}:{OTHER.pw_gid}"


@pytest.fixture
def desk() -> MemoryDesk:
    return MemoryDesk()


def submit(desk: MemoryDesk, **fields: Any) -> int:
    response = call(desk, "POST", "/jobs", a_spec(**fields), caller=AS_USER)
    assert response.status_code == 201, response.text
    return int(response.json()["job_id"])


def problem(response: httpx.Response) -> Problem:
    """The refusal; every one has the same shape."""
    assert response.headers["content-type"] == "application/problem+json"
    found = msgspec.json.decode(response.content, type=Problem)
    assert found.status == response.status_code
    return found


# --- submit -----------------------------------------------------------------------------------------------------------


def test_an_accepted_job_is_created_with_its_id(desk: MemoryDesk) -> None:
    response = call(desk, "POST", "/jobs", a_spec("sleep", "1"), caller=AS_USER)
    assert (response.status_code, response.json()["job_id"]) == (201, 1)
    assert desk.state.jobs[1].needs.user == USER.pw_name
    assert desk.state.jobs[1].submit_host == "here"


def test_a_bulk_is_answered_whole(desk: MemoryDesk) -> None:
    response = call(desk, "POST", "/jobs/bulk", {"jobs": [a_spec("a"), a_spec("b")]}, caller=AS_USER)
    assert (response.status_code, [job["job_id"] for job in response.json()["jobs"]]) == (201, [1, 2])


def test_a_bulk_with_one_wrong_job_changes_nothing(desk: MemoryDesk) -> None:
    response = call(desk, "POST", "/jobs/bulk", {"jobs": [a_spec("a"), a_spec("b", cwd="x")]}, caller=AS_USER)
    found = problem(response)
    assert (found.code, [(fault.path, fault.code) for fault in found.errors]) == (
        "bulk_refused",
        [("/jobs/1", "bad_path")],
    )
    assert desk.state.jobs == {}


def test_a_key_and_the_body_make_a_requests_identity(desk: MemoryDesk) -> None:
    bodies = (a_spec("a"), a_spec("a"), a_spec("b"))
    for body in bodies:
        call(desk, "POST", "/jobs", body, caller=AS_USER, idempotency_key="k")
    (one, again, other) = [(key, digest) for _, key, digest in desk.asked]
    assert one == again
    assert one[0] == other[0] == f"{USER.pw_uid}:k"
    assert one[1] != other[1]


def test_the_same_key_for_another_route_is_another_request(desk: MemoryDesk) -> None:
    body = {"jobs": [{"id": submit(desk)}]}
    for action in ("stop", "resume"):
        call(desk, "POST", f"/jobs/{action}", body, caller=AS_USER, idempotency_key="k")
    assert len({digest for _, _, digest in desk.asked}) == 3


def test_a_request_without_key_has_no_identity(desk: MemoryDesk) -> None:
    submit(desk)
    assert desk.asked[0][1:] == ("", b"")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "bad_json"),
        (b'{"nmae": "x"}', 400, "unknown_field"),
        (b'{"priority": 101}', 400, "bad_field"),
        (b"{}", 400, "bad_job"),
        (a_spec(cwd="here"), 400, "bad_path"),
        (a_spec(queue="nigth"), 400, "unknown_queue"),
        (a_spec(exdata=Exdata(env={"XCE_X": "1"})), 400, "reserved_variable"),
        (b" " * (4 << 20) + b"{}", 413, "too_large"),
    ],
)
def test_a_submit_that_is_wrong_is_refused_and_changes_nothing(
    desk: MemoryDesk, body: Any, status: int, code: str
) -> None:
    response = call(desk, "POST", "/jobs", body, caller=AS_USER)
    found = problem(response)
    assert (found.status, found.code) == (status, code)
    assert desk.state.jobs == {}


@pytest.mark.parametrize("path", ["/jobs?wait=1", "/jobs/kill?force=1", "/jobs/bulk?x="])
def test_a_query_that_means_nothing_is_refused(desk: MemoryDesk, path: str) -> None:
    body = {"jobs": [{"id": 1}]} if "kill" in path else ({"jobs": [a_spec()]} if "bulk" in path else a_spec())
    assert problem(call(desk, "POST", path, body, caller=AS_USER)).code == "unknown_parameter"
    assert desk.asked == []


@pytest.mark.parametrize(("caller", "word"), [(None, "cannot be identified"), ("65534:1", "nobody in particular")])
def test_a_caller_without_a_name_gets_nothing(desk: MemoryDesk, caller: str | None, word: str) -> None:
    for method, path in (("POST", "/jobs"), ("GET", "/jobs"), ("GET", "/queues"), ("POST", "/config/apply")):
        response = call(desk, method, path, {}, caller=caller)
        assert (response.status_code, word in problem(response).detail) == (403, True)
    assert desk.asked == []


# --- routes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nothing", 404, "unknown_route"),
        ("GET", "/jobs/", 404, "unknown_route"),
        ("GET", "/jobs/x12", 405, "bad_method"),
        ("DELETE", "/jobs", 405, "bad_method"),
        ("POST", "/jobs/explode", 404, "unknown_route"),
        ("GET", "/jobs/99", 404, "unknown_job"),
        ("GET", f"/jobs/{1 << 70}", 404, "unknown_job"),
        ("POST", "/hosts/h1/explode", 400, "unknown_action"),
        ("GET", "/presets/none", 404, "unknown_preset"),
    ],
)
def test_what_is_not_there_is_told(desk: MemoryDesk, method: str, path: str, status: int, code: str) -> None:
    found = problem(call(desk, method, path))
    assert (found.status, found.code) == (status, code)


def test_a_bug_is_answered_without_its_traceback_and_logged_with_it(
    desk: MemoryDesk, capsys: pytest.CaptureFixture[str]
) -> None:
    desk.linked_hosts = lambda: 1 / 0  # type: ignore[assignment,method-assign,return-value]
    response = call(desk, "GET", "/status")
    assert (response.status_code, problem(response).code) == (500, "internal")
    assert "ZeroDivisionError" not in response.text
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_readiness_is_told_apart_from_health(desk: MemoryDesk) -> None:
    assert call(desk, "GET", "/readyz").json() == {"state": "ready"}
    desk.scheduler = None
    response = call(desk, "GET", "/readyz")
    assert (response.status_code, response.headers["retry-after"]) == (503, "1")
    assert call(desk, "GET", "/healthz").json() == {"state": "ok"}


# --- actions ----------------------------------------------------------------------------------------------------------


def test_an_action_says_what_was_done_and_what_was_refused(desk: MemoryDesk) -> None:
    own = submit(desk)
    response = call(desk, "POST", "/jobs/kill", {"jobs": [{"id": own}, {"id": 99}]}, caller=AS_USER)
    report = msgspec.json.decode(response.content, type=wire.ActionReport)
    assert (response.status_code, report.done) == (200, (str(own),))
    assert [(refusal.job, refusal.code) for refusal in report.refused] == [("99", "already_ended")]


def test_another_users_job_is_not_yours_to_end(desk: MemoryDesk) -> None:
    own = submit(desk)
    response = call(desk, "POST", "/jobs/kill", {"jobs": [{"id": own}]}, caller=AS_OTHER)
    report = msgspec.json.decode(response.content, type=wire.ActionReport)
    assert (report.done, report.refused[0].code) == ((), "not_permitted")
    assert desk.state.jobs[own].ended_at is None


@pytest.mark.parametrize(
    ("action", "body", "code"),
    [
        ("stop", {"jobs": [{"id": 1}], "force": True}, "bad_field"),
        ("kill", {"jobs": []}, "bad_field"),
        ("kill", {"jobs": [{"id": 0}]}, "bad_field"),
        ("kill", {"jobs": [{"id": 1, "elements": "7-3"}]}, "bad_indexes"),
        ("kill", {"jobs": [{"id": 1}], "why": "x" * 1025}, "bad_field"),
        ("kill", {"job": 1}, "unknown_field"),
    ],
)
def test_a_wrong_action_is_refused(desk: MemoryDesk, action: str, body: Any, code: str) -> None:
    submit(desk)
    response = call(desk, "POST", f"/jobs/{action}", body, caller=AS_USER)
    assert (response.status_code, problem(response).code) == (400, code)


def test_hosts_and_queues_are_the_administrators(desk: MemoryDesk) -> None:
    refused = call(desk, "POST", "/hosts/h1/drain", {"why": "x"}, caller=AS_USER)
    assert (refused.status_code, problem(refused).code) == (403, "not_permitted")
    assert call(desk, "POST", "/hosts/h1/drain", {"why": "x"}).json()["why"] == "x"
    assert call(desk, "POST", "/queues/normal/close").json()["by"] == "root"


# --- reading ----------------------------------------------------------------------------------------------------------


def ids(response: httpx.Response) -> list[int]:
    assert response.status_code == 200, response.text
    return [row["id"] for row in response.json()["jobs"]]


def test_lists_are_filtered_and_paged_by_falling_id(desk: MemoryDesk) -> None:
    for name in ("a", "b", "a", "c"):
        submit(desk, name=name, labels={"k": name})
    assert ids(call(desk, "GET", "/jobs", caller=AS_USER)) == [4, 3, 2, 1]
    assert ids(call(desk, "GET", "/jobs?name=a", caller=AS_USER)) == [3, 1]
    assert ids(call(desk, "GET", "/jobs?label=k=b", caller=AS_USER)) == [2]
    assert ids(call(desk, "GET", "/jobs?state=RUN", caller=AS_USER)) == []
    first = call(desk, "GET", "/jobs?limit=3", caller=AS_USER)
    assert (ids(first), first.json()["cursor"]) == ([4, 3, 2], 2)
    last = call(desk, "GET", "/jobs?limit=3&cursor=2", caller=AS_USER)
    assert (ids(last), last.json()["cursor"]) == ([1], None)


def test_lists_are_your_own_unless_asked_otherwise(desk: MemoryDesk) -> None:
    submit(desk)
    assert ids(call(desk, "GET", "/jobs", caller=AS_OTHER)) == []
    assert ids(call(desk, "GET", "/jobs?all=true", caller=AS_OTHER)) == [1]
    assert ids(call(desk, "GET", f"/jobs?user={USER.pw_name}", caller=AS_OTHER)) == [1]


def test_live_and_finished_jobs_are_told_apart(desk: MemoryDesk) -> None:
    ended, live = submit(desk), submit(desk)
    desk.cluster.run(ended)
    assert ids(call(desk, "GET", "/jobs?all=true")) == [live]
    assert ids(call(desk, "GET", "/jobs?all=true&scope=finished")) == [ended]
    assert ids(call(desk, "GET", "/jobs?all=true&scope=both")) == [live, ended]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("state=RUNNING", "bad_parameter"),
        ("scope=all", "bad_parameter"),
        ("all=yes", "bad_parameter"),
        ("limit=0", "bad_parameter"),
        ("limit=1001", "bad_parameter"),
        ("cursor=x", "bad_parameter"),
        ("label=k", "bad_parameter"),
        ("label=%3Dv", "bad_parameter"),
        ("quue=a", "unknown_parameter"),
        ("queue=a&queue=b", "repeated_parameter"),
    ],
)
def test_a_wrong_filter_is_refused(desk: MemoryDesk, query: str, code: str) -> None:
    response = call(desk, "GET", f"/jobs?{query}")
    assert (response.status_code, problem(response).code) == (400, code)


def test_a_job_shows_its_request_to_its_owner_and_hides_it_from_others(desk: MemoryDesk) -> None:
    job_id = submit(
        desk, script="#!/bin/sh\nhush", exdata=Exdata(env={"A": "hush"}, meta={"m": "hush"}), explicit_env=("A",)
    )
    own = call(desk, "GET", f"/jobs/{job_id}", caller=AS_USER)
    assert own.json()["spec"]["exdata"]["env"] == {"A": "hush"}
    assert own.json()["effective"]
    other = call(desk, "GET", f"/jobs/{job_id}", caller=AS_OTHER)
    assert (other.status_code, "hush" in other.text, other.json()["effective"]) == (200, False, [])
    for path in ("explain", "output"):
        refused = call(desk, "GET", f"/jobs/{job_id}/{path}", caller=AS_OTHER)
        assert (refused.status_code, problem(refused).code) == (403, "not_permitted")


def test_the_reasons_of_a_waiting_job_are_told(desk: MemoryDesk) -> None:
    job_id = submit(desk, hold=True)
    report = call(desk, "GET", f"/jobs/{job_id}/why", caller=AS_OTHER).json()
    assert [reason["code"] for reason in report["reasons"]] == ["held"]
    assert report["row"]["reason"] == f"held by {USER.pw_name}"


def test_explaining_a_request_submits_nothing(desk: MemoryDesk) -> None:
    response = call(desk, "POST", "/explain", a_spec(priority=70), caller=AS_USER)
    rows = {row["attribute"]: row["value"] for row in response.json()["rows"]}
    assert (response.status_code, rows["queue"]) == (200, "normal")
    assert (desk.asked, desk.state.jobs) == ([], {})


def test_waiting_answers_at_the_end_or_as_it_is(desk: MemoryDesk) -> None:
    job_id = submit(desk)
    assert call(desk, "GET", f"/jobs/{job_id}/wait?timeout=0").json()["state"] == "PEND"
    desk.on_watch = lambda: desk.cluster.run(job_id)
    assert call(desk, "GET", f"/jobs/{job_id}/wait").json()["state"] == "DONE"
    assert problem(call(desk, "GET", f"/jobs/{job_id}/wait?timeout=26")).code == "bad_parameter"


def test_output_comes_in_pieces_with_its_place(desk: MemoryDesk) -> None:
    job_id = submit(desk)
    waiting = call(desk, "GET", f"/jobs/{job_id}/output", caller=AS_USER)
    assert (waiting.status_code, problem(waiting).code) == (409, "not_started")
    desk.output = b"hello world\n"
    key = desk.cluster.start(job_id)
    piece = call(desk, "GET", f"/jobs/{job_id}/output?offset=6&limit=5", caller=AS_USER)
    headers = {name: piece.headers[f"x-xce-{name}"] for name in ("offset", "size", "final", "attempt")}
    assert (piece.content, headers) == (b"world", {"offset": "6", "size": "12", "final": "false", "attempt": "1"})
    desk.cluster.end(key)
    past = PastAttempt(attempt=1, hosts=("h1",), dispatched_at=1.0, ended_at=2.0, exit_code=0)
    desk.history.ended[job_id] = [Element(job_id=job_id, index=0, state=State.DONE, past=(past,))]
    last = call(desk, "GET", f"/jobs/{job_id}/output?offset=-6", caller=AS_USER)
    assert (last.content, last.headers["x-xce-final"]) == (b"world\n", "true")
    desk.is_linked = False
    assert problem(call(desk, "GET", f"/jobs/{job_id}/output", caller=AS_USER)).code == "host_not_linked"


def test_output_of_an_array_needs_an_element(desk: MemoryDesk) -> None:
    job_id = submit(desk, array={"ranges": [[1, 3, 1]]})
    assert problem(call(desk, "GET", f"/jobs/{job_id}/output", caller=AS_USER)).code == "which_element"
    assert problem(call(desk, "GET", f"/jobs/{job_id}/output?index=9", caller=AS_USER)).code == "no_output"


# --- configuration ----------------------------------------------------------------------------------------------------


def test_a_configuration_is_applied_by_an_administrator_alone(desk: MemoryDesk) -> None:
    document = to_bytes(empty())
    for body in (document, b"{"):  # who may not is told so, whatever was sent
        refused = call(desk, "POST", "/config/apply", body, caller=AS_USER)
        assert (refused.status_code, problem(refused).code) == (403, "not_permitted")
    applied = call(desk, "POST", "/config/apply?message=first", document)
    assert (applied.status_code, applied.json()["generation"], applied.json()["note"]["why"]) == (200, 1, "first")
    assert call(desk, "GET", "/config").json()["hash"] == applied.json()["hash"]
    assert call(desk, "GET", "/config/document").content == document


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("/config/apply", b"{", "bad_configuration"),
        ("/config/apply", b"{}", "bad_configuration"),
        ("/config/apply?message=" + "x" * 1025, to_bytes(empty()), "too_large"),
        ("/config/apply?force=1", to_bytes(empty()), "unknown_parameter"),
    ],
)
def test_a_configuration_that_is_wrong_changes_nothing(desk: MemoryDesk, path: str, body: bytes, code: str) -> None:
    assert problem(call(desk, "POST", path, body)).code == code
    assert desk.state.generation.number == 0


def test_jobs_of_a_list_are_the_same_as_those_asked_for_alone(desk: MemoryDesk) -> None:
    job_id = submit(desk, name="fit")
    (listed,) = call(desk, "GET", "/jobs", caller=AS_USER).json()["jobs"]
    assert call(desk, "GET", f"/jobs/{job_id}", caller=AS_USER).json()["row"] == listed


def test_what_a_command_carries_is_who_the_kernel_says(desk: MemoryDesk) -> None:
    submit(desk)
    command = desk.asked[0][0]
    assert isinstance(command, cmd.Submit)
    assert command.actor != ANN
    assert (command.actor.uid, command.actor.gid, command.actor.role) == (USER.pw_uid, USER.pw_gid, "user")
