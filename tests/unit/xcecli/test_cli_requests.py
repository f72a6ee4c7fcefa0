"""The client: one method a route, keys that stay the same over repeats, failures in our types."""

from collections.abc import Callable
from typing import Any

import httpx
import msgspec
import pytest

from xcecli.kit.client import RETRIES_S, XceClient
from xcelib import wire
from xcelib.errors import ExitStatus, Refused, TryAgain, Unreachable, XceError
from xcelib.jobspec import JobSpec

Respond = Callable[[httpx.Request], httpx.Response]


class Wire:
    """A client on a transport that the test owns: what was sent, and the pauses taken."""

    def __init__(self, respond: Respond) -> None:
        self.sent: list[httpx.Request] = []
        self.pauses: list[float] = []
        self._respond = respond
        self._keys = iter("abcdefgh")
        http = httpx.Client(transport=httpx.MockTransport(self._answer), base_url="http://xce")
        self.client = XceClient(http, "unix:/s", sleep=self.pauses.append, new_key=lambda: next(self._keys))

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(request)
        return self._respond(request)

    @property
    def keys(self) -> list[str | None]:
        return [request.headers.get("idempotency-key") for request in self.sent]


def answering(status: int, body: object) -> Respond:
    return lambda request: httpx.Response(status, content=msgspec.json.encode(body))


def failing_times(count: int, then: Respond, error: type[httpx.TransportError] = httpx.ConnectError) -> Respond:
    left = [count]

    def respond(request: httpx.Request) -> httpx.Response:
        left[0] -= 1
        if left[0] >= 0:
            raise error("gone", request=request)
        return then(request)

    return respond


def problem(status: int, code: str) -> dict[str, Any]:
    return {"status": status, "title": code, "code": code, "detail": "no"}


ROUTES: list[tuple[Callable[[XceClient], object], str, object]] = [
    (lambda c: c.submit(JobSpec()), "POST /jobs", {"job_id": 1}),
    (lambda c: c.jobs({}), "GET /jobs", {"jobs": []}),
    (lambda c: c.explain(7), "GET /jobs/7/explain", {"rows": []}),
    (lambda c: c.explain_spec(JobSpec()), "POST /explain", {"rows": []}),
    (lambda c: c.act("kill", wire.ActionRequest(jobs=())), "POST /jobs/kill", {}),
    (lambda c: c.queues(), "GET /queues", {"queues": []}),
    (lambda c: c.hosts(), "GET /hosts", {"hosts": []}),
    (lambda c: c.apps(), "GET /apps", {"apps": []}),
    (lambda c: c.set_host("h1", "drain", ""), "POST /hosts/h1/drain", {"by": "root", "at": 0}),
    (lambda c: c.set_queue("a/b?", "close", ""), "POST /queues/a%2Fb%3F/close", {"by": "root", "at": 0}),
    (lambda c: c.presets(), "GET /presets", {"presets": []}),
    (lambda c: c.preset("../x"), "GET /presets/..%2Fx", {"name": "x", "text": "", "hash": ""}),
    (lambda c: c.config(), "GET /config", {"generation": 1, "hash": ""}),
    (lambda c: c.config_document(), "GET /config/document", {}),
    (lambda c: c.apply_config(b"{}", {"message": "m"}), "POST /config/apply?message=m", {"generation": 1, "hash": ""}),
    (lambda c: c.version(), "GET /version", {}),
]


@pytest.mark.parametrize(("call", "route", "body"), ROUTES, ids=[route for _, route, _ in ROUTES])
def test_a_method_is_a_route(call: Callable[[XceClient], object], route: str, body: object) -> None:
    line = Wire(answering(200, body))
    call(line.client)
    (request,) = line.sent
    assert f"{request.method} {request.url.raw_path.decode().removeprefix('/xce/v1')}" == route
    assert ("idempotency-key" in request.headers) is (request.method == "POST")


def test_parameters_that_are_not_given_are_not_sent() -> None:
    line = Wire(answering(200, {"jobs": []}))
    line.client.jobs({"user": None, "limit": 5})
    assert str(line.sent[0].url.query, "ascii") == "limit=5"


@pytest.mark.parametrize("error", [httpx.ConnectError, httpx.ReadError, httpx.ReadTimeout, httpx.RemoteProtocolError])
def test_a_repeat_after_no_answer_keeps_its_key(error: type[httpx.TransportError]) -> None:
    line = Wire(failing_times(2, answering(201, {"job_id": 1}), error))
    assert line.client.submit(JobSpec()).job_id == 1
    assert line.keys == ["a", "a", "a"]
    assert [request.content for request in line.sent] == [line.sent[0].content] * 3
    assert line.pauses == list(RETRIES_S[:2])


def test_another_request_has_another_key() -> None:
    line = Wire(answering(201, {"job_id": 1}))
    line.client.submit(JobSpec())
    line.client.submit(JobSpec())
    assert line.keys == ["a", "b"]


def test_a_server_that_starts_is_asked_again_and_then_it_is_try_again() -> None:
    line = Wire(answering(503, problem(503, "starting")))
    with pytest.raises(TryAgain) as caught:
        line.client.queues()
    assert caught.value.exit_status == ExitStatus.TRY_AGAIN
    assert len(line.sent) == len(RETRIES_S) + 1
    assert line.pauses == list(RETRIES_S)


def test_no_server_is_told_with_its_address_and_the_ways_out() -> None:
    line = Wire(failing_times(99, answering(200, {})))
    with pytest.raises(Unreachable) as caught:
        line.client.queues()
    assert caught.value.message == "no answer from unix:/s: gone"
    assert caught.value.exit_status == ExitStatus.UNREACHABLE
    assert caught.value.hints == (
        "look with `xceserver status`, start a cluster with `xceserver up`",
        "or choose another with `--server`",
    )
    assert len(line.sent) == len(RETRIES_S) + 1


def test_a_refusal_is_not_repeated() -> None:
    line = Wire(answering(409, problem(409, "closed")))
    with pytest.raises(Refused):
        line.client.submit(JobSpec())
    assert len(line.sent) == 1


@pytest.mark.parametrize("body", [b"", b"<html>", b"null", b'{"status": "x"}', b"\xff"])
def test_what_is_no_answer_of_ours_is_unreachable(body: bytes) -> None:
    for status in (200, 404, 500):
        line = Wire(lambda request, status=status: httpx.Response(status, content=body))  # type: ignore[misc]
        with pytest.raises(Unreachable):
            line.client.queues()


@pytest.mark.parametrize(
    "headers", [{}, {"x-xce-offset": "a", "x-xce-size": "1", "x-xce-final": "true"}, {"x-xce-offset": "1"}]
)
def test_output_without_its_place_is_unreachable(headers: dict[str, str]) -> None:
    line = Wire(lambda request: httpx.Response(200, content=b"x", headers=headers))
    with pytest.raises(Unreachable):
        line.client.output(1, index=None, stream="out", offset=0)


def test_a_newer_servers_fields_do_not_matter() -> None:
    line = Wire(answering(201, {"job_id": 1, "new_field": [1]}))
    assert line.client.submit(JobSpec()).job_id == 1


def test_the_facts_of_a_refusal_arrive() -> None:
    body = problem(400, "bad_field") | {"hints": ["h"], "errors": [{"path": "/a", "code": "c", "message": "m"}]}
    line = Wire(answering(400, body))
    with pytest.raises(XceError) as caught:
        line.client.submit(JobSpec())
    assert (caught.value.code, caught.value.hints, caught.value.faults[0].path) == ("bad_field", ("h",), "/a")
