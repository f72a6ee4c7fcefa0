"""`xceadmin config` on real folders: checked whole, built to the same bytes, shown in part, applied."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.kit.cli import Answers, Ran, a_world, problem, run_client
from xceadmin.main import main
from xcelib import wire
from xcelib.config.canonical import content_hash, from_bytes, to_bytes
from xcelib.config.model import empty

QUEUES = "queues:\n  - {name: normal, priority: 50}\n  - {name: night, max: {run_time: 8h}}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "config"
    made.mkdir()
    (made / "queues.yaml").write_text(QUEUES, encoding="utf-8")
    return made


def config(*argv: str, answers: Answers | None = None, cwd: Path = Path("/tmp"), **environ: str) -> Ran:
    return run_client(main, ["config", *argv], answers, a_world(cwd=str(cwd), environ={"COLUMNS": "80", **environ}))


def wrong(folder: Path) -> Path:
    (folder / "queues.yaml").write_text(
        "queues:\n  - name: normal\n    prioritty: 3\n  - name: normal\n", encoding="utf-8"
    )
    return folder


# --- check ------------------------------------------------------------------------------------------------------------


def test_a_right_folder_is_told_in_one_line(folder: Path) -> None:
    ran = config("check", str(folder))
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == f"{folder}: no errors (2 queues, 1 profile, 0 hosts)\n"
    assert ran.requests == []


def test_every_fault_is_told_with_its_place_and_a_caret(folder: Path) -> None:
    ran = config("check", str(wrong(folder)))
    assert (ran.status, ran.out) == (1, "")
    assert "queues.yaml:3:5: error XCE" in ran.err
    assert "    3 |     prioritty: 3\n      |     ^^^^^^^^^\n  hint: did you mean `priority`?\n" in ran.err
    assert "queues.yaml:4:" in ran.err
    assert not ran.err.endswith("\n\n")


def test_faults_are_json_or_workflow_commands_when_asked(folder: Path) -> None:
    ran = config("check", str(wrong(folder)), "--format", "json")
    found = json.loads(ran.out)
    assert (ran.status, ran.err, found["schema"]) == (1, "", "xce.config.faults/1")
    assert found["faults"][0]["line"] == 3
    assert ran.out.count("\n") == 1
    ran = config("check", str(folder), "--format", "github")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith("::error file=queues.yaml,line=3,col=5,title=XCE")


def test_no_faults_are_an_empty_list_for_programs(folder: Path) -> None:
    ran = config("check", str(folder), "--format", "json")
    assert (ran.status, json.loads(ran.out)["faults"]) == (0, [])


def test_a_folder_is_named_relative_to_where_one_is(folder: Path) -> None:
    assert config("check", "config", cwd=folder.parent).out.startswith(f"{folder}: no errors")


def test_without_a_folder_it_is_that_of_the_cluster(folder: Path) -> None:
    assert config("check", XCE_TOP=str(folder.parent)).out.startswith(f"{folder}: no errors")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["check", "nowhere"], "`nowhere` is no folder"),
        (["check", ".", "--format", "xml"], "there is no format `xml`"),
        (["build", "nowhere"], "`nowhere` is no folder"),
        (["apply", "nowhere"], "`nowhere` is no folder"),
    ],
)
def test_wrong_words_are_usage(argv: list[str], message: str, tmp_path: Path) -> None:
    ran = config(*argv, cwd=tmp_path)
    assert (ran.status, ran.requests) == (2, [])
    assert ran.err.startswith(f"xceadmin: error: {message}\n")


def test_a_warning_is_told_and_is_an_error_when_strict(folder: Path) -> None:
    text = "applications:\n  - {name: a, env: {API_TOKEN: hush}}\n"
    (folder / "applications.yaml").write_text(text, encoding="utf-8")
    lax, strict = config("check", str(folder)), config("check", str(folder), "--strict")
    assert (lax.status, strict.status) == (0, 1)
    assert "applications.yaml:2:" in lax.err
    assert "hush" not in lax.err + strict.err + lax.out


# --- build ------------------------------------------------------------------------------------------------------------


def test_the_document_is_printed_or_written_and_the_same(folder: Path, tmp_path: Path) -> None:
    printed = config("build", str(folder))
    written = config("build", str(folder), "-o", "cluster.json", cwd=tmp_path)
    assert (printed.status, written.status, written.out) == (0, 0, "")
    assert printed.out == (tmp_path / "cluster.json").read_text(encoding="utf-8") + "\n"
    assert set(from_bytes(printed.out.encode()).queues) == {"normal", "night"}


def test_spelling_order_and_comments_do_not_change_the_document(folder: Path) -> None:
    before = config("build", str(folder)).out
    other = "# words\nqueues:\n- {max: {run_time: 480m}, name: night}\n- {name: normal, priority: 50}\n"
    (folder / "queues.yaml").write_text(other, encoding="utf-8")
    assert config("build", str(folder)).out == before


def test_faults_never_stand_where_the_document_should(folder: Path) -> None:
    ran = config("build", str(wrong(folder)), "--format", "json")
    assert (ran.status, ran.out) == (1, "")
    assert json.loads(ran.err)["faults"]


def test_a_document_that_cannot_be_written_is_told(folder: Path) -> None:
    ran = config("build", str(folder), "-o", "/no/such/folder/x")
    assert (ran.status, ran.err) == (
        1, "xceadmin: error: cannot write `/no/such/folder/x`: No such file or directory\n",
    )  # fmt: skip


# --- show -------------------------------------------------------------------------------------------------------------

LIVE = {"GET /config/document": (200, {"cluster": "c", "queues": {"normal": {"max": {"run_time": 60}}}})}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("", {"cluster": "c", "queues": {"normal": {"max": {"run_time": 60}}}}),
        ("cluster", "c"),
        ("queues/normal/max", {"run_time": 60}),
        ("/queues/normal/", {"max": {"run_time": 60}}),
    ],
)
def test_the_live_configuration_is_shown_whole_or_in_part(path: str, value: Any) -> None:
    ran = config("show", path, answers=LIVE)
    assert ran.status == 0
    assert json.loads(ran.out) == value


@pytest.mark.parametrize("path", ["queus", "queues/normall", "cluster/x"])
def test_a_place_that_is_not_there_is_told(path: str) -> None:
    ran = config("show", path, answers=LIVE)
    assert (ran.status, ran.out) == (1, "")
    assert f"the live configuration has no `{path}`" in ran.err


# --- apply ------------------------------------------------------------------------------------------------------------


def live(generation: int, digest: str) -> wire.ConfigLive:
    return wire.ConfigLive(generation=generation, hash=digest)


def test_what_is_built_is_applied_with_its_message(folder: Path) -> None:
    answers = {"GET /config": (200, live(1, "old")), "POST /config/apply": (200, live(2, "v1:sha256:0123456789abc"))}
    ran = config("apply", str(folder), "-m", "short queue", "--expect", "old", answers=answers)
    assert (ran.status, ran.out) == (0, "generation 2 is live (v1:sha256:012345678)\n")
    sent = ran.requests[-1]
    assert dict(sent.url.params) == {"expect": "old", "message": "short queue"}
    assert sent.content.decode() == config("build", str(folder)).out.rstrip("\n")


def test_the_same_configuration_changes_nothing_and_says_so(folder: Path) -> None:
    answers = {"GET /config": (200, live(2, "same")), "POST /config/apply": (200, live(2, "same"))}
    ran = config("apply", str(folder), answers=answers)
    assert ran.out == "nothing changed: generation 2 has this hash already\n"
    found = json.loads(config("apply", str(folder), "--json", answers=answers).out)
    assert (found["schema"], found["generation"]) == ("xce.config/1", 2)


def test_a_wrong_configuration_never_reaches_the_server(folder: Path) -> None:
    ran = config("apply", str(wrong(folder)))
    assert (ran.status, ran.requests, ran.out) == (1, [], "")


def test_another_live_configuration_than_expected_is_told(folder: Path) -> None:
    refusal = problem(409, "other_generation", "generation 3 is live")
    answers = {"GET /config": (200, live(3, "x")), "POST /config/apply": refusal}
    ran = config("apply", str(folder), "--expect", "old", answers=answers)
    assert (ran.status, ran.err) == (1, "xceadmin: error: generation 3 is live\n")


def test_an_empty_folder_is_the_default_configuration(tmp_path: Path) -> None:
    document = config("build", str(tmp_path)).out.encode()
    assert content_hash(from_bytes(document)) == content_hash(empty())
    assert msgspec.json.decode(document) == msgspec.json.decode(to_bytes(empty()))
