"""Scripts and files that a submit reads: taken as they are now, refused with their name."""

import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.kit.cli import Ran, a_world, run_client
from xcecli.main import main
from xcelib.jobspec import JobSpec

SCRIPT = "#!/bin/sh\n#XCE --name fit\n./run\n"


def submit(folder: Path, *argv: str, **world: Any) -> Ran:
    answers = {"POST /jobs": (201, {"job_id": 1})}
    return run_client(main, ["submit", *argv], answers, a_world(cwd=str(folder), **world))


def spec_of(ran: Ran) -> JobSpec:
    assert ran.status == 0, ran.err
    return msgspec.json.decode(ran.requests[-1].content, type=JobSpec)


def test_a_script_is_taken_with_its_directives_and_arguments(tmp_path: Path) -> None:
    (tmp_path / "job.sh").write_text(SCRIPT, encoding="utf-8")
    spec = spec_of(submit(tmp_path, "--queue", "q", "job.sh", "case1", "--name", "x"))
    assert (spec.name, spec.queue, spec.command, spec.script) == ("fit", "q", ("case1", "--name", "x"), SCRIPT)


def test_what_has_no_script_line_or_stands_after_dashes_is_a_command(tmp_path: Path) -> None:
    (tmp_path / "job.sh").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "prog").write_bytes(b"\x7fELF")
    (tmp_path / "folder").mkdir()
    for argv in (["--", "job.sh", "a"], ["prog", "a"], ["folder"], ["./nothing.sh"], ["sleep", "1"]):
        spec = spec_of(submit(tmp_path, *argv))
        assert (spec.script, spec.command) == (None, tuple(word for word in argv if word != "--"))


def test_a_pipe_is_no_script_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert spec_of(submit(tmp_path, "pipe")).command == ("pipe",)


def test_a_script_that_does_not_exist_is_told(tmp_path: Path) -> None:
    ran = submit(tmp_path, "jobb.sh")
    assert (ran.status, ran.requests) == (2, [])
    assert ran.err == (
        "xcecli: error: the script `jobb.sh` does not exist\nhint: to run a command of this name write it after `--`\n"
    )


@pytest.mark.parametrize(
    ("raw", "word"),
    [
        (b"#!/bin/sh\n\xff\n", "is not UTF-8"),
        (b"#!/bin/sh\n" + b"x" * (1 << 20), "is larger than 1048576 bytes"),
        (b"#!/bin/sh\n#XCE --queu x\n", "line 2: there is no option `--queu`"),
        (b"#!/bin/sh\n\0\n", "the script is not UTF-8 without NUL"),
    ],
)
def test_a_script_that_cannot_be_taken_is_told(tmp_path: Path, raw: bytes, word: str) -> None:
    (tmp_path / "job.sh").write_bytes(raw)
    ran = submit(tmp_path, "job.sh")
    assert ran.status in (1, 2)
    assert word in ran.err
    assert ran.requests == []


def test_a_file_of_variables_is_read_from_where_one_is(tmp_path: Path) -> None:
    (tmp_path / "vars").write_text("A=1\nB=2\n", encoding="utf-8")
    spec = spec_of(submit(tmp_path, "--env-file", "vars", "--env", "B=3", "--", "true"))
    assert (spec.exdata.env["A"], spec.exdata.env["B"], spec.explicit_env) == ("1", "3", ("A", "B"))


def test_a_file_of_variables_that_is_not_there_is_told(tmp_path: Path) -> None:
    ran = submit(tmp_path, "--env-file", "vars", "--", "true")
    assert ran.err == f"xcecli: error: --env-file: `{tmp_path}/vars` cannot be read: No such file or directory\n"


def test_lint_says_what_submit_would_say_and_nothing_when_all_is_well(tmp_path: Path) -> None:
    (tmp_path / "good.sh").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "bad.sh").write_text("#!/bin/sh\n#XCE --queu x\nrun\n#XCE --hold\n", encoding="utf-8")

    def lint(name: str) -> Ran:
        return run_client(main, ["lint", name], world=a_world(cwd=str(tmp_path)))

    assert lint("good.sh") == Ran(0, "", "", [], [])
    assert (lint("bad.sh").status, lint("bad.sh").err) == (2, submit(tmp_path, "bad.sh").err)
    assert "line 2" in lint("bad.sh").err
    assert "line 4" in lint("bad.sh").err
    assert lint("none.sh").status == 2
    assert "`none.sh` cannot be read" in lint("none.sh").err
