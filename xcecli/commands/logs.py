"""`xcecli logs`."""

import re
from typing import Annotated, NamedTuple

import msgspec
import typer

from xcecli.commands.waiting import follow_output, write_bytes
from xcecli.kit.bridge import new_app
from xcecli.kit.client import Output
from xcecli.kit.deps import Deps
from xcecli.kit.flags import OneJob
from xcecli.kit.selectors import one_job
from xcelib.errors import Refused

app = new_app("Print or follow what a job wrote.")
TAIL_BYTES_A_LINE = 400
TAIL_BYTES_MAX = 64 << 20
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


class _Source(NamedTuple):
    """Whose output, and which."""

    job_id: int
    element: int | None
    stream: str
    attempt: int | None


@app.command(epilog="Examples: xcecli logs 12 | xcecli logs -f '12[3]' | xcecli logs last --tail 20")
def logs(
    ctx: typer.Context,
    job: OneJob,
    is_following: Annotated[bool, typer.Option("--follow", "-f", help="Go on until the job has ended.")] = False,
    tail: Annotated[int | None, typer.Option("--tail", metavar="N", min=1, help="Only the last N lines.")] = None,
    is_stderr: Annotated[
        bool, typer.Option("--stderr", help="Standard error, where it has a file of its own.")
    ] = False,
    attempt: Annotated[int | None, typer.Option("--attempt", metavar="N", min=1, help="An earlier attempt.")] = None,
) -> None:
    """Print or follow what a job wrote.

    With `-f` it waits through PEND, and goes on until the job has ended, also when it runs again.
    """
    deps: Deps = ctx.obj
    job_id, index = one_job(deps, job)
    source = _Source(job_id, index, "err" if is_stderr else "out", attempt)
    if is_following:
        _follow(deps, source, tail)
    elif tail is None:
        _print(deps, source)
    else:
        write_bytes(deps, _tail(deps, source, tail).data)


def _follow(deps: Deps, source: _Source, tail: int | None) -> None:
    """From the beginning, or from the last lines that there are now, to the end."""
    last = None if tail is None else _tail_if_any(deps, source, tail)
    if last is not None:
        write_bytes(deps, last.data)
    follow_output(
        deps, source.job_id, index=source.element, stream=source.stream,
        offset=0 if last is None else last.offset + len(last.data),
        attempt=source.attempt if last is None else last.attempt,
        is_alone=source.attempt is not None,
    )  # fmt: skip


def _print(deps: Deps, source: _Source) -> None:
    """What there is now."""
    offset, attempt = 0, source.attempt
    while True:
        piece = deps.client.output(
            source.job_id, index=source.element, stream=source.stream, offset=offset, attempt=attempt
        )
        write_bytes(deps, piece.data)
        offset, attempt = piece.offset + len(piece.data), piece.attempt
        if not piece.data or offset >= piece.size:
            return


def _tail_if_any(deps: Deps, source: _Source, lines: int) -> Output | None:
    try:
        return _tail(deps, source, lines)
    except Refused as error:
        if error.code != "not_started":
            raise
        return None


def _tail(deps: Deps, source: _Source, lines: int) -> Output:
    """The last lines that there are now. Only a line feed ends a line, as progress bars write others."""
    back = lines * TAIL_BYTES_A_LINE
    while True:
        end = _end(deps, source, back)
        found = _LINE.findall(end.data)
        if len(found) > lines or end.offset == 0 or back >= TAIL_BYTES_MAX:
            kept = b"".join(found[-lines:])
            return msgspec.structs.replace(end, data=kept, offset=end.offset + len(end.data) - len(kept))
        back *= 4


def _end(deps: Deps, source: _Source, back: int) -> Output:
    """The last bytes, in as many pieces as the server makes of them."""
    offset, attempt, data = -back, source.attempt, b""
    while True:
        piece = deps.client.output(
            source.job_id, index=source.element, stream=source.stream, offset=offset, attempt=attempt
        )
        data += piece.data
        offset, attempt = piece.offset + len(piece.data), piece.attempt
        if not piece.data or offset >= piece.size:
            return msgspec.structs.replace(piece, data=data, offset=offset - len(data))
