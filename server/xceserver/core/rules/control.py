"""What people do to jobs: kill, stop, resume, requeue. Each selection is judged alone; the answer names all."""

from collections.abc import Callable, Iterator

from xcelib.ids import element_text
from xcelib.ranges import IndexSet
from xcelib.states import EndReason, State
from xcelib.wire import ActionRefusal, ActionReport
from xceserver.core import events as ev
from xceserver.core.commands import Kill, Requeue, Resume, Selection, Stop
from xceserver.core.decision import Decision
from xceserver.core.records import SYSTEM, Actor, Element, Job, KillWish, Note
from xceserver.core.state import ClusterState
from xceserver.peer import AttemptKey


class _Unfit(Exception):
    """One selection cannot be acted on; becomes a row of the report."""


Act = Callable[[Job, IndexSet | None], Iterator[ev.AnyEvent]]


def _each(state: ClusterState, actor: Actor, selections: tuple[Selection, ...], act: Act) -> Decision:
    events: list[ev.AnyEvent] = []
    done: list[str] = []
    refused: list[ActionRefusal] = []
    for selection in selections:
        name = _selection_text(selection)
        try:
            own = list(act(_controllable(state, actor, selection), selection.indexes))
        except _Unfit as unfit:
            code, message = unfit.args
            refused.append(ActionRefusal(job=name, code=code, message=message))
        else:
            events.extend(own)
            done.append(name)
    return Decision(events=tuple(events), answer=ActionReport(done=tuple(done), refused=tuple(refused)))


def _selection_text(selection: Selection) -> str:
    if selection.indexes is None:
        return str(selection.job_id)
    return f"{selection.job_id}[{selection.indexes}]"


def _controllable(state: ClusterState, actor: Actor, selection: Selection) -> Job:
    job = state.jobs.get(selection.job_id)
    if job is None or job.is_final:
        raise _Unfit("already_ended", f"job `{selection.job_id}` has already ended or does not exist")
    if not actor.is_operator and actor.uid != job.uid:
        raise _Unfit("not_permitted", f"job `{job.id}` belongs to `{job.needs.user}`")
    return job


def _chosen(ranges: IndexSet | None, wanted: IndexSet | None) -> ev.Ranges:
    """The part of a pending set that is meant."""
    if not ranges:
        return ()
    return (ranges if wanted is None else ranges.intersection(wanted)).ranges()


def _running(job: Job, wanted: IndexSet | None) -> list[Element]:
    elements = [element for element in (job.elements or {}).values() if element.run is not None]
    return [element for element in elements if wanted is None or element.index in wanted]


def _key(element: Element) -> AttemptKey:
    assert element.run is not None
    return AttemptKey(element.job_id, element.index, element.run.attempt)


def _something(events: list[ev.AnyEvent], job: Job, what: str) -> Iterator[ev.AnyEvent]:
    if not events:
        raise _Unfit("nothing_to_do", f"job `{job.id}` has nothing {what}")
    return iter(events)


def kill(state: ClusterState, command: Kill, *, now: float) -> Decision:
    """Pending elements end at once; those on a host when their processes have ended (or with `force`, now)."""
    note = Note(by=command.actor.user, at=now, why=command.why)

    def act(job: Job, wanted: IndexSet | None) -> Iterator[ev.AnyEvent]:
        reason = EndReason.OWNER if command.actor.uid == job.uid else EndReason.ADMIN
        pending = [*_chosen(job.waiting, wanted), *_chosen(job.gated, wanted), *_chosen(job.held, wanted)]
        events: list[ev.AnyEvent] = []
        if pending:
            ranges = IndexSet.from_ranges(pending).ranges()
            events.append(ev.ElementsCancelled(at=now, job_id=job.id, indexes=ranges, reason=reason, note=note))
        events += [_kill_event(element, reason, note, command.is_force, now=now) for element in _running(job, wanted)]
        return _something(events, job, "left to kill")

    return _each(state, command.actor, command.selections, act)


def _kill_event(element: Element, reason: EndReason, note: Note, is_force: bool, *, now: float) -> ev.AnyEvent:
    if is_force and element.state == State.UNKWN:
        text = f"ended by force by {note.by}; its processes on the lost host may still live"
        return ev.AttemptEnded(at=now, key=_key(element), to=State.EXIT, reason=EndReason.FORCE, text=text)
    wish = KillWish(note=note, reason=reason, force=is_force)
    return ev.KillRequested(at=now, key=_key(element), wish=wish)


def stop(state: ClusterState, command: Stop, *, now: float) -> Decision:
    """Hold what waits, suspend what runs."""
    note = Note(by=command.actor.user, at=now, why=command.why)

    def act(job: Job, wanted: IndexSet | None) -> Iterator[ev.AnyEvent]:
        pending = [*_chosen(job.waiting, wanted), *_chosen(job.gated, wanted)]
        events: list[ev.AnyEvent] = []
        if pending:
            ranges = IndexSet.from_ranges(pending).ranges()
            events.append(ev.ElementsHeld(at=now, job_id=job.id, indexes=ranges, note=note))
        events += [
            ev.StopRequested(at=now, key=_key(element), note=note)
            for element in _running(job, wanted)
            if element.stop is None and element.wish is None
        ]
        return _something(events, job, "to stop")

    return _each(state, command.actor, command.selections, act)


def resume(state: ClusterState, command: Resume, *, now: float) -> Decision:
    """Release what is held, continue what is suspended. An open dependency goes on to gate."""

    def act(job: Job, wanted: IndexSet | None) -> Iterator[ev.AnyEvent]:
        events: list[ev.AnyEvent] = []
        held = _chosen(job.held, wanted)
        if held:
            holder = job.hold.by if job.hold is not None else ""
            if holder not in (command.actor.user, SYSTEM) and not command.actor.is_operator:
                raise _Unfit("not_permitted", f"job `{job.id}` is held by `{holder}`")
            # held because its dependency failed: to resume it is to run it all the same
            gated = job.is_awaiting and holder != SYSTEM
            events.append(ev.ElementsReleased(at=now, job_id=job.id, indexes=held, gated=gated))
        stopped = [element for element in _running(job, wanted) if element.stop is not None]
        events += [ev.ResumeRequested(at=now, key=_key(element)) for element in stopped]
        return _something(events, job, "to resume")

    return _each(state, command.actor, command.selections, act)


def requeue(state: ClusterState, command: Requeue, *, now: float) -> Decision:
    """End what runs and let it wait again. On a lost host only what may run twice (G5)."""
    note = Note(by=command.actor.user, at=now, why=command.why)

    def act(job: Job, wanted: IndexSet | None) -> Iterator[ev.AnyEvent]:
        events: list[ev.AnyEvent] = []
        for element in _running(job, wanted):
            if element.state == State.UNKWN and not job.ends.rerunnable:
                name = element_text(job.id, element.index)
                raise _Unfit(
                    "host_lost",
                    f"`{name}` is on a lost host and may still run there: wait for the host or its grace",
                )
            wish = KillWish(note=note, reason=EndReason.REQUEUE, requeue=True)
            events.append(ev.KillRequested(at=now, key=_key(element), wish=wish))
        return _something(events, job, "running to queue again")

    return _each(state, command.actor, command.selections, act)
