"""Waiting for jobs, and following what they write."""

from xcecli.commands.elements import check_elements_of, dispatched, narrowed
from xcecli.commands.watching import Watcher
from xcecli.kit.deps import Deps
from xcelib.errors import XceError
from xcelib.ranges import IndexSet
from xcelib.states import FINAL
from xcelib.wire import JobRow

FOLLOW_PAUSE_S = 0.2
PENDING_POLL_S = 1
ELEMENTS_POLL_S = 2
SIGNAL_BASE = 128


def wait_for_end(deps: Deps, job_id: int) -> JobRow:
    """Ask until the job is final; a status line on a terminal says how it stands."""
    watcher = Watcher(deps, job_id)
    while (row := watcher.row()).ended_at is None:
        watcher.show(row)
    watcher.clear()
    return row


def wait_for_elements(deps: Deps, job_id: int, indexes: IndexSet) -> JobRow:
    """Ask until these elements are final; the row tells of them alone."""
    check_elements_of(deps.client, job_id, indexes)
    watcher = Watcher(deps, job_id)
    while True:
        row = watcher.row(seconds=ELEMENTS_POLL_S)
        found = watcher.ask(lambda client: dispatched(client, job_id, indexes))
        chosen = narrowed(row, indexes, found)
        if chosen.ended_at is not None:
            watcher.clear()
            return chosen
        watcher.show(row)


def exit_status(row: JobRow) -> int:
    """What a shell would say: the job's exit code, 128 and the signal, 1 where it has neither and failed."""
    if row.signal:
        return SIGNAL_BASE + row.signal
    if row.exit_code is not None and not row.end_reason:
        return row.exit_code
    return 0 if row.state == "DONE" else (row.exit_code or 1)


def follow_output(
    deps: Deps,
    job_id: int,
    *,
    index: int | None,
    stream: str = "out",
    offset: int = 0,
    attempt: int | None = None,
    is_alone: bool = False,
) -> None:
    """Print what an element writes until it has ended: from `attempt` (None: the latest) on, or of it alone.

    Waits through PEND with a status line. An offset belongs to one attempt, so each is asked for by its number.
    """
    watcher = Watcher(deps, job_id)
    number = attempt
    while True:
        try:
            piece = watcher.output(index=index, stream=stream, offset=offset, attempt=number)
        except XceError as error:
            if error.code == "no_output" and number != attempt:  # it was to run again, and was ended before
                watcher.clear()
                return
            _wait_through(watcher, error)
            continue
        watcher.clear()
        write_bytes(deps, piece.data)
        number, offset = piece.attempt, piece.offset + len(piece.data)
        if not piece.is_final:
            if not piece.data:
                deps.client.pause(FOLLOW_PAUSE_S)
        elif is_alone or _has_ended(watcher, index):
            return
        else:
            number, offset = number + 1, 0


def _wait_through(watcher: Watcher, error: XceError) -> None:
    """Wait a little where the output may come yet; raise where it cannot."""
    if error.code not in ("not_started", "host_not_linked"):
        watcher.clear()
        raise error
    row = watcher.row(seconds=PENDING_POLL_S)
    if row.ended_at is None:
        watcher.show(row)
        return
    watcher.clear()
    if error.code == "not_started":
        raise XceError(f"job `{watcher.job_id}` ended without running", code="no_output") from error
    raise error


def _has_ended(watcher: Watcher, index: int | None) -> bool:
    """Whether the element runs no more: neither now nor again."""
    if watcher.row(seconds=0).ended_at is not None:
        return True
    number = index or 0
    found = watcher.ask(lambda client: dispatched(client, watcher.job_id, IndexSet.single(number)))
    return number in found and found[number].state in FINAL


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
