"""From records to what the wire shows. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator

from xcelib import wire
from xcelib.config.canonical import profile_hash
from xcelib.merge import Effective
from xcelib.merge.explain import rows as explain_rows
from xcelib.reasons import Reason, reason_text
from xcelib.states import END_REASON_TEXTS, EndReason, State
from xceserver.core.records import Element, Host, Job, Note, PastAttempt, Run
from xceserver.core.state import NO_CODE, ClusterState
from xceserver.core.view import capacity, configured_attributes
from xceserver.peer import Usage

# Of an array's states the most telling one: what runs, then what waits, then how it ended.
_TELLING = (State.RUN, State.UNKWN, State.USUSP, State.SSUSP, State.PEND, State.PSUSP, State.EXIT, State.DONE)


def state_counts(job: Job) -> dict[str, int]:
    """How many elements are in each state; states without any are left out."""
    counts: Counter[str] = Counter()
    counts[State.PEND] = job.waiting_count + (len(job.gated) if job.gated else 0)
    counts[State.PSUSP] = len(job.held) if job.held else 0
    counts[State.DONE] = len(job.done) if job.done else 0
    counts[State.EXIT] = len(job.exited or ()) + (len(job.cancelled) if job.cancelled else 0)
    for element in (job.elements or {}).values():
        if element.run is not None:
            counts[element.state] += 1
    return {state: count for state, count in counts.items() if count}


def job_state(job: Job) -> str:
    counts = state_counts(job)
    return next(state for state in _TELLING if counts.get(state))


def job_row(job: Job, *, reason: str = "") -> wire.JobRow:
    runs = [element.run for element in (job.elements or {}).values() if element.run is not None]
    exit_code, signal = _single_end(job)
    return wire.JobRow(
        id=job.id,
        name=job.name,
        user=job.needs.user,
        state=job_state(job),
        is_array=job.is_array,
        size=job.size,
        counts=state_counts(job) if job.is_array else {},
        queue=job.needs.queue,
        app=job.needs.app,
        project=job.needs.project,
        tasks=_tasks(job, runs),
        hosts=tuple(sorted({placement.host for run in runs for placement in run.placements})),
        priority=job.needs.priority,
        submitted_at=job.submitted_at,
        started_at=job.started_at,
        ended_at=job.ended_at,
        exit_code=exit_code,
        signal=signal,
        end_reason=job.end_reason or (job.cancel[0] if job.cancel is not None and job.cancelled else ""),
        reason=reason,
        labels=job.labels or {},
    )


def _single_end(job: Job) -> tuple[int | None, int]:
    """Exit code and signal: of the one element, or the first failure of an array that is over."""
    if job.ended_at is None:
        return None, 0
    if not job.exited:
        return (None if job.cancelled else 0), 0
    kept = job.exited[min(job.exited)]
    if kept == NO_CODE:
        return None, 0
    return (kept, 0) if kept >= 0 else (None, -kept)


def _tasks(job: Job, runs: list[Run]) -> int | None:
    if runs and not job.is_array:
        return runs[0].task_count
    return job.needs.tasks.min if job.needs.tasks is not None else None


def note_row(note: Note | None) -> wire.NoteRow | None:
    return None if note is None else wire.NoteRow(by=note.by, at=note.at, why=note.why)


def usage_row(usage: Usage) -> wire.UsageRow:
    return wire.UsageRow(
        cpu_s=usage.cpu_s,
        max_rss=usage.max_rss,
        read_bytes=usage.read_bytes,
        written_bytes=usage.written_bytes,
        wall_s=usage.wall_s,
    )


def past_row(index: int, past: PastAttempt) -> wire.AttemptRow:
    return wire.AttemptRow(
        index=index,
        attempt=past.attempt,
        hosts=past.hosts,
        dispatched_at=past.dispatched_at,
        started_at=past.started_at,
        ended_at=past.ended_at,
        exit_code=past.exit_code,
        signal=past.signal,
        end_reason=past.reason,
        text=past.text or END_REASON_TEXTS.get(EndReason(past.reason), "") if past.reason else past.text,
        usage=usage_row(past.usage),
    )


def run_row(index: int, run: Run, usage: Usage | None) -> wire.AttemptRow:
    return wire.AttemptRow(
        index=index,
        attempt=run.attempt,
        hosts=tuple(placement.host for placement in run.placements),
        dispatched_at=run.dispatched_at,
        started_at=run.started_at,
        usage=usage_row(usage) if usage is not None else None,
    )


def element_row(element: Element) -> wire.ElementRow:
    attempts = [past_row(element.index, past) for past in element.past]
    if element.run is not None:
        attempts.append(run_row(element.index, element.run, None))
    return wire.ElementRow(index=element.index, state=element.state, attempts=tuple(attempts))


def timeline(job: Job, attempts: Iterable[wire.AttemptRow]) -> tuple[wire.TimelineRow, ...]:
    """What happened to the job, in order."""
    rows = [wire.TimelineRow(at=job.submitted_at, text=f"submitted from {job.submit_host or 'unknown'}")]
    if job.hold is not None:
        rows.append(wire.TimelineRow(at=job.hold.at, text=f"held by {job.hold.by}{_why(job.hold)}"))
    for attempt in attempts:
        which = f"element {attempt.index} " if job.is_array else ""
        where = ", ".join(attempt.hosts)
        rows.append(
            wire.TimelineRow(at=attempt.dispatched_at, text=f"{which}attempt {attempt.attempt} sent to {where}")
        )
        if attempt.started_at is not None:
            rows.append(wire.TimelineRow(at=attempt.started_at, text=f"{which}started on {where}"))
        if attempt.ended_at is not None:
            rows.append(wire.TimelineRow(at=attempt.ended_at, text=f"{which}ended: {_end_text(attempt)}"))
    if job.cancel is not None:
        reason, note = job.cancel
        text = f"{len(job.cancelled or ())} waiting element(s) ended {reason} by {note.by}{_why(note)}"
        rows.append(wire.TimelineRow(at=note.at, text=text))
    return tuple(sorted(rows, key=lambda row: row.at))


def _why(note: Note) -> str:
    return f": {note.why}" if note.why else ""


def _end_text(attempt: wire.AttemptRow) -> str:
    parts = []
    if attempt.exit_code is not None:
        parts.append(f"exit code {attempt.exit_code}")
    if attempt.signal:
        parts.append(f"signal {attempt.signal}")
    if attempt.end_reason:
        parts.append(attempt.end_reason)
    if attempt.text:
        parts.append(attempt.text)
    return ", ".join(parts) or "without exit status"


def explain_table(effective: Effective, *, start: str = "") -> wire.ExplainTable:
    return wire.ExplainTable(
        rows=tuple(explain_rows(effective)),
        warnings=tuple(finding.message for finding in effective.warnings),
        notes=tuple(finding.message for finding in effective.notes),
        start=start,
    )


def why_reason(reason: Reason) -> wire.WhyReason:
    hosts = {reason_text(part): part.count for part in reason.parts}
    return wire.WhyReason(code=reason.code, text=reason_text(reason), count=reason.count, hosts=hosts)


def short_reason(reasons: tuple[Reason, ...]) -> str:
    """The reasons for a column of a table."""
    return "; ".join(reason_text(reason) for reason in reasons)


def queue_rows(state: ClusterState) -> Iterator[wire.QueueRow]:
    for queue in sorted(state.config.queues.values(), key=lambda queue: (-queue.priority, queue.name)):
        admin = state.queue_admin(queue.name)
        yield wire.QueueRow(
            name=queue.name,
            description=queue.description,
            priority=queue.priority,
            closed=note_row(admin.closed),
            inactive=note_row(admin.inactive),
            pending=state.pending_by_queue.get(queue.name, 0),
            running=state.running_by_queue.get(queue.name, 0),
            max=dict(queue.max),
            is_default=queue.name == state.config.default_queue,
        )


def host_row(state: ClusterState, host: Host, load: dict[str, float]) -> wire.HostRow:
    admin = host.admin
    return wire.HostRow(
        name=host.name,
        state="up" if host.is_up else ("lost" if host.joined_at else "declared"),
        admin="open" if admin is None else admin.state,
        note=None if admin is None else note_row(admin.note),
        total=capacity(state, host),
        used={name: amount for name, amount in state.used[host.name].items() if amount},
        running=len(state.on_host[host.name]),
        attributes={**host.attributes, **configured_attributes(state, host)},
        load=load,
        backend=host.backend,
        version=host.version,
        joined_at=host.joined_at or None,
    )


def host_rows(state: ClusterState, load_of: "dict[str, dict[str, float]]") -> Iterator[wire.HostRow]:
    for name in sorted({*state.hosts, *state.config.hosts}):
        host = state.hosts.get(name) or Host(name=name)
        yield host_row(state, host, load_of.get(name, {}))


def app_rows(state: ClusterState) -> Iterator[wire.AppRow]:
    for profile in sorted(state.config.applications.values(), key=lambda profile: profile.name):
        yield wire.AppRow(
            name=profile.name,
            description=profile.description,
            hash=profile_hash(profile),
            params=tuple(param.name for param in profile.params),
            is_default=profile.name == state.config.default_application,
        )
