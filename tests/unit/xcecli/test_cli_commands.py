"""Commands against a server that answers what the test says: words, exit statuses, JSON."""

import json
from typing import Any

import httpx
import msgspec
import pytest

from tests.kit.cli import Answer, Ran, a_world, problem, run_client
from xcecli.main import main
from xcelib import wire
from xcelib.jobspec import Exdata, JobSpec


def cli(*argv: str, answers: Any = None, **world: Any) -> Ran:
    return run_client(main, argv, answers, a_world(**world))


def a_row(**fields: Any) -> wire.JobRow:
    return wire.JobRow(**{"id": 12, "user": "ann", "state": "DONE", "queue": "normal", "submitted_at": 0.0, **fields})


def spec_of(ran: Ran) -> JobSpec:
    return msgspec.json.decode(ran.requests[-1].content, type=JobSpec)


SUBMITTED = {"POST /jobs": (201, {"job_id": 4711})}

# --- submit ---------------------------------------------------------------------------------------------------------


def test_submit_prints_the_id_alone() -> None:
    ran = cli("submit", "--queue", "night", "--", "./run.sh", "-v", answers=SUBMITTED)
    assert (ran.status, ran.out, ran.err) == (0, "4711\n", "")
    spec = spec_of(ran)
    assert (spec.command, spec.queue, spec.cwd) == (("./run.sh", "-v"), "night", "/tmp")


def test_submit_answers_with_json_when_asked() -> None:
    ran = cli("submit", "--json", "--", "true", answers=SUBMITTED)
    assert json.loads(ran.out) == {"schema": "xce.submitted/1", "job_id": 4711, "warnings": [], "notes": []}


def test_options_after_the_command_are_the_commands() -> None:
    spec = spec_of(cli("submit", "echo", "--queue", "-n", "--json", answers=SUBMITTED))
    assert spec.command == ("echo", "--queue", "-n", "--json")
    assert spec.queue is None


def test_warnings_and_notes_are_shown_on_standard_error_unless_quiet() -> None:
    answers = {"POST /jobs": (201, {"job_id": 1, "warnings": ["mem is low"], "notes": ["as you\x1b[2J like"]})}
    ran = cli("submit", "--", "true", answers=answers)
    assert ran.err == "xcecli: warning: mem is low\nxcecli: note: as you\\x1b[2J like\n"
    assert cli("submit", "--quiet", "--", "true", answers=answers).err == ""


def test_names_of_secrets_are_noted_never_their_values() -> None:
    ran = cli("submit", "--", "true", answers=SUBMITTED, environ={"API_TOKEN": "hush", "A": "1"})
    assert "API_TOKEN" in ran.err
    assert "hush" not in ran.err + ran.out
    assert spec_of(ran).exdata == Exdata(env={"A": "1"})


def test_a_dry_run_asks_nobody_and_prints_the_request() -> None:
    ran = cli("submit", "--dry-run", "-M", "1G", "--", "true")
    assert ran.requests == []
    assert json.loads(ran.out)["resreq"] == "rusage[mem=1G/task]"


def test_explain_shows_effective_values_and_submits_nothing() -> None:
    rows = (wire.ExplainRow(attribute="queue", value="night", origins=("job",)),)
    answers = {"POST /explain": (200, wire.ExplainTable(rows=rows, notes=("n",)))}
    ran = cli("submit", "--explain", "--", "true", answers=answers)
    assert [request.url.path for request in ran.requests] == ["/xce/v1/explain"]
    assert "queue      night  job" in ran.out
    assert "note: n" in ran.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--dry-run", "--wait"], "--dry-run submits nothing, so --wait has no meaning beside it"),
        (["--explain", "--follow"], "--explain submits nothing, so --follow has no meaning beside it"),
        (["--dry-run", "--explain"], "--dry-run submits nothing, so --explain has no meaning beside it"),
    ],
)
def test_what_submits_nothing_cannot_be_waited_for(options: list[str], message: str) -> None:
    ran = cli("submit", *options, "--", "true")
    assert (ran.status, ran.err) == (2, f"xcecli: error: {message}\n")


def test_an_array_is_not_followed_and_not_submitted() -> None:
    ran = cli("submit", "--follow", "-a", "5-8", "--", "true", answers=SUBMITTED)
    assert (ran.status, ran.requests) == (2, [])
    assert ran.err.startswith("xcecli: error: --follow follows one output")


def test_a_script_comes_from_standard_input() -> None:
    ran = cli("submit", inp="#!/bin/sh\n#XCE --name fit\necho\n", answers=SUBMITTED)
    assert spec_of(ran).script == "#!/bin/sh\n#XCE --name fit\necho\n"
    assert spec_of(ran).name == "fit"


@pytest.mark.parametrize(
    ("inp", "is_terminal", "message"),
    [
        ("", True, "there is no command to run"),
        ("", False, "the script from standard input is empty"),
        ("echo\n", False, "the script from standard input has no `#!` line"),
        ("#!/bin/sh\n#XCE --queu x\n", False, "the script has 1 wrong directive"),
        ("#!/bin/sh\n" + "x" * (1 << 20), False, "the script is larger than 1048576 bytes"),
    ],
)
def test_what_is_no_script_is_refused(inp: str, is_terminal: bool, message: str) -> None:
    ran = cli("submit", inp=inp, is_terminal=is_terminal)
    assert ran.status in (1, 2)
    assert ran.err.startswith(f"xcecli: error: {message}\n")
    assert ran.requests == []


# --- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "status", "word"),
    [
        (problem(400, "limit_conflict", "run_time 9h is above 8h"), 1, "above 8h"),
        (problem(403, "not_permitted", "not yours"), 77, "not yours"),
        (problem(404, "unknown_job", "job `12` does not exist", hints=["list"]), 1, "hint: list"),
        (problem(409, "closed", "the queue is closed"), 1, "closed"),
        (problem(413, "too_large", "the body is too large"), 1, "too large"),
        (problem(429, "pending_limit", "at most 5"), 1, "at most 5"),
        (problem(503, "starting", "starting"), 75, "starting"),
        (problem(507, "storage_full", "the disk is full"), 75, "disk"),
        (problem(500, "internal", "a bug in XCE"), 1, "a bug"),
        ((200, b"<html>"), 69, "not as this client understands"),
        ((200, {"jobs": 5}), 69, "not as this client understands"),
        ((500, b"<html>"), 69, "not as an XCE server"),
    ],
)
def test_a_refusal_has_its_exit_status_and_its_words(answer: Answer, status: int, word: str) -> None:
    ran = cli("job", "12", answers={"GET /jobs/12": answer})
    assert ran.status == status
    assert word in ran.err
    assert ran.err.startswith("xcecli: error: ")
    assert (ran.out, "Traceback" in ran.err) == ("", False)


def test_errors_are_json_with_their_code_when_asked() -> None:
    answer = problem(404, "unknown_job", "no such job", hints=["list"])
    ran = cli("job", "12", "--json", answers={"GET /jobs/12": answer})
    assert json.loads(ran.err) == {
        "status": 404, "title": "unknown job", "code": "unknown_job", "detail": "no such job", "hints": ["list"],
    }  # fmt: skip
    assert ran.status == 1


def test_wrong_words_beside_json_are_json_too() -> None:
    assert json.loads(cli("jobs", "--json", "--quue", "x").err)["code"] == "unknown_option"


def test_json_that_belongs_to_the_command_does_not_make_errors_json() -> None:
    for argv in (["--", "prog", "--json"], ["prog", "--json"]):
        ran = cli("submit", *argv, answers={"POST /jobs": problem(409, "closed", "the queue is closed")})
        assert ran.err == "xcecli: error: the queue is closed\n"
    assert cli("submit", "--quue", "x", "--", "prog", "--json").err.startswith("xcecli: error: there is no option")


def test_a_hostile_message_is_shown_harmless() -> None:
    ran = cli("job", "12", answers={"GET /jobs/12": problem(404, "unknown_job", "\x1b[2J\n  a\u202e\n  ^")})
    assert ran.err == "xcecli: error: \\x1b[2J\n  a\\u202e\n  ^\n"


@pytest.mark.parametrize(
    ("argv", "message", "hint"),
    [
        (["sbumit"], "there is no command `sbumit`", "did you mean `submit`?"),
        (["xyzzy"], "there is no command `xyzzy`", "`xcecli --help` lists the commands"),
        (["submit", "--quue", "x"], "there is no option `--quue`", "did you mean `--queue`?"),
        (["jobs", "--xyzzy"], "there is no option `--xyzzy`", "`xcecli jobs --help` shows how"),
        (["submit", "--launch", "task", "--", "x"], "--launch: there is no `task`", "did you mean `tasks`?"),
        (["job", "x12"], "`x12` is not a job id", "a job id is a whole number such as 4711"),
        (["job"], "missing argument `JOB`", "`xcecli job --help` shows how"),
        (["jobs", "--limit", "0"], "invalid value for `--limit`: 0 is not in the range x>=1", "`xcecli jobs --help` shows how"),
        (["preset", "shwo"], "there is no command `shwo`", "did you mean `show`?"),
    ],
)  # fmt: skip
def test_wrong_words_are_usage_with_a_hint(argv: list[str], message: str, hint: str) -> None:
    ran = cli(*argv)
    assert (ran.status, ran.requests) == (2, [])
    assert ran.err == f"xcecli: error: {message}\nhint: {hint}\n"


def test_an_option_without_its_value_is_told() -> None:
    assert cli("jobs", "--queue").err == "xcecli: error: option `--queue` requires an argument\n"


@pytest.mark.parametrize("argv", [[], ["preset"]])
def test_a_missing_command_shows_the_commands(argv: list[str]) -> None:
    ran = cli(*argv)
    assert ran.status == 2
    assert ran.err.startswith("xcecli: error: there is no command\nUsage: xcecli")
    assert "Commands:" in ran.err


# --- listing ----------------------------------------------------------------------------------------------------------


def test_a_table_fits_and_hostile_names_are_shown_harmless() -> None:
    row = a_row(name="\x1b[2J" + "x" * 90, state="PEND", reason="no host fits now " * 9)
    ran = cli("jobs", answers={"GET /jobs": (200, wire.JobPage(jobs=(row,)))})
    assert all(len(line) <= 80 for line in ran.out.splitlines())
    assert "\x1b" not in ran.out


def test_no_jobs_print_nothing() -> None:
    for command in ("jobs", "history"):
        assert cli(command, answers={"GET /jobs": (200, wire.JobPage(jobs=()))}).out == ""


def test_filters_are_sent_and_nothing_else() -> None:
    answers = {"GET /jobs": (200, wire.JobPage(jobs=()))}
    ran = cli("jobs", "-a", "--state", "PEND", "-q", "night", "--label", "k=v", answers=answers)
    assert dict(ran.requests[0].url.params) == {
        "scope": "live", "all": "true", "state": "PEND", "queue": "night", "label": "k=v", "limit": "100",
    }  # fmt: skip
    ran = cli("history", "-u", "bob", "-A", "fluent", "--name", "fit", "--limit", "7", answers=answers)
    assert dict(ran.requests[0].url.params) == {
        "scope": "finished", "user": "bob", "app": "fluent", "name": "fit", "limit": "7",
    }  # fmt: skip


def test_a_list_longer_than_a_page_is_collected_and_what_is_left_is_noted() -> None:
    def answer(request: httpx.Request) -> Answer:
        first = int(request.url.params.get("cursor", 3001)) - 1
        rows = tuple(a_row(id=n) for n in range(first, first - int(request.url.params["limit"]), -1))
        return 200, wire.JobPage(jobs=rows, cursor=rows[-1].id)

    ran = cli("jobs", "--limit", "1500", answers=answer)
    assert [request.url.params["limit"] for request in ran.requests] == ["1000", "500"]
    assert len(ran.out.splitlines()) == 1501
    assert ran.err == "xcecli: note: there are more than 1500 jobs; `--limit N` shows more\n"


JSON_COMMANDS: dict[str, tuple[list[str], str, Answer, str]] = {
    "jobs": (["jobs"], "GET /jobs", (200, wire.JobPage(jobs=(a_row(),))), "xce.jobs/1"),
    "history": (["history"], "GET /jobs", (200, wire.JobPage(jobs=(a_row(),))), "xce.jobs/1"),
    "job": (["job", "12"], "GET /jobs/12", (200, wire.JobDetail(row=a_row(), spec=JobSpec(command=("a",)))), "xce.job/1"),
    "why": (["why", "12"], "GET /jobs/12/why", (200, wire.WhyReport(row=a_row())), "xce.why/1"),
    "explain": (["explain", "12"], "GET /jobs/12/explain", (200, wire.ExplainTable(rows=())), "xce.explain/1"),
    "queues": (["queues"], "GET /queues", (200, wire.QueueList(queues=())), "xce.queues/1"),
    "hosts": (["hosts"], "GET /hosts", (200, wire.HostList(hosts=())), "xce.hosts/1"),
    "apps": (["apps"], "GET /apps", (200, wire.AppList(apps=())), "xce.apps/1"),
    "kill": (["kill", "12"], "POST /jobs/kill", (200, wire.ActionReport(done=("12",))), "xce.actions/1"),
    "version": (["version"], "GET /version", (200, {"version": "1", "cluster": "c", "uuid": "u"}), "xce.version/1"),
    "presets": (
        ["preset", "list", "--remote"], "GET /presets", (200, wire.PresetList(presets=(), cluster="c")), "xce.presets/1",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", JSON_COMMANDS)
def test_json_is_one_object_on_one_line_with_its_schema_first(case: str) -> None:
    argv, route, answer, schema = JSON_COMMANDS[case]
    ran = cli(*argv, "--json", answers={route: answer})
    assert ran.status == 0
    assert ran.out.count("\n") == 1
    assert next(iter(json.loads(ran.out).items())) == ("schema", schema)


def test_json_has_all_fields_also_the_default_ones() -> None:
    found = json.loads(cli("jobs", "--json", answers={"GET /jobs": (200, wire.JobPage(jobs=(a_row(),)))}).out)
    assert found["jobs"][0].keys() == set(wire.JobRow.__struct_fields__)


def test_the_versions_are_told_without_a_server_too() -> None:
    def answer(_: httpx.Request) -> Answer:
        raise httpx.ConnectError("refused")

    ran = cli("version", answers=answer)
    assert ran.status == 0
    assert ran.out.startswith("client ")
    assert "note: no answer from unix:/test" in ran.err
