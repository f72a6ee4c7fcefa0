"""Waiting for jobs, and following what they write."""

from xcecli.kit.deps import Deps
from xcelib.errors import Refused, TryAgain, Unknown, XceError
from xcelib.wire import JobRow

POLL_S = 25
FOLLOW_PAUSE_S = 0.2
PENDING_PAUSE_S = 1
SIGNAL_BASE = 128


def wait_for_end(deps: Deps, job_id: int) -> JobRow:
    """Ask until the job is final; a status line on a terminal says how it stands."""
    shown = ""
    while True:
        row = deps.client.wait(job_id, seconds=POLL_S if not deps.io.err_is_terminal else 2)
        if row.ended_at is not None:
            _clear(deps, shown)
            return row
        shown = status_line(deps, row, shown)


def status_line(deps: Deps, row: JobRow, shown: str) -> str:
    """Show how a job stands, on a terminal only; returns what is shown now."""
    text = f"job {row.id}: {row.state}" + (f", {row.reason}" if row.reason else "")
    text = text[: max(20, deps.io.width - 1)]
    if not deps.io.err_is_terminal or text == shown:
        return shown
    deps.io.err.write("\r\x1b[K" + text)
    deps.io.err.flush()
    return text


def _clear(deps: Deps, shown: str) -> None:
    if shown:
        deps.io.err.write("\r\x1b[K")
        deps.io.err.flush()


def exit_status(row: JobRow) -> int:
    """What a shell would say: the job's exit code, 128 and the signal, 1 where it has neither and failed."""
    if row.signal:
        return SIGNAL_BASE + row.signal
    if row.exit_code is not None and not row.end_reason:
        return row.exit_code
    return 0 if row.state == "DONE" else (row.exit_code or 1)


def follow_output(deps: Deps, job_id: int, *, index: int, stream: str = "out", offset: int = 0) -> None:
    """Print what an element writes until it has ended; waits through PEND with a status line."""
    import time

    shown = ""
    while True:
        try:
            piece = deps.client.output(job_id, index=index, stream=stream, offset=offset)
        except (Refused, TryAgain, Unknown) as error:
            if error.code not in ("not_started", "host_not_linked"):
                raise
            row = deps.client.wait(job_id, seconds=PENDING_PAUSE_S)
            if row.ended_at is not None and error.code == "not_started":
                _clear(deps, shown)
                raise XceError(f"job `{job_id}` ended without running", code="no_output") from error
            shown = status_line(deps, row, shown)
            continue
        _clear(deps, shown)
        shown = ""
        write_bytes(deps, piece.data)
        offset = piece.offset + len(piece.data)
        if piece.is_final:
            return
        if not piece.data:
            time.sleep(FOLLOW_PAUSE_S)


def write_bytes(deps: Deps, raw: bytes) -> None:
    """A job's output as it is: bytes where the stream takes them."""
    if not raw:
        return
    binary = getattr(deps.io.out, "buffer", None)
    deps.io.out.flush()
    if binary is not None:
        binary.write(raw)
        binary.flush()
    else:
        deps.io.out.write(raw.decode("utf-8", "replace"))
