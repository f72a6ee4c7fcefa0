"""The scheduler's picture of the cluster, kept up by the controller's changes."""

import heapq
from bisect import bisect_left, insort

from xcelib.config.canonical import from_bytes
from xcelib.config.model import ClusterConfig, empty, queue_hosts
from xcelib.merge import Rejection
from xcelib.reasons import Reason
from xceserver.core import view
from xceserver.core.records import Needs
from xceserver.core.sizing import Sizing, Sizings, shared_totals


class BucketBoard:
    """Jobs of equal needs that wait, in the order of their submission."""

    def __init__(self, bucket_id: int, needs: Needs) -> None:
        self.id = bucket_id
        self.needs = needs
        self.jobs: dict[int, view.JobSet] = {}
        self.ready: list[int] = []  # ids of jobs whose begin time has come and that may start elements, sorted

    def put(self, job: view.JobSet, *, is_ready: bool) -> None:
        was_ready = self._is_ready(job.id)
        self.jobs[job.id] = job
        if is_ready and not was_ready:
            insort(self.ready, job.id)
        elif was_ready and not is_ready:
            self._unready(job.id)

    def drop(self, job_id: int) -> None:
        if self._is_ready(job_id):
            self._unready(job_id)
        del self.jobs[job_id]

    def _is_ready(self, job_id: int) -> bool:
        position = bisect_left(self.ready, job_id)
        return position < len(self.ready) and self.ready[position] == job_id

    def _unready(self, job_id: int) -> None:
        del self.ready[bisect_left(self.ready, job_id)]


class Board:
    """Everything that a session reads. `apply` takes changes in; a session changes nothing here but `waits`."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.generation = 0
        self._configure(empty())
        self.hosts: dict[str, view.HostSet] = {}
        self.inactive_queues: set[str] = set()
        self.shared_used: dict[str, int] = {}
        self.buckets: dict[int, BucketBoard] = {}
        self.bucket_of: dict[int, int] = {}
        self.begins: list[tuple[float, int]] = []
        self.waits: dict[int, tuple[Reason, ...]] = {}
        self.version = 0

    def _configure(self, config: ClusterConfig) -> None:
        self.config = config
        self.sizings = Sizings(config)
        self.shared_total = shared_totals(config)
        self._hosts_of_queue = {name: queue_hosts(config, queue) for name, queue in config.queues.items()}

    def sizing(self, bucket: BucketBoard) -> Sizing | Rejection:
        return self.sizings.of(bucket.needs)

    def queue_priority(self, name: str) -> int:
        queue = self.config.queues.get(name)
        return queue.priority if queue is not None else 0

    def is_usable_by(self, host: str, queue: str) -> bool:
        allowed = self._hosts_of_queue.get(queue)
        return allowed is None or host in allowed

    def apply(self, change: view.Change, *, now: float) -> None:
        match change:
            case view.JobSet():
                self._set_job(change, now=now)
            case view.JobGone(id=job_id):
                self._drop_job(job_id)
            case view.HostSet(name=name):
                self.hosts[name] = change
            case view.BucketSet(id=bucket_id, needs=needs):
                self.buckets[bucket_id] = BucketBoard(bucket_id, needs)
            case view.BucketGone(id=bucket_id):
                self.buckets.pop(bucket_id, None)
                self.waits.pop(bucket_id, None)
            case view.QueueSet(name=name, is_active=is_active):
                (self.inactive_queues.discard if is_active else self.inactive_queues.add)(name)
            case view.SharedSet(used=used):
                self.shared_used = used
            case view.ConfigSet(generation=generation, document=document):
                self.generation = generation
                self._configure(from_bytes(document) if document else empty())
            case view.Committed(version=version):
                self.version = version
            case view.Reset():
                self.clear()

    def _set_job(self, job: view.JobSet, *, now: float) -> None:
        known = self.bucket_of.get(job.id)
        if known is not None and known != job.bucket:
            self._drop_job(job.id)
        self.bucket_of[job.id] = job.bucket
        is_due = job.begin <= now
        if not is_due:
            heapq.heappush(self.begins, (job.begin, job.id))
        self.buckets[job.bucket].put(job, is_ready=is_due and job.startable > 0)

    def _drop_job(self, job_id: int) -> None:
        bucket_id = self.bucket_of.pop(job_id, None)
        if bucket_id is not None:
            self.buckets[bucket_id].drop(job_id)

    def wake(self, *, now: float) -> bool:
        """Make the jobs ready whose begin time has come; says whether there were any."""
        is_any = False
        while self.begins and self.begins[0][0] <= now:
            _, job_id = heapq.heappop(self.begins)
            bucket_id = self.bucket_of.get(job_id)
            if bucket_id is not None:
                bucket = self.buckets[bucket_id]
                job = bucket.jobs[job_id]
                bucket.put(job, is_ready=job.startable > 0)
                is_any = True
        return is_any

    @property
    def next_begin(self) -> float | None:
        return self.begins[0][0] if self.begins else None
