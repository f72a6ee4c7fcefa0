"""The state of the cluster in memory: its records, and what is derived from them.

Everything that can be derived (what is used on a host, who depends on whom, buckets, counts) is kept
beside the records; `invariants.py` computes it again from scratch to compare. `apply.py` alone changes it.
"""

from collections import defaultdict

import msgspec

from xcelib.config.model import ClusterConfig
from xcelib.depends import job_ids, parse
from xceserver.core.records import Element, Generation, Host, Job, Needs, Note, QueueAdmin, Run
from xceserver.peer import AttemptKey

NO_CODE = 256  # in `Job.exited`: an end without exit code or signal


class Bucket(msgspec.Struct):
    """Jobs of equal needs; the scheduler decides for all of them at once. `id` is of this process only."""

    id: int
    needs: Needs
    job_count: int = 0


class ClusterState:
    """All that the controller knows. Read it anywhere; only `apply` writes it."""

    def __init__(self, config: ClusterConfig) -> None:
        self.config = config
        self.generation = Generation(number=0, hash="", note=Note("", 0.0))
        self.next_job_id = 1
        self.jobs: dict[int, Job] = {}
        self.hosts: dict[str, Host] = {}
        self.queues: dict[str, QueueAdmin] = {}
        # derived
        self.buckets: dict[Needs, Bucket] = {}
        self.next_bucket_id = 1
        self.on_host: defaultdict[str, set[tuple[int, int]]] = defaultdict(set)
        self.used: defaultdict[str, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
        self.shared_used: defaultdict[str, int] = defaultdict(int)
        self.dependents: defaultdict[int, set[int]] = defaultdict(set)
        self.pending_by_user: defaultdict[str, int] = defaultdict(int)
        self.pending_by_queue: defaultdict[str, int] = defaultdict(int)
        self.running_by_queue: defaultdict[str, int] = defaultdict(int)
        self.finished: list[int] = []  # final jobs that the controller has not evicted yet

    def element(self, key: AttemptKey) -> Element | None:
        """The element whose current attempt is `key`, or None: the attempt is stale or unknown."""
        job = self.jobs.get(key.job_id)
        element = job.elements.get(key.index) if job and job.elements else None
        if element is None or element.run is None or element.run.attempt != key.attempt:
            return None
        return element

    def bucket(self, job: Job) -> Bucket:
        return self.buckets[job.needs]

    def queue_admin(self, name: str) -> QueueAdmin:
        return self.queues.get(name) or QueueAdmin(name=name)

    # --- records in and out ---------------------------------------------------------------------------------

    def adopt_job(self, job: Job) -> None:
        """Take a job record in: a new one, or one that recovery read. Builds what is derived from it."""
        bucket = self.buckets.get(job.needs)
        if bucket is None:
            bucket = self.buckets[job.needs] = Bucket(id=self.next_bucket_id, needs=job.needs)
            self.next_bucket_id += 1
        bucket.job_count += 1
        job.needs = bucket.needs
        self.jobs[job.id] = job
        self.next_job_id = max(self.next_job_id, job.id + 1)
        self.count_pending(job, pending_count(job))
        for job_id in awaited(job):
            self.dependents[job_id].add(job.id)
        for element in (job.elements or {}).values():
            if element.run is not None:
                self.hold_resources(element)

    def revive(self, job: Job) -> None:
        """Take a finished job in again, for those that depend on it."""
        if job.id not in self.jobs:
            self.adopt_job(job)
            self.finished.append(job.id)

    def evict(self, job_id: int) -> None:
        """Forget a final job; the store has it. Only the controller's shell decides when."""
        job = self.jobs.pop(job_id)
        bucket = self.buckets[job.needs]
        bucket.job_count -= 1
        if not bucket.job_count:
            del self.buckets[job.needs]
        self.dependents.pop(job_id, None)

    def count_pending(self, job: Job, change: int) -> None:
        self.pending_by_user[job.needs.user] += change
        self.pending_by_queue[job.needs.queue] += change

    def hold_resources(self, element: Element) -> None:
        """Count what the element's attempt reserves."""
        assert element.run is not None
        self._count(element, element.run, sign=1)

    def release_resources(self, element: Element, run: Run) -> None:
        """Give back what the attempt reserved."""
        self._count(element, run, sign=-1)

    def _count(self, element: Element, run: Run, *, sign: int) -> None:
        for placement in run.placements:
            here = self.on_host[placement.host]
            (here.add if sign > 0 else here.discard)((element.job_id, element.index))
            used = self.used[placement.host]
            for counter, amount in placement.amounts.items():
                used[counter] += sign * amount
        self.running_by_queue[self.jobs[element.job_id].needs.queue] += sign
        for counter, amount in run.shared.items():
            self.shared_used[counter] += sign * amount


def awaited(job: Job) -> frozenset[int]:
    """The jobs whose outcome may still matter to it: also while it is held, for it may be released."""
    return job_ids(parse(job.depends)) if job.is_awaiting and job.depends is not None else frozenset()


def pending_count(job: Job) -> int:
    """Elements that are not final and not on a host."""
    sets = (job.waiting, job.gated, job.held)
    return sum(len(indexes) for indexes in sets if indexes)
