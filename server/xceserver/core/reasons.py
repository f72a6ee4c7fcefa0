"""Why each pending element waits: what the state itself says, and what the scheduler said of its bucket."""

from collections.abc import Iterable, Iterator

from xcelib.reasons import Reason, ReasonCode
from xceserver.core.records import Job, Note
from xceserver.core.state import ClusterState
from xceserver.core.view import Wait, is_refused


class Waits:
    """The scheduler's latest reasons by bucket. Not durable: the next session says them again."""

    def __init__(self) -> None:
        self._by_bucket: dict[int, tuple[Reason, ...]] = {}
        self.as_of = 0.0

    def take(self, waits: Iterable[Wait], *, at: float) -> None:
        self.as_of = at
        for wait in waits:
            if wait.reasons:
                self._by_bucket[wait.bucket] = wait.reasons
            else:
                self.drop(wait.bucket)

    def of(self, bucket_id: int) -> tuple[Reason, ...]:
        return self._by_bucket.get(bucket_id, ())

    def drop(self, bucket_id: int) -> None:
        self._by_bucket.pop(bucket_id, None)

    def clear(self) -> None:
        self._by_bucket.clear()


def pending_reasons(
    state: ClusterState, job: Job, waits: Waits, *, is_scheduled: bool, now: float
) -> tuple[Reason, ...]:
    """Every reason that holds an element of the job, at least one for a job that has pending elements."""
    return tuple(_reasons(state, job, waits, is_scheduled=is_scheduled, now=now))


def _reasons(state: ClusterState, job: Job, waits: Waits, *, is_scheduled: bool, now: float) -> Iterator[Reason]:
    if job.held and job.hold is not None:
        yield Reason(ReasonCode.HELD, {"by": job.hold.by, "why": job.hold.why}, count=len(job.held))
    if job.gated:
        yield Reason(ReasonCode.DEPENDENCY, {"condition": job.depends or ""}, count=len(job.gated))
    if not job.waiting:
        return
    if is_refused(state, job) and job.refused is not None:
        yield Reason(ReasonCode.UNSUBMITTABLE, {"message": job.refused[1]}, count=len(job.waiting))
        return
    if job.begin is not None and job.begin > now:
        yield Reason(ReasonCode.BEGIN, {"at": job.begin}, count=len(job.waiting))
        return
    if job.array_limit and job.on_host_count >= job.array_limit:
        facts: dict[str, str | int | float] = {"limit": job.array_limit, "running": job.on_host_count}
        yield Reason(ReasonCode.ARRAY_LIMIT, facts, count=len(job.waiting))
        return
    inactive = state.queue_admin(job.needs.queue).inactive
    if inactive is not None:
        yield Reason(ReasonCode.QUEUE_INACTIVE, _inactive(job, inactive), count=len(job.waiting))
    elif not is_scheduled:
        yield Reason(ReasonCode.NO_SCHEDULER, count=len(job.waiting))
    else:
        bucket = state.buckets[job.needs]
        yield from waits.of(bucket.id) or (Reason(ReasonCode.NEW, count=len(job.waiting)),)


def _inactive(job: Job, note: Note) -> dict[str, str | int | float]:
    why = f"set by {note.by}" + (f": {note.why}" if note.why else "")
    return {"queue": job.needs.queue, "why": why}
