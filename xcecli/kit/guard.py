"""The one place where failures become words on standard error and a number."""

import os
import traceback
from collections.abc import Callable
from typing import TextIO

import msgspec

from xcecli.kit.io import Io
from xcecli.kit.text import harmless
from xcelib.errors import ExitStatus, XceError


class Ended(Exception):
    """A command that ends with an exit status of its own: that of a job, say."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def run_guarded(program: str, body: Callable[[], None], io: Io, *, wants_json: Callable[[], bool] = bool) -> int:
    """Run and return the exit status. Where JSON is wanted errors are JSON, with the same code."""
    try:
        return _run(program, body, io, wants_json)
    except BrokenPipeError:  # `xcecli jobs | head` is not a failure
        _silence(io.out)
        return ExitStatus.OK
    except Exception:  # the one broad except of the clients: a bug keeps its traceback
        traceback.print_exc(file=io.err)
        io.note("hint: this is a bug in XCE; report it with the lines above")
        return ExitStatus.INTERNAL


def _run(program: str, body: Callable[[], None], io: Io, wants_json: Callable[[], bool]) -> int:
    try:
        body()
        status: int = ExitStatus.OK
    except Ended as ended:
        status = ended.status
    except XceError as error:
        io.out.flush()
        show_error(program, error, io, is_json=wants_json())
        return error.exit_status
    except KeyboardInterrupt:
        return ExitStatus.INTERRUPTED
    io.out.flush()
    return status


def show_error(program: str, error: XceError, io: Io, *, is_json: bool) -> None:
    """What others wrote may stand in an error, so each line is made harmless."""
    if is_json:
        io.note(msgspec.json.encode(error.problem()).decode())
        return
    hints = [f"hint: {hint}" for hint in error.hints]
    for line in "\n".join(filter(None, [f"{program}: error: {error.message}", error.detail, *hints])).split("\n"):
        io.note(harmless(line))


def _silence(out: TextIO) -> None:
    """Keep the interpreter from writing into the broken pipe once more when it ends."""
    try:
        descriptor = os.open(os.devnull, os.O_WRONLY)
        os.dup2(descriptor, out.fileno())
        os.close(descriptor)
    except (OSError, ValueError):
        pass
