"""Commands against a server that answers what the test says: words, exit statuses, JSON."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from tests.kit.cli import Answer, Ran, run_client
from xceadmin.main import main as xceadmin
from xcecli.main import COMMANDS, main
from xcelib import wire
from xcelib.jobspec import JobSpec


def cli(*argv: str, **world: Any) -> Ran:
    return run_client(main, *argv, **world)


def a_row(**fields: Any) -> wire.JobRow:
    return wire.JobRow(**{"id": 12, "user": "ann", "state": "DONE", "queue": "normal", "submitted_at": 0.0, **fields})


def problem(status: int, code: str, detail: str, **fields: Any) -> Answer:
    return status, {"status": status, "title": code, "code": code, "detail": detail, **fields}


def test_submit_prints_the_id_alone_and_sends_a_key() -> None:
    ran = cli("submit", "--queue", "night", "--", "./run.sh", "-v", answers={"POST /jobs": (201, {"job_id": 4711})})
    assert (ran.status, ran.out) == (0, "4711\n")
    (request,) = ran.requests
    spec = msgspec.json.decode(request.content, type=JobSpec)
    assert (spec.command, spec.queue, spec.cwd) == (("./run.sh", "-v"), "night", "/tmp")
    assert request.headers["idempotency-key"] == "key"


def test_submit_shows_warnings_on_standard_error_unless_quiet() -> None:
    answers = {"POST /jobs": (201, {"job_id": 1, "warnings": ["mem is low"]})}
    assert "warning: mem is low" in cli("submit", "--", "true", answers=answers).err
    assert cli("submit", "--quiet", "--", "true", answers=answers).err == ""


def test_a_repeat_after_no_answer_keeps_its_key() -> None:
    tries: list[str] = []

    def answer(request: httpx.Request) -> Answer:
        tries.append(request.headers["idempotency-key"])
        if len(tries) < 3:
            raise httpx.ConnectError("refused")
        return 201, {"job_id": 1}

    assert cli("submit", "--", "true", answers=answer).out == "1\n"
    assert tries == ["key"] * 3


def test_no_server_is_said_with_a_way_out() -> None:
    def answer(_: httpx.Request) -> Answer:
        raise httpx.ConnectError("refused")

    ran = cli("jobs", answers=answer)
    assert ran.status == 69
    assert "no answer from unix:/test" in ran.err
    assert "hint: look with `xceserver status`" in ran.err


@pytest.mark.parametrize(
    ("answer", "status", "word"),
    [
        (problem(400, "limit_conflict", "run_time 9h is above 8h"), 1, "above 8h"),
        (problem(403, "not_permitted", "not yours"), 77, "not yours"),
        (problem(404, "unknown_job", "job `12` does not exist", hints=["list"]), 1, "hint: list"),
        (problem(507, "storage_full", "the disk is full"), 75, "disk"),
        ((200, b"<html>"), 69, "not as this client understands"),
        ((500, b"<html>"), 69, "not as an XCE server"),
    ],
)
def test_a_refusal_has_its_exit_status_and_its_words(answer: Answer, status: int, word: str) -> None:
    ran = cli("job", "12", answers={"GET /jobs/12": answer})
    assert ran.status == status
    assert word in ran.err
    assert "Traceback" not in ran.err


def test_errors_are_json_when_asked() -> None:
    ran = cli("job", "12", "--json", answers={"GET /jobs/12": problem(404, "unknown_job", "no such job")})
    assert json.loads(ran.err)["code"] == "unknown_job"


@pytest.mark.parametrize(
    ("argv", "hint"),
    [
        (["sbumit"], "did you mean `submit`?"),
        (["submit", "--quue", "x"], "did you mean `--queue`?"),
        (["submit", "--launch", "task", "--", "x"], "did you mean `tasks`?"),
        (["job", "x12"], "a job id is a whole number such as 4711"),
        (["job"], "`xcecli job --help` shows how"),
    ],
)
def test_wrong_words_are_usage_with_a_hint(argv: list[str], hint: str) -> None:
    ran = cli(*argv)
    assert ran.status == 2
    assert f"hint: {hint}" in ran.err


@pytest.mark.parametrize(
    ("row", "status"),
    [
        (a_row(ended_at=1.0, exit_code=0), 0),
        (a_row(ended_at=1.0, exit_code=3, state="EXIT"), 3),
        (a_row(ended_at=1.0, signal=9, state="EXIT"), 137),
        (a_row(ended_at=1.0, state="EXIT", end_reason="TERM_DEPENDENCY"), 1),
    ],
)
def test_wait_ends_as_the_job_did(row: wire.JobRow, status: int) -> None:
    assert cli("wait", "12", answers={"GET /jobs/12/wait": (200, row)}).status == status


def test_several_jobs_need_a_yes_where_nobody_can_be_asked() -> None:
    ran = cli("kill", "12-14")
    assert ran.status == 2
    assert "3 jobs (12, 13, 14) are meant" in ran.err
    answers = {"POST /jobs/kill": (200, wire.ActionReport(done=("12", "13", "14")))}
    assert cli("kill", "12-14", "--yes", answers=answers).out.count("is being ended") == 3


def test_several_jobs_are_asked_about_on_a_terminal() -> None:
    answers = {"POST /jobs/kill": (200, wire.ActionReport(done=("12", "13")))}
    assert cli("kill", "12", "13", inp="n\n", is_terminal=True, answers=answers).requests == []
    assert len(cli("kill", "12", "13", inp="y\n", is_terminal=True, answers=answers).requests) == 1


def test_names_are_resolved_and_elements_sent() -> None:
    page = wire.JobPage(jobs=(a_row(id=7, name="fit-2"), a_row(id=5, name="fit-1"), a_row(id=6, name="other")))
    answers = {"GET /jobs": (200, page), "POST /jobs/stop": (200, wire.ActionReport(done=("5", "7")))}
    ran = cli("stop", "name:fit-*", "12[3-7]", "--yes", "--why", "disk", answers=answers)
    assert json.loads(ran.requests[-1].content) == {
        "jobs": [{"id": 5}, {"id": 7}, {"id": 12, "elements": "3-7"}],
        "why": "disk",
    }


def test_a_refused_selection_is_told_and_counts() -> None:
    refusal = wire.ActionRefusal(job="12", code="already_ended", message="job `12` has ended")
    ran = cli("kill", "12", answers={"POST /jobs/kill": (200, wire.ActionReport(refused=(refusal,)))})
    assert (ran.status, ran.out) == (1, "")
    assert "job `12` has ended" in ran.err


def test_a_table_fits_80_columns_and_hostile_names_are_shown_harmless() -> None:
    row = a_row(name="\x1b[2J" + "x" * 90, state="PEND", reason="no host fits now " * 9)
    ran = cli("jobs", answers={"GET /jobs": (200, wire.JobPage(jobs=(row,)))})
    assert all(len(line) <= 80 for line in ran.out.splitlines())
    assert "\x1b" not in ran.out


def test_json_has_its_schema_and_all_fields() -> None:
    ran = cli("jobs", "--json", answers={"GET /jobs": (200, wire.JobPage(jobs=(a_row(),)))})
    found = json.loads(ran.out)
    assert found["schema"] == "xce.jobs/1"
    assert found["jobs"][0]["state"] == "DONE"


def test_a_dry_run_asks_nobody_and_prints_the_request() -> None:
    ran = cli("submit", "--dry-run", "-M", "1G", "--", "true")
    assert ran.requests == []
    assert json.loads(ran.out)["resreq"] == "rusage[mem=1G/task]"


def test_a_script_is_taken_with_its_directives(tmp_path: Path) -> None:
    (tmp_path / "job.sh").write_text("#!/bin/sh\n#XCE --name fit\necho\n", encoding="utf-8")
    ran = cli(
        "submit", "--queue", "q", "job.sh", "case1", answers={"POST /jobs": (201, {"job_id": 1})}, cwd=str(tmp_path)
    )
    spec = msgspec.json.decode(ran.requests[0].content, type=JobSpec)
    assert (spec.name, spec.queue, spec.command) == ("fit", "q", ("case1",))
    assert spec.script is not None
    assert spec.script.startswith("#!/bin/sh")


def test_a_script_comes_from_standard_input_too() -> None:
    ran = cli("submit", inp="#!/bin/sh\necho\n", answers={"POST /jobs": (201, {"job_id": 1})})
    assert msgspec.json.decode(ran.requests[0].content, type=JobSpec).script == "#!/bin/sh\necho\n"


def test_logs_print_what_the_job_wrote() -> None:
    assert cli("logs", "12", answers={"GET /jobs/12/output": (200, b"hello\n")}).out == "hello\n"


# --- presets ----------------------------------------------------------------------------------------------------------


def presets(tmp_path: Path, *argv: str, **world: Any) -> Ran:
    return cli("preset", *argv, environ={"XCE_PRESET_DIR": str(tmp_path), "COLUMNS": "80"}, **world)


def test_a_preset_is_saved_shown_and_used(tmp_path: Path) -> None:
    assert (
        presets(
            tmp_path, "save", "small", "--description", "short", "-n", "4", "--run-limit", "2h", "--env", "A=1"
        ).status
        == 0
    )
    assert (tmp_path / "small.toml").stat().st_mode & 0o777 == 0o600
    assert "--tasks 4 --run-limit 2h --env A=1" in presets(tmp_path, "show", "small").out
    answers = {"POST /jobs": (201, {"job_id": 1})}
    ran = cli(
        "submit",
        "--preset",
        "small",
        "-n",
        "8",
        "--",
        "true",
        answers=answers,
        environ={"XCE_PRESET_DIR": str(tmp_path)},
    )
    spec = msgspec.json.decode(ran.requests[0].content, type=JobSpec)
    assert spec.tasks is not None
    assert (spec.tasks.min, spec.exdata.limits) == (8, {"run_time": 7200})
    (mention,) = spec.exdata.meta["presets"]
    assert (mention["name"], mention["options"]) == ("small", ["env", "run-limit", "tasks"])


def test_a_preset_is_replaced_only_by_force_and_kept_aside(tmp_path: Path) -> None:
    presets(tmp_path, "save", "small", "-n", "4")
    refused = presets(tmp_path, "save", "small", "-n", "8")
    assert (refused.status, "`--force`" in refused.err) == (1, True)
    assert presets(tmp_path, "save", "small", "-n", "8", "--force").status == 0
    assert "4" in (tmp_path / "small.toml.bak.1").read_text()


def site_preset(text: str) -> dict[str, Answer]:
    return {"GET /presets/fit": (200, wire.PresetText(name="fit", text=text, hash="h", cluster="c"))}


def test_a_pulled_preset_follows_the_site_until_it_is_changed(tmp_path: Path) -> None:
    assert presets(tmp_path, "pull", "fit", answers=site_preset("[options]\nqueue = 'a'\n")).status == 0
    assert presets(tmp_path, "pull", "fit", answers=site_preset("[options]\nqueue = 'b'\n")).status == 0
    path = tmp_path / "fit.toml"
    path.write_text(path.read_text().replace('"b"', '"mine"'), encoding="utf-8")
    refused = presets(tmp_path, "pull", "fit", answers=site_preset("[options]\nqueue = 'c'\n"))
    assert refused.status == 1
    assert "`--as NEW`" in refused.err
    assert "mine" in path.read_text()
    assert (
        presets(tmp_path, "pull", "fit", "--as", "other", answers=site_preset("[options]\nqueue = 'c'\n")).status == 0
    )
    assert [line.split()[:2] for line in presets(tmp_path, "list").out.splitlines()[1:]] == [
        ["fit", "edited"],
        ["other", "pulled"],
    ]


def test_a_secret_in_a_preset_is_warned_of_and_never_shown(tmp_path: Path) -> None:
    ran = presets(tmp_path, "save", "risky", "--env", "API_TOKEN=hush")
    assert "env.API_TOKEN" in ran.err
    assert "hush" not in ran.err + ran.out


@pytest.mark.parametrize("name", ["../x", "X", ".x", "a/b", "", "x" * 65])
def test_a_preset_name_never_leaves_the_folder(tmp_path: Path, name: str) -> None:
    assert presets(tmp_path, "save", "--", name).status == 2
    assert list(tmp_path.iterdir()) == []


# --- administration ---------------------------------------------------------------------------------------------------


def test_a_wrong_configuration_is_reported_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "queues.yaml").write_text("queues:\n  - name: a\n    prioritty: 3\n", encoding="utf-8")
    ran = run_client(xceadmin, "config", "check", str(tmp_path))
    assert ran.status == 1
    assert "queues.yaml:3:5" in ran.err
    assert "did you mean `priority`?" in ran.err


def test_a_host_is_drained_with_its_reason() -> None:
    answers = {"POST /hosts/h1/drain": (200, wire.NoteRow(by="root", at=0.0, why="memory"))}
    ran = run_client(xceadmin, "host", "drain", "h1", "--why", "memory", answers=answers)
    assert (ran.status, json.loads(ran.requests[0].content)) == (0, {"why": "memory"})


def test_every_fault_has_its_story() -> None:
    from xcelib.config.codes import CATALOGUE

    for code in CATALOGUE:
        ran = run_client(xceadmin, "explain", code)
        assert ran.status == 0
        assert len(ran.out.splitlines()) > 2, code


# --- start-up ---------------------------------------------------------------------------------------------------------

HEAVY = ("httpx", "rich", "yaml", "asyncio", "starlette", "numpy", "tomli_w")


def loaded(*argv: str) -> set[str]:
    """The heavy modules that one run of xcecli loads."""
    script = f"import sys\nfrom xcecli.main import main\nfrom xcecli.kit.io import real_io\nmain({list(argv)!r}, real_io())\nprint('LOADED', *sys.modules)"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    names = out.splitlines()[-1].split()[1:]
    return {name.partition(".")[0] for name in names} & set(HEAVY)


def test_help_loads_nothing_heavy() -> None:
    assert loaded("--help") == set()
    assert loaded("submit", "--help") == set()


def test_a_dry_run_loads_no_network() -> None:
    assert loaded("submit", "--dry-run", "--", "true") == set()


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_help_with_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli(name, "--help").status == 0
    shown = capsys.readouterr().out
    assert COMMANDS[name][1].rstrip(".") in shown
    assert name == "preset" or "Example" in shown
