"""What workers report: hosts that join and are lost, attempts that start and end."""

from collections.abc import Iterator

from xcelib.states import EndReason, State
from xceserver.core import events as ev
from xceserver.core.commands import HostGraceExpired, HostJoins, HostLeaseExpired, RefuseStart, WorkerReports
from xceserver.core.decision import NOTHING, Decision
from xceserver.core.effects import Effect, StartAttempt, Tell, wishes
from xceserver.core.records import Element, Job
from xceserver.core.state import ClusterState
from xceserver.peer import (
    AttemptKey,
    Declined,
    EndAck,
    Ended,
    Fence,
    KnownAttempt,
    Resumed,
    Started,
    Suspended,
)


def join(state: ClusterState, command: HostJoins, *, now: float) -> Decision:
    """A worker says hello: take the host in, then bring both sides to the same attempts.

    An attempt that the worker does not know was never started there (its intent would be on disk), so
    it is sent again; wishes are sent again; what the worker has and we have not is fenced.
    """
    hello = command.hello
    joined = ev.HostJoined(
        at=now,
        host=hello.host,
        boot_id=hello.boot_id,
        pid=hello.pid,
        version=hello.version,
        backend=hello.backend,
        slots=hello.slots,
        attributes=hello.attributes,
        counters=hello.counters,
    )
    known = {attempt.key: attempt for attempt in hello.attempts}
    events: list[ev.AnyEvent] = [joined]
    effects: list[Effect] = []
    for job_id, index in sorted(state.on_host[hello.host]):
        element = _element(state, job_id, index)
        key = _key(element)
        if key in known:
            state_there = known[key].state
            events.extend(_same_state(element, state_there, now=now))
            effects.extend(wishes(element, resume=state_there == "suspended"))
        elif element.run is not None and element.run.started_at is not None:
            text = f"host {hello.host} no longer knows the attempt: its records were lost"
            events.append(_lost(state.jobs[job_id], element, text, now=now))
        else:
            effects.append(StartAttempt(hello.host, key))
    effects.extend(_fences(state, hello.host, tuple(known.values())))
    return Decision(events=tuple(events), effects=tuple(effects))


def _same_state(element: Element, state_there: str, *, now: float) -> Iterator[ev.AnyEvent]:
    """A report of a suspension or its end may have been lost with the last link."""
    state_here = element.state
    if state_here == State.UNKWN:  # what joining makes of it
        state_here = State.USUSP if element.stop is not None else State.RUN
    if state_there == "suspended" and state_here == State.RUN:
        yield ev.AttemptSuspended(at=now, key=_key(element))
    elif state_there == "running" and state_here == State.USUSP:
        yield ev.AttemptResumed(at=now, key=_key(element))


def _fences(state: ClusterState, host: str, known: tuple[KnownAttempt, ...]) -> Iterator[Effect]:
    stale = tuple(a.key for a in known if state.element(a.key) is None)
    if stale:
        yield Tell(host, Fence(stale))


def _element(state: ClusterState, job_id: int, index: int) -> Element:
    elements = state.jobs[job_id].elements
    assert elements is not None
    return elements[index]


def _key(element: Element) -> AttemptKey:
    assert element.run is not None
    return AttemptKey(element.job_id, element.index, element.run.attempt)


def lease_expired(state: ClusterState, command: HostLeaseExpired, *, now: float) -> Decision:
    host = state.hosts.get(command.host)
    if host is None or not host.is_up:
        return NOTHING
    return Decision(events=(ev.HostLost(at=now, host=command.host),))


def grace_expired(state: ClusterState, command: HostGraceExpired, *, now: float) -> Decision:
    """The host did not come back: what may run twice is queued again, the rest ends TERM_HOST_LOST."""
    host = state.hosts.get(command.host)
    if host is None or host.is_up:
        return NOTHING
    text = f"host {command.host} was lost and did not come back within the grace"
    events = tuple(
        _lost(state.jobs[job_id], _element(state, job_id, index), text, now=now)
        for job_id, index in sorted(state.on_host[command.host])
    )
    return Decision(events=events)


def _lost(job: Job, element: Element, text: str, *, now: float) -> ev.AttemptEnded:
    is_again = job.ends.rerunnable and element.wish is None
    to = State.PEND if is_again else State.EXIT
    return ev.AttemptEnded(at=now, key=_key(element), to=to, reason=EndReason.HOST_LOST, text=text)


def refuse_start(state: ClusterState, command: RefuseStart, *, now: float) -> Decision:
    """Back to PEND, not counted; the job waits for another configuration (20-merge, Dispatch and the hash)."""
    if state.element(command.key) is None:
        return NOTHING
    generation = state.generation.number
    refused = ev.JobRefused(at=now, job_id=command.key.job_id, generation=generation, message=command.message)
    declined = ev.AttemptDeclined(at=now, key=command.key, text=command.message)
    return Decision(events=(declined, refused))


def reports(state: ClusterState, command: WorkerReports, *, now: float) -> Decision:
    """Reports in order. An end is acknowledged once it is durable, and also when it is stale (G5, G6)."""
    events: list[ev.AnyEvent] = []
    acknowledged: list[AttemptKey] = []
    stale: list[AttemptKey] = []
    ended: set[AttemptKey] = set()
    far: dict[AttemptKey, _Far] = {}
    for report in command.reports:
        element = state.element(report.key)
        is_current = element is not None and report.key not in ended
        if is_current and element is not None and element.run is not None and element.run.host != command.host:
            is_current = False  # another host's attempt: refused (G17)
        if isinstance(report, Ended | Declined):
            acknowledged.append(report.key)
            if is_current and element is not None:
                ended.add(report.key)
                events.append(_ending(state.jobs[report.key.job_id], element, report, now=now))
        elif not is_current:
            stale.append(report.key)
        elif element is not None:
            events.extend(_progress(far.setdefault(report.key, _Far(element)), report))
    effects: list[Effect] = []
    if acknowledged:
        effects.append(Tell(command.host, EndAck(tuple(acknowledged))))
    fenced = tuple(key for key in stale if key not in ended)
    if fenced:
        effects.append(Tell(command.host, Fence(fenced)))
    return Decision(events=tuple(events), effects=tuple(effects))


class _Far:
    """How far an attempt is, counting the reports of this batch."""

    def __init__(self, element: Element) -> None:
        assert element.run is not None
        self.is_started = element.run.started_at is not None
        self.is_suspended = element.state in {State.USUSP, State.SSUSP}


def _progress(far: _Far, report: Started | Suspended | Resumed) -> Iterator[ev.AnyEvent]:
    """What a report changes; a repeated one changes nothing."""
    match report:
        case Started(key=key, pid=pid, at=at) if not far.is_started:
            far.is_started = True
            yield ev.AttemptStarted(at=at, key=key, pid=pid)
        case Suspended(key=key, at=at) if not far.is_suspended:
            far.is_suspended = True
            yield ev.AttemptSuspended(at=at, key=key)
        case Resumed(key=key, at=at) if far.is_suspended:
            far.is_suspended = False
            yield ev.AttemptResumed(at=at, key=key)


def _ending(job: Job, element: Element, report: Ended | Declined, *, now: float) -> ev.AnyEvent:
    if isinstance(report, Declined):
        if element.wish is None or element.wish.requeue:
            return ev.AttemptDeclined(at=now, key=report.key, text=report.text)
        report = Ended(key=report.key, reason=element.wish.reason, text=report.text, ended_at=now)
    to, is_counted = _what_becomes(job, element, report)
    return ev.AttemptEnded(
        at=report.ended_at,
        key=report.key,
        to=to,
        exit_code=report.exit_code,
        signal=report.signal,
        reason=report.reason,
        text=report.text,
        started_at=report.started_at,
        usage=report.usage,
        is_requeue_counted=is_counted,
    )


def _what_becomes(job: Job, element: Element, end: Ended) -> tuple[State, bool]:
    """The element's next state, and whether it uses up one of the job's own requeues."""
    rules = job.ends
    if end.reason == EndReason.REQUEUE:
        return State.PEND, False
    if end.reason == EndReason.HOST_LOST and rules.rerunnable and element.wish is None:
        return State.PEND, False
    if end.reason or end.exit_code is None:
        return State.EXIT, False
    if end.exit_code in rules.requeue_exit_codes and element.requeue_count < rules.max_requeue:
        return State.PEND, True
    is_done = end.exit_code == 0 or end.exit_code in rules.success_exit_codes
    return (State.DONE if is_done else State.EXIT), False
