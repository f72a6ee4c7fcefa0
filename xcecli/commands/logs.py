"""`xcecli logs`."""

from typing import Annotated

import typer

from xcecli.commands.waiting import follow_output, write_bytes
from xcecli.kit.bridge import new_app
from xcecli.kit.deps import Deps
from xcecli.kit.flags import OneJob
from xcecli.kit.selectors import one_job

app = new_app("Print or follow what a job wrote.")
TAIL_BYTES_A_LINE = 400


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

    With `-f` it waits through PEND, and goes on until the job has ended.
    """
    deps: Deps = ctx.obj
    job_id, index = one_job(deps, job)
    stream = "err" if is_stderr else "out"
    offset = 0
    if tail is not None:
        raw, offset = _tail(deps, job_id, index, stream, tail, attempt)
        write_bytes(deps, raw)
    if is_following and attempt is None:
        follow_output(deps, job_id, index=index or 0, stream=stream, offset=offset)
    elif tail is None:
        _print(deps, job_id, index, stream, attempt)


def _print(deps: Deps, job_id: int, index: int | None, stream: str, attempt: int | None) -> None:
    """What there is now."""
    offset = 0
    while True:
        piece = deps.client.output(job_id, index=index, stream=stream, offset=offset, attempt=attempt)
        write_bytes(deps, piece.data)
        offset = piece.offset + len(piece.data)
        if not piece.data or offset >= piece.size:
            return


def _tail(
    deps: Deps, job_id: int, index: int | None, stream: str, lines: int, attempt: int | None
) -> tuple[bytes, int]:
    """The last lines, and the offset after them."""
    back = lines * TAIL_BYTES_A_LINE
    while True:
        piece = deps.client.output(job_id, index=index, stream=stream, offset=-back, attempt=attempt)
        found = piece.data.splitlines(keepends=True)
        if len(found) > lines or piece.offset == 0 or back >= 1 << 20:
            return b"".join(found[-lines:]), piece.offset + len(piece.data)
        back *= 4
