"""What the scheduler sees, and what it says back.

A follower receives a `Reset`, then `Change`s; each batch ends with `Committed`. `Plan` answers. The
scheduler may read nothing else of the core, so this module is the whole border between the two.
"""

from collections.abc import Iterator

import msgspec

from xcelib.reasons import Reason
from xceserver.core.apply import Touched
from xceserver.core.records import Host, Job, Needs, QueueAdmin
from xceserver.core.state import ClusterState


class Reset(msgspec.Struct, frozen=True, tag=True):
    """Forget everything: what follows is the whole."""


class ConfigSet(msgspec.Struct, frozen=True, tag=True):
    """The live configuration (canonical document); buckets are to be merged anew."""

    generation: int
    document: bytes


class BucketSet(msgspec.Struct, frozen=True, tag=True):
    id: int
    needs: Needs


class BucketGone(msgspec.Struct, frozen=True, tag=True):
    id: int


class JobSet(msgspec.Struct, frozen=True, tag=True):
    """A job with elements to place: `waiting` of them, of which `startable` may run at once now (array limit)."""

    id: int
    bucket: int
    waiting: int
    startable: int
    begin: float = 0.0


class JobGone(msgspec.Struct, frozen=True, tag=True):
    """The job has nothing to place (any more)."""

    id: int


class HostSet(msgspec.Struct, frozen=True, tag=True):
    """A host as it is: `total` has its counters and slots, `used` what attempts hold."""

    name: str
    is_up: bool
    is_open: bool
    total: dict[str, int]
    used: dict[str, int]
    attributes: dict[str, str | int | float | bool]


class QueueSet(msgspec.Struct, frozen=True, tag=True):
    name: str
    is_active: bool


class SharedSet(msgspec.Struct, frozen=True, tag=True):
    """What attempts hold of the shared counters."""

    used: dict[str, int]


class Committed(msgspec.Struct, frozen=True, tag=True):
    """The view is whole at `version`; `plan` is the number of the latest plan that is answered in it."""

    version: int
    plan: int


Change = Reset | ConfigSet | BucketSet | BucketGone | JobSet | JobGone | HostSet | QueueSet | SharedSet | Committed


class Start(msgspec.Struct, frozen=True, array_like=True):
    """Start `count` elements of the job, each with all its `tasks` on `host`."""

    job_id: int
    host: str
    tasks: int
    count: int


class Wait(msgspec.Struct, frozen=True):
    """Why no further element of the bucket starts now."""

    bucket: int
    reasons: tuple[Reason, ...]


class Plan(msgspec.Struct, frozen=True, tag=True):
    """What the scheduler would do. An offer: the controller admits it start by start.

    `waits` has the buckets whose reasons changed since the plan before.
    """

    number: int
    basis: int
    starts: tuple[Start, ...]
    waits: tuple[Wait, ...]


class SchedulerHello(msgspec.Struct, frozen=True, tag=True):
    pid: int
    version: str


FromScheduler = SchedulerHello | Plan


def host_set(state: ClusterState, host: Host) -> HostSet:
    return HostSet(
        name=host.name,
        is_up=host.is_up,
        is_open=host.admin is None or host.admin.state == "open",
        total=capacity(state, host),
        used={name: amount for name, amount in state.used[host.name].items() if amount},
        attributes={**host.attributes, **configured_attributes(state, host)},
    )


def capacity(state: ClusterState, host: Host) -> dict[str, int]:
    """Slots and counters of a host: the configuration's where it says, else what its worker found."""
    total = {"slots": host.slots, **host.counters}
    configured = state.config.hosts.get(host.name)
    if configured is not None:
        total.update(configured.counters)
        if configured.slots is not None:
            total["slots"] = configured.slots
    return total


def configured_attributes(state: ClusterState, host: Host) -> dict[str, str | int | float | bool]:
    configured = state.config.hosts.get(host.name)
    return dict(configured.attributes) if configured is not None else {}


def queue_set(admin: QueueAdmin) -> QueueSet:
    return QueueSet(name=admin.name, is_active=admin.inactive is None)


def is_refused(state: ClusterState, job: Job) -> bool:
    """Whether the live configuration refused the job's own values when it was about to start."""
    return job.refused is not None and job.refused[0] == state.generation.number


def job_set(state: ClusterState, job: Job) -> JobSet | JobGone:
    waiting = job.waiting_count
    if not waiting or is_refused(state, job):
        return JobGone(id=job.id)
    startable = min(waiting, job.array_limit - job.on_host_count) if job.array_limit else waiting
    return JobSet(
        id=job.id,
        bucket=state.bucket(job).id,
        waiting=waiting,
        startable=max(0, startable),
        begin=job.begin or 0.0,
    )


def whole(state: ClusterState, document: bytes) -> Iterator[Change]:
    """Everything, for a follower that begins."""
    yield Reset()
    yield ConfigSet(generation=state.generation.number, document=document)
    yield from (queue_set(admin) for admin in state.queues.values())
    yield from (host_set(state, host) for host in state.hosts.values())
    yield SharedSet(used=dict(state.shared_used))
    yield from (BucketSet(id=bucket.id, needs=bucket.needs) for bucket in state.buckets.values())
    for job in state.jobs.values():
        change = job_set(state, job)
        if isinstance(change, JobSet):
            yield change


def changes(state: ClusterState, touched: Touched, known_buckets: set[int]) -> Iterator[Change]:
    """What a transaction changed for a follower; `known_buckets` is what it has heard of, and is kept up."""
    if touched.config is not None:
        generation, document = touched.config
        yield ConfigSet(generation=generation.number, document=document)
        yield from (host_set(state, host) for host in state.hosts.values() if host.name not in touched.hosts)
    yield from (queue_set(admin) for admin in touched.queues.values())
    yield from (host_set(state, host) for host in touched.hosts.values())
    if touched.elements and state.shared_used:
        yield SharedSet(used=dict(state.shared_used))
    for job in touched.jobs.values():
        bucket = state.buckets.get(job.needs)
        if bucket is not None and bucket.id not in known_buckets:
            known_buckets.add(bucket.id)
            yield BucketSet(id=bucket.id, needs=bucket.needs)
        yield job_set(state, job) if bucket is not None else JobGone(id=job.id)
