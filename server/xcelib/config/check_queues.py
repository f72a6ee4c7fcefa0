"""Queues: hosts, users and ceilings."""

from collections.abc import Iterator

from xcelib.config import codes
from xcelib.config.counters import check_amounts
from xcelib.config.findings import Finding
from xcelib.config.model import (
    CEILING_COUNTS,
    CEILING_LIMITS,
    JOB_COUNTS,
    ClusterConfig,
    QueueConfig,
    descriptors,
)
from xcelib.config.references import undefined, undefined_groups
from xcelib.resreq.descriptors import Descriptor


def check_queues(config: ClusterConfig) -> Iterator[Finding]:
    """Every queue names what exists, and its ceilings leave room for a job."""
    known = descriptors(config)
    hosts = {*config.hosts, *config.host_groups}
    for name, queue in config.queues.items():
        path = ("queues", name)
        yield from undefined((*path, "hosts"), "host or host group", queue.hosts, hosts)
        yield from undefined((*path, "preempts"), "queue", queue.preempts, config.queues)
        yield from undefined_groups((*path, "users"), queue.users, config)
        yield from _check_ceilings(queue, known)


def _check_ceilings(queue: QueueConfig, known: dict[str, Descriptor]) -> Iterator[Finding]:
    path = ("queues", queue.name, "max")
    special = (*CEILING_COUNTS, *CEILING_LIMITS)
    yield from check_amounts(path, queue.max, special, known)
    for name in special:
        if queue.max.get(name) == 0:
            message = f"`{name}` 0 lets no job into queue `{queue.name}`"
            yield Finding(path=(*path, name), code=codes.OUT_OF_RANGE, message=message, hint="remove it for no ceiling")
    for caps in ("per_user", "per_host"):
        yield from check_amounts(("queues", queue.name, caps), getattr(queue, caps), JOB_COUNTS, known)
