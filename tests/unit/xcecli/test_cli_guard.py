"""Failures become words and a number in one place."""

import io
import json

import pytest

from tests.kit.cli import a_world, run_client
from xcecli.kit.guard import Ended, run_guarded
from xcecli.kit.io import Io
from xcecli.main import main
from xcelib import wire
from xcelib.errors import NotPermitted, TryAgain, Unreachable, Usage, XceError


def raising(error: BaseException) -> tuple[int, Io]:
    world = a_world()

    def body() -> None:
        raise error

    return run_guarded("xcecli", body, world), world


def text_of(stream: object) -> str:
    assert isinstance(stream, io.StringIO)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (XceError("no"), 1),
        (Usage("no"), 2),
        (Unreachable("no"), 69),
        (TryAgain("no"), 75),
        (NotPermitted("no"), 77),
        (Ended(0), 0),
        (Ended(143), 143),
        (KeyboardInterrupt(), 130),
        (BrokenPipeError(), 0),
        (ValueError("a bug"), 70),
    ],
)
def test_each_end_has_its_status(error: BaseException, status: int) -> None:
    assert raising(error)[0] == status


def test_an_error_is_one_line_its_block_and_its_hints() -> None:
    _, world = raising(Usage("it is wrong", detail="  ab\n   ^", hints=["do this", "or that"]))
    assert text_of(world.err) == "xcecli: error: it is wrong\n  ab\n   ^\nhint: do this\nhint: or that\n"
    assert text_of(world.out) == ""


def test_only_a_bug_has_a_traceback() -> None:
    _, world = raising(ValueError("a bug"))
    assert "Traceback" in text_of(world.err)
    assert text_of(world.err).endswith("hint: this is a bug in XCE; report it with the lines above\n")


def test_json_is_asked_for_after_the_body_has_run() -> None:
    world, said = a_world(), [False]

    def body() -> None:
        said[0] = True
        raise Usage("wrong", hints=["do this"])

    assert run_guarded("xcecli", body, world, wants_json=lambda: said[0]) == 2
    assert json.loads(text_of(world.err))["hints"] == ["do this"]


class Broken(io.StringIO):
    """A pipe whose reader is gone."""

    def flush(self) -> None:
        raise BrokenPipeError


@pytest.mark.parametrize("error", [None, Ended(3), Usage("wrong")])
def test_a_reader_that_is_gone_at_the_end_is_no_failure(error: Exception | None) -> None:
    plain = a_world()
    world = Io(inp=plain.inp, out=Broken(), err=plain.err, environ={}, cwd="/", umask=0)

    def body() -> None:
        if error is not None:
            raise error

    assert run_guarded("xcecli", body, world) == 0
    assert text_of(world.err) == ""


class Gone(io.StringIO):
    """A pipe whose reader is gone already."""

    def write(self, text: str) -> int:
        raise BrokenPipeError(32, "Broken pipe")


@pytest.mark.parametrize("argv", [["version", "--json"], ["jobs"], ["submit", "--dry-run", "--", "true"]])
def test_a_reader_that_is_gone_in_the_middle_is_no_failure(argv: list[str]) -> None:
    plain = a_world()
    world = Io(inp=plain.inp, out=Gone(), err=plain.err, environ={"COLUMNS": "80"}, cwd="/", umask=0)
    row = wire.JobRow(id=1, user="ann", state="RUN", queue="q", submitted_at=0.0)
    answers = {
        "GET /version": (200, {"version": "1", "cluster": "c"}),
        "GET /jobs": (200, wire.JobPage(jobs=(row,))),
    }
    assert run_client(main, argv, answers, world).status == 0
    assert text_of(world.err) == ""
