"""`xceadmin host` and `xceadmin queue`: what is asked of the server, and what is said then."""

import json

import pytest

from tests.kit.cli import Answers, Ran, problem, run_client
from xceadmin.main import main
from xcelib import wire
from xcelib.config.codes import CATALOGUE

NOTE = wire.NoteRow(by="root", at=0.0, why="new memory")


def admin(*argv: str, answers: Answers | None = None) -> Ran:
    return run_client(main, argv, answers)


ACTIONS = [
    ("host", "drain", "host x is drained: it starts nothing more, what runs goes on"),
    ("host", "close", "host x is closed: it starts nothing more, what runs goes on"),
    ("host", "open", "host x is open"),
    ("queue", "open", "queue x is open: it takes jobs"),
    ("queue", "close", "queue x is closed: it takes no new jobs"),
    ("queue", "activate", "queue x is active: it starts jobs"),
    ("queue", "inactivate", "queue x is inactive: it starts no jobs"),
]


@pytest.mark.parametrize(("noun", "action", "words"), ACTIONS)
def test_an_action_is_sent_with_its_reason_and_told(noun: str, action: str, words: str) -> None:
    answers = {f"POST /{noun}s/x/{action}": (200, NOTE)}
    ran = admin(noun, action, "x", "--why", "new memory", answers=answers)
    assert (ran.status, ran.out, ran.err) == (0, f"{words}\n", "")
    assert ran.body() == {"why": "new memory"}
    assert ran.requests[0].headers["idempotency-key"] == "key-1"


def test_an_action_needs_no_reason() -> None:
    assert admin("host", "open", "x", answers={"POST /hosts/x/open": (200, NOTE)}).body() == {}


def test_an_action_answers_with_json_when_asked() -> None:
    ran = admin("host", "drain", "x", "--json", answers={"POST /hosts/x/drain": (200, NOTE)})
    assert json.loads(ran.out) == {"schema": "xce.note/1", "by": "root", "at": 0.0, "why": "new memory"}


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (problem(404, "unknown_host", "host `x` does not exist", hints=["did you mean `y`?"]), 1),
        (problem(403, "not_permitted", "`ann` may not drain hosts"), 77),
        (problem(503, "starting", "starting"), 75),
    ],
)
def test_a_refusal_has_its_exit_status(answer: tuple[int, object], status: int) -> None:
    ran = admin("host", "drain", "x", answers={"POST /hosts/x/drain": answer})
    assert (ran.status, ran.out) == (status, "")
    assert ran.err.startswith("xceadmin: error: ")


def test_hosts_and_queues_are_listed_with_who_closed_them_and_why() -> None:
    hosts = wire.HostList(hosts=(wire.HostRow(name="node1", state="up", admin="drained", note=NOTE),))
    queues = wire.QueueList(queues=(wire.QueueRow(name="night", priority=1, closed=NOTE),))
    assert "root: new memory" in admin("host", "list", answers={"GET /hosts": (200, hosts)}).out
    assert "root: new memory" in admin("queue", "list", answers={"GET /queues": (200, queues)}).out
    found = json.loads(admin("queue", "list", "--json", answers={"GET /queues": (200, queues)}).out)
    assert (found["schema"], found["queues"][0]["closed"]["why"]) == ("xce.queues/1", "new memory")


@pytest.mark.parametrize(
    ("argv", "hint"),
    [
        (["hots"], "did you mean `host`?"),
        (["host", "drian", "x"], "did you mean `drain`?"),
        (["host", "drain"], "`xceadmin host drain --help` shows how"),
        (["explain", "XCE120"], "did you mean `XCE12"),
    ],
)
def test_wrong_words_are_told_the_nearest(argv: list[str], hint: str) -> None:
    ran = admin(*argv)
    assert ran.status in (1, 2)
    assert f"hint: {hint}" in ran.err


@pytest.mark.parametrize("code", sorted(CATALOGUE))
def test_every_fault_has_its_story(code: str) -> None:
    ran = admin("explain", code.lower())
    assert ran.status == 0
    assert ran.out.startswith(f"{code}: {CATALOGUE[code].title}\n\n")
    assert len(ran.out.splitlines()) > 2
