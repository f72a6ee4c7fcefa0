"""Admission: a plan is an offer, checked again start by start against the state of now."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import islice

from xcelib.merge import Rejection
from xceserver.core import events as ev
from xceserver.core.commands import AdmitPlan
from xceserver.core.decision import Decision
from xceserver.core.effects import Answered
from xceserver.core.records import Job, Placement
from xceserver.core.sizing import Sizing, Sizings, first_lack, shared_totals
from xceserver.core.state import ClusterState
from xceserver.core.view import Start, capacity, is_refused
from xceserver.peer import AttemptKey


class _Books:
    """What is taken, counting what this plan has been given so far."""

    def __init__(self, state: ClusterState) -> None:
        self.state = state
        self.totals = {host.name: capacity(state, host) for host in state.hosts.values() if host.is_up}
        self.used: dict[str, dict[str, int]] = {name: dict(state.used[name]) for name in self.totals}
        self.shared_total = shared_totals(state.config)
        self.shared_used = dict(state.shared_used)
        self.indexes: dict[int, Iterator[int]] = {}
        self.startable: dict[int, int] = defaultdict(int)

    def next_index(self, job: Job) -> int | None:
        if job.id not in self.indexes:
            room = job.array_limit - job.on_host_count if job.array_limit else job.waiting_count
            self.indexes[job.id] = islice(iter(job.waiting or ()), max(0, room))
        return next(self.indexes[job.id], None)

    def take(self, host: str, amounts: dict[str, int], shared: dict[str, int]) -> bool:
        """Reserve, or say that it does not fit."""
        used = self.used[host]
        if first_lack(amounts, self.totals[host], used) or first_lack(shared, self.shared_total, self.shared_used):
            return False
        for name, amount in amounts.items():
            used[name] = used.get(name, 0) + amount
        for name, amount in shared.items():
            self.shared_used[name] = self.shared_used.get(name, 0) + amount
        return True


def admit(state: ClusterState, command: AdmitPlan, sizings: Sizings, *, now: float) -> Decision:
    """The starts that still hold, as dispatches. What does not is dropped: the next plan knows better."""
    books = _Books(state)
    events: list[ev.AnyEvent] = []
    for start in command.plan.starts:
        events.extend(_admit_start(state, start, sizings, books, now=now))
    return Decision(events=tuple(events), effects=(Answered(command.plan.number),), answer=len(events))


def _admit_start(
    state: ClusterState, start: Start, sizings: Sizings, books: _Books, *, now: float
) -> Iterator[ev.AttemptDispatched]:
    job = state.jobs.get(start.job_id)
    host = state.hosts.get(start.host)
    if job is None or host is None or start.host not in books.totals:
        return
    if (host.admin is not None and host.admin.state != "open") or _is_blocked(state, job, now=now):
        return
    sizing = sizings.of(job.needs)
    if isinstance(sizing, Rejection) or not _in_range(start.tasks, sizing):
        return
    amounts, shared = sizing.on_first_host(start.tasks), sizing.shared(start.tasks)
    placements = (Placement(start.host, start.tasks, amounts),)
    for _ in range(start.count):
        if not books.take(start.host, amounts, shared):
            return
        index = books.next_index(job)
        if index is None:
            return
        element = (job.elements or {}).get(index)
        attempt = element.attempt_count + 1 if element is not None else 1
        yield ev.AttemptDispatched(
            at=now,
            key=AttemptKey(job.id, index, attempt),
            placements=placements,
            shared=shared,
            profile_hash=sizing.profile_hash,
            generation=state.generation.number,
        )


def _is_blocked(state: ClusterState, job: Job, *, now: float) -> bool:
    return (job.begin or 0.0) > now or state.queue_admin(job.needs.queue).inactive is not None or is_refused(state, job)


def _in_range(tasks: int, sizing: Sizing) -> bool:
    return sizing.tasks.min <= tasks and (sizing.tasks.max is None or tasks <= sizing.tasks.max)
