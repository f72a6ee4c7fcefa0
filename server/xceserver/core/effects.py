"""What is to be done outside once the events are durable. Every effect may be done twice."""

import msgspec

from xceserver.core import events as ev
from xceserver.core.records import Element
from xceserver.core.state import ClusterState
from xceserver.peer import AttemptKey, EndAck, Fence, Signal


class StartAttempt(msgspec.Struct, frozen=True):
    """Send start_info to the host (it is made from the spec when it is sent)."""

    host: str
    key: AttemptKey


class Tell(msgspec.Struct, frozen=True):
    """Send a message to the host's worker."""

    host: str
    message: Signal | EndAck | Fence


class Answered(msgspec.Struct, frozen=True):
    """The plan is admitted or refused; the scheduler may plan again."""

    plan: int


Effect = StartAttempt | Tell | Answered


def effects_of(state: ClusterState, event: ev.AnyEvent) -> list[Effect]:
    """The effects that follow from an event, read off the state after it."""
    match event:
        case ev.AttemptDispatched(key=key, placements=placements):
            return [StartAttempt(placements[0].host, key)]
        case ev.KillRequested(key=key) | ev.StopRequested(key=key) | ev.ResumeRequested(key=key):
            element = state.element(key)
            return [] if element is None else wishes(element, resume=isinstance(event, ev.ResumeRequested))
    return []


def wishes(element: Element, *, resume: bool = False) -> list[Effect]:
    """What the worker of a running element must be told; the same again after a lost link."""
    run = element.run
    if run is None:
        return []
    key = AttemptKey(element.job_id, element.index, run.attempt)
    if element.wish is not None:
        wish = element.wish
        signal = Signal(key=key, action="force" if wish.force else "kill", reason=wish.reason, text=wish.note.why)
        return [Tell(run.host, signal)]
    if element.stop is not None:
        return [Tell(run.host, Signal(key=key, action="stop"))]
    return [Tell(run.host, Signal(key=key, action="resume"))] if resume else []
