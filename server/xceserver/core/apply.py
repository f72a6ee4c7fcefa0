"""`apply`: the one function that changes the state.

Live operation, recovery checks and the simulator all use it. It is total for every event that `decide`
can give; anything else is a bug and stops.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from xcelib.config.canonical import from_bytes
from xcelib.ranges import IndexSet
from xcelib.states import MOVES, State
from xceserver.core import events as ev
from xceserver.core.records import Element, Generation, Host, Job, PastAttempt, QueueAdmin, Run
from xceserver.core.state import NO_CODE, ClusterState, awaited, pending_count
from xceserver.peer import AttemptKey


class Touched:
    """What a transaction changed: what the store writes and the followers hear."""

    def __init__(self) -> None:
        self.jobs: dict[int, Job] = {}
        self.specs: list[tuple[int, bytes]] = []
        self.elements: dict[tuple[int, int], Element] = {}
        self.hosts: dict[str, Host] = {}
        self.queues: dict[str, QueueAdmin] = {}
        self.config: tuple[Generation, bytes] | None = None
        self.regated: set[int] = set()  # jobs released from a hold while their dependency may be open
        self.outcomes: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)  # job -> what started or ended


def apply(state: ClusterState, event: ev.AnyEvent, touched: Touched) -> None:
    """Make the event true, and note in `touched` what it changed."""
    _APPLY[type(event)](state, event, touched)


def apply_all(state: ClusterState, events: Iterable[ev.AnyEvent], touched: Touched) -> None:
    for event in events:
        apply(state, event, touched)


def move(element: Element, to: State) -> None:
    """Change the element's state; a move that the table does not have is a bug and tells its story."""
    if to not in MOVES[element.state]:
        story = f"attempts {element.past}, now {element.run}"
        raise AssertionError(f"{element.job_id}[{element.index}]: {element.state} -> {to} is no move; {story}")
    element.state = to


def _job(state: ClusterState, job_id: int, touched: Touched) -> Job:
    job = state.jobs[job_id]
    touched.jobs[job_id] = job
    return job


def _running(state: ClusterState, key: AttemptKey, touched: Touched) -> Element:
    element = state.element(key)
    assert element is not None, f"no such attempt: {key}"
    touched.elements[(key.job_id, key.index)] = element
    return element


def _take(job: Job, ranges: ev.Ranges) -> None:
    """Remove the indexes from whichever pending set has them."""
    for first, last in ranges:
        for name in ("waiting", "gated", "held"):
            indexes: IndexSet | None = getattr(job, name)
            if indexes:
                indexes.discard_range(first, last)
                if not indexes:
                    setattr(job, name, None)


def _put(job: Job, name: str, ranges: ev.Ranges) -> None:
    indexes: IndexSet | None = getattr(job, name)
    if indexes is None:
        setattr(job, name, IndexSet.from_ranges(ranges))
        return
    for first, last in ranges:
        indexes.add_range(first, last)


def _submitted(state: ClusterState, event: ev.JobSubmitted, touched: Touched) -> None:
    for job in event.revived:
        state.revive(job)
    job = copy_job(event.job)
    state.adopt_job(job)
    touched.jobs[job.id] = job
    touched.specs.append((job.id, event.spec))


def copy_job(job: Job) -> Job:
    """A job as submitted that shares no mutable part with the event's: events stay what they were."""
    fresh = msgspec.structs.replace(job)
    for name in ("waiting", "gated", "held", "done", "cancelled"):
        indexes: IndexSet | None = getattr(job, name)
        if indexes is not None:
            setattr(fresh, name, indexes.copy())
    return fresh


def _dependency_met(state: ClusterState, event: ev.DependencyMet, touched: Touched) -> None:
    job = _job(state, event.job_id, touched)
    _take(job, event.indexes)
    _put(job, "waiting", event.indexes)
    _stop_awaiting(state, job)


def _stop_awaiting(state: ClusterState, job: Job) -> None:
    """The dependency has done its work: those that the job waited for may be forgotten."""
    if not job.gated and not job.held:
        for job_id in awaited(job):
            state.dependents[job_id].discard(job.id)
        job.is_awaiting = False


def _held(state: ClusterState, event: ev.ElementsHeld, touched: Touched) -> None:
    job = _job(state, event.job_id, touched)
    _take(job, event.indexes)
    _put(job, "held", event.indexes)
    job.hold = event.note
    _set_waiting_elements(job, event.indexes, State.PSUSP, touched)


def _released(state: ClusterState, event: ev.ElementsReleased, touched: Touched) -> None:
    job = _job(state, event.job_id, touched)
    _take(job, event.indexes)
    _put(job, "gated" if event.gated else "waiting", event.indexes)
    if event.gated:
        touched.regated.add(job.id)
    else:
        _stop_awaiting(state, job)
    _set_waiting_elements(job, event.indexes, State.PEND, touched)


def _set_waiting_elements(job: Job, ranges: ev.Ranges, to: State, touched: Touched) -> None:
    """Elements with earlier attempts have records of their own, also while they wait."""
    for index, element in (job.elements or {}).items():
        if element.run is None and any(first <= index <= last for first, last in ranges):
            move(element, to)
            touched.elements[(job.id, index)] = element


def _cancelled(state: ClusterState, event: ev.ElementsCancelled, touched: Touched) -> None:
    job = _job(state, event.job_id, touched)
    before = pending_count(job)
    _take(job, event.indexes)
    _put(job, "cancelled", event.indexes)
    state.count_pending(job, pending_count(job) - before)
    job.cancel = (event.reason, event.note)
    _set_waiting_elements(job, event.indexes, State.EXIT, touched)
    for index in [index for index, element in (job.elements or {}).items() if element.state == State.EXIT]:
        assert job.elements is not None
        del job.elements[index]
    touched.outcomes[job.id].extend(event.indexes)
    _finish(state, job, at=event.at)


def _refused(state: ClusterState, event: ev.JobRefused, touched: Touched) -> None:
    _job(state, event.job_id, touched).refused = (event.generation, event.message)


def _finish(state: ClusterState, job: Job, *, at: float) -> None:
    if job.is_final and job.ended_at is None:
        job.ended_at = at
        state.finished.append(job.id)
    _stop_awaiting(state, job)


def _dispatched(state: ClusterState, event: ev.AttemptDispatched, touched: Touched) -> None:
    job_id, index, attempt = event.key.job_id, event.key.index, event.key.attempt
    job = _job(state, job_id, touched)
    assert job.waiting is not None, f"{event.key}: nothing of the job waits"
    assert index in job.waiting, f"{event.key} does not wait"
    job.waiting.discard(index)
    if not job.waiting:
        job.waiting = None
    state.count_pending(job, -1)
    if job.elements is None:
        job.elements = {}
    element = job.elements.get(index)
    if element is None:
        element = job.elements[index] = Element(job_id=job_id, index=index, state=State.PEND)
    move(element, State.RUN)
    element.attempt_count = attempt
    element.run = Run(
        attempt=attempt,
        placements=event.placements,
        shared=event.shared,
        dispatched_at=event.at,
        profile_hash=event.profile_hash,
        generation=event.generation,
    )
    if job.started_at is None:
        job.started_at = event.at
        touched.outcomes[job_id].append((index, index))
    state.hold_resources(element)
    touched.elements[(job_id, index)] = element
    _touch_hosts(state, element.run, touched)


def _touch_hosts(state: ClusterState, run: Run, touched: Touched) -> None:
    for placement in run.placements:
        touched.hosts.setdefault(placement.host, state.hosts[placement.host])


def _started(state: ClusterState, event: ev.AttemptStarted, touched: Touched) -> None:
    element = _running(state, event.key, touched)
    assert element.run is not None
    element.run.started_at = event.at
    element.run.pid = event.pid


def _suspended(state: ClusterState, event: ev.AttemptSuspended, touched: Touched) -> None:
    move(_running(state, event.key, touched), State.USUSP)


def _resumed(state: ClusterState, event: ev.AttemptResumed, touched: Touched) -> None:
    move(_running(state, event.key, touched), State.RUN)


def _stop_requested(state: ClusterState, event: ev.StopRequested, touched: Touched) -> None:
    _running(state, event.key, touched).stop = event.note


def _resume_requested(state: ClusterState, event: ev.ResumeRequested, touched: Touched) -> None:
    _running(state, event.key, touched).stop = None


def _kill_requested(state: ClusterState, event: ev.KillRequested, touched: Touched) -> None:
    _running(state, event.key, touched).wish = event.wish


def _ended(state: ClusterState, event: ev.AttemptEnded, touched: Touched) -> None:
    job = _job(state, event.key.job_id, touched)
    element = _running(state, event.key, touched)
    run = _release(state, element, touched)
    element.past = (
        *element.past,
        PastAttempt(
            attempt=run.attempt,
            hosts=tuple(placement.host for placement in run.placements),
            dispatched_at=run.dispatched_at,
            started_at=event.started_at if event.started_at is not None else run.started_at,
            ended_at=event.at,
            exit_code=event.exit_code,
            signal=event.signal,
            reason=event.reason,
            text=event.text,
            usage=event.usage,
        ),
    )
    move(element, State(event.to))
    index = element.index
    if element.state == State.PEND:
        element.requeue_count += event.is_requeue_counted
        _wait_again(state, job, element)
        return
    assert job.elements is not None
    del job.elements[index]
    if element.state == State.DONE:
        _put(job, "done", ((index, index),))
    else:
        if not job.exited:
            job.exited, job.end_reason = {}, event.reason
        job.exited[index] = _code(event)
    touched.outcomes[job.id].append((index, index))
    _finish(state, job, at=event.at)


def _code(event: ev.AttemptEnded) -> int:
    if event.exit_code is not None:
        return event.exit_code
    return -event.signal if event.signal else NO_CODE


def _release(state: ClusterState, element: Element, touched: Touched) -> Run:
    """The attempt is over: give back what it held. The element has no run from here on."""
    run = element.run
    assert run is not None
    state.release_resources(element, run)
    _touch_hosts(state, run, touched)
    element.run = None
    element.wish = None
    element.stop = None
    return run


def _wait_again(state: ClusterState, job: Job, element: Element) -> None:
    _put(job, "waiting", ((element.index, element.index),))
    state.count_pending(job, 1)


def _declined(state: ClusterState, event: ev.AttemptDeclined, touched: Touched) -> None:
    job = _job(state, event.key.job_id, touched)
    element = _running(state, event.key, touched)
    _release(state, element, touched)
    move(element, State.PEND)
    _wait_again(state, job, element)


def _host_joined(state: ClusterState, event: ev.HostJoined, touched: Touched) -> None:
    host = state.hosts.get(event.host) or Host(name=event.host)
    state.hosts[event.host] = touched.hosts[event.host] = host
    host.is_up, host.joined_at, host.lost_at = True, event.at, None
    host.boot_id, host.pid, host.version, host.backend = (
        event.boot_id,
        event.pid,
        event.version,
        event.backend,
    )
    host.slots, host.attributes, host.counters = event.slots, event.attributes, event.counters
    for job_id, index in sorted(state.on_host[event.host]):
        elements = state.jobs[job_id].elements
        assert elements is not None
        element = elements[index]
        if element.state == State.UNKWN:
            move(element, State.USUSP if element.stop else State.RUN)
            touched.elements[(job_id, index)] = element


def _host_lost(state: ClusterState, event: ev.HostLost, touched: Touched) -> None:
    host = touched.hosts[event.host] = state.hosts[event.host]
    host.is_up, host.lost_at = False, event.at
    for job_id, index in sorted(state.on_host[event.host]):
        elements = state.jobs[job_id].elements
        assert elements is not None
        element = elements[index]
        if element.state != State.UNKWN:
            move(element, State.UNKWN)
            touched.elements[(job_id, index)] = element


def _host_set(state: ClusterState, event: ev.HostSet, touched: Touched) -> None:
    host = state.hosts.get(event.host) or Host(name=event.host)
    state.hosts[event.host] = touched.hosts[event.host] = host
    host.admin = event.admin


def _queue_set(state: ClusterState, event: ev.QueueSet, touched: Touched) -> None:
    admin = QueueAdmin(name=event.queue, closed=event.closed, inactive=event.inactive)
    state.queues[event.queue] = touched.queues[event.queue] = admin


def _config_applied(state: ClusterState, event: ev.ConfigApplied, touched: Touched) -> None:
    state.config = from_bytes(event.document)
    state.generation = event.generation
    for job in state.jobs.values():
        if job.refused is not None:  # it may be allowed again
            touched.jobs[job.id] = job
    touched.config = (event.generation, event.document)


_APPLY: dict[type, Callable[[ClusterState, Any, Touched], None]] = {
    ev.JobSubmitted: _submitted,
    ev.DependencyMet: _dependency_met,
    ev.ElementsHeld: _held,
    ev.ElementsReleased: _released,
    ev.ElementsCancelled: _cancelled,
    ev.JobRefused: _refused,
    ev.AttemptDispatched: _dispatched,
    ev.AttemptStarted: _started,
    ev.AttemptSuspended: _suspended,
    ev.AttemptResumed: _resumed,
    ev.StopRequested: _stop_requested,
    ev.ResumeRequested: _resume_requested,
    ev.KillRequested: _kill_requested,
    ev.AttemptEnded: _ended,
    ev.AttemptDeclined: _declined,
    ev.HostJoined: _host_joined,
    ev.HostLost: _host_lost,
    ev.HostSet: _host_set,
    ev.QueueSet: _queue_set,
    ev.ConfigApplied: _config_applied,
}
