"""The one place where failures become words on standard error and a number."""

import os
import sys
import traceback
from collections.abc import Callable

import msgspec

from xcecli.kit.io import Io
from xcelib.errors import ExitStatus, XceError


class Ended(Exception):
    """A command that ends with an exit status of its own: that of a job, say."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def run_guarded(program: str, body: Callable[[], None], io: Io, *, is_json: bool = False) -> int:
    """Run and return the exit status. With `is_json` errors are JSON, with the same code."""
    try:
        body()
        io.out.flush()
    except Ended as ended:
        io.out.flush()
        return ended.status
    except XceError as error:
        show_error(program, error, io, is_json=is_json)
        return error.exit_status
    except KeyboardInterrupt:
        return ExitStatus.INTERRUPTED
    except BrokenPipeError:  # `xcecli jobs | head` is not a failure
        _silence_stdout()
        return ExitStatus.OK
    except Exception:  # the one broad except of the clients: a bug keeps its traceback
        traceback.print_exc(file=io.err)
        io.note("hint: this is a bug in XCE; report it with the lines above")
        return ExitStatus.INTERNAL
    return ExitStatus.OK


def show_error(program: str, error: XceError, io: Io, *, is_json: bool) -> None:
    if is_json:
        io.note(msgspec.json.encode(error.problem()).decode())
        return
    io.note(f"{program}: error: {error.message}")
    if error.detail:
        io.note(error.detail)
    for hint in error.hints:
        io.note(f"hint: {hint}")


def _silence_stdout() -> None:
    """Keep the interpreter from writing into the broken pipe once more when it ends."""
    try:
        descriptor = os.open(os.devnull, os.O_WRONLY)
        os.dup2(descriptor, sys.stdout.fileno())
        os.close(descriptor)
    except (OSError, ValueError):
        pass
