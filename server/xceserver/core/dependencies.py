"""Dependencies over the state: what a job's outcome is, who waits for it, and what follows."""

from collections.abc import Callable, Iterable, Iterator, Mapping

import msgspec

from xcelib import depends
from xcelib.depends import Outcome
from xcelib.ranges import IndexSet
from xcelib.states import EndReason
from xceserver.core import events as ev
from xceserver.core.records import SYSTEM, Job, Note
from xceserver.core.state import NO_CODE, ClusterState

Outcomes = Callable[[int, int | None], Outcome]


class Verdict(msgspec.Struct, frozen=True):
    """The elements of a waiting job by what its condition says of them."""

    met: IndexSet
    open: IndexSet
    never: IndexSet


def outcome(job: Job, index: int | None) -> Outcome:
    """How far a job, or one element of it, has come."""
    if index is None:
        return _job_outcome(job)
    if job.done and index in job.done:
        return Outcome(started=True, final=True, done=True)
    if job.exited and index in job.exited:
        return Outcome(started=True, final=True, done=False, failed=True, exit_codes=(_code(job.exited[index]),))
    if job.cancelled and index in job.cancelled:
        return Outcome(started=False, final=True, done=False, failed=True)
    element = (job.elements or {}).get(index)
    return Outcome(started=element is not None, final=job.is_final, done=False)


def _job_outcome(job: Job) -> Outcome:
    failed = bool(job.exited or job.cancelled)
    codes = tuple({_code(kept) for kept in (job.exited or {}).values()})
    is_final = job.is_final
    return Outcome(
        started=job.started_at is not None,
        final=is_final,
        done=is_final and not failed,
        failed=failed,
        exit_codes=codes,
    )


def _code(kept: int) -> int | None:
    """The exit code, as a shell would say it for a signal; None where there is none."""
    if kept == NO_CODE:
        return None
    return kept if kept >= 0 else 128 - kept


def known_outcome(state: ClusterState, known: Mapping[int, Job] = {}) -> Outcomes:
    """Outcomes from the state, and from finished jobs given beside it."""

    def find(job_id: int, index: int | None) -> Outcome:
        job = state.jobs.get(job_id) or known[job_id]
        return outcome(job, index)

    return find


def verdicts(condition: depends.Condition, indexes: IndexSet, outcomes: Outcomes) -> Verdict:
    """Sort elements by the condition. One evaluation does for all, unless it goes element by element."""
    found: dict[str, IndexSet] = {"met": IndexSet(), "open": IndexSet(), "never": IndexSet()}
    if not depends.is_by_element(condition):
        verdict = depends.evaluate(condition, outcome=outcomes, index=0)
        found[verdict] = indexes.copy()
    else:
        for index in indexes:
            found[depends.evaluate(condition, outcome=outcomes, index=index)].add(index)
    return Verdict(met=found["met"], open=found["open"], never=found["never"])


def released(
    state: ClusterState, outcomes: Mapping[int, Iterable[tuple[int, int]]], regated: frozenset[int], *, now: float
) -> Iterator[ev.AnyEvent]:
    """What the dependents of jobs that moved do now, and the jobs that were released from a hold.
    Each is judged once, whatever moved it."""
    dependents = {other for job_id in outcomes for other in state.dependents.get(job_id, ())}
    for job_id in sorted(dependents | regated):
        job = state.jobs[job_id]
        if not job.gated or job.depends is None:
            continue
        condition = depends.parse(job.depends)
        candidates = job.gated
        if depends.is_by_element(condition) and job_id not in regated:
            moved = IndexSet.from_ranges([r for other in depends.job_ids(condition) for r in outcomes.get(other, ())])
            candidates = job.gated.intersection(moved)
        yield from _after(job, verdicts(condition, candidates, known_outcome(state)), now=now)


def _after(job: Job, verdict: Verdict, *, now: float) -> Iterator[ev.AnyEvent]:
    if verdict.met:
        yield ev.DependencyMet(at=now, job_id=job.id, indexes=verdict.met.ranges())
    if not verdict.never:
        return
    ranges = verdict.never.ranges()
    note = Note(by=SYSTEM, at=now, why=f"the dependency {job.depends} can no longer be met")
    match job.on_dependency_failure:
        case "cancel":
            yield ev.ElementsCancelled(at=now, job_id=job.id, indexes=ranges, reason=EndReason.DEPENDENCY, note=note)
        case "hold":
            yield ev.ElementsHeld(at=now, job_id=job.id, indexes=ranges, note=note)
        case "run":
            yield ev.DependencyMet(at=now, job_id=job.id, indexes=ranges)
