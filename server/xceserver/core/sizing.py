"""What one job of a bucket needs, in amounts: the merge's result in the form that placing uses.

The planner and the admission share it, so they cannot disagree about what fits.
"""

from collections.abc import Mapping

import msgspec

from xcelib.config.canonical import profile_hash
from xcelib.config.model import ClusterConfig, Profile, descriptors
from xcelib.jobspec import TaskRange
from xcelib.merge import Effective, Own, Rejection, merge_job
from xcelib.resreq.ast import Expr, OrderKey, Simple
from xceserver.core.records import Needs

NO_TASKS = TaskRange(min=1, max=1)


class Sizing(msgspec.Struct, frozen=True, kw_only=True):
    """Amounts by counter. A per-job term on a host's counter counts on the first host, on a shared one in the pool."""

    tasks: TaskRange = NO_TASKS
    select: Expr | None = None
    order: tuple[OrderKey, ...] = ()
    per_task: dict[str, int]
    per_host: dict[str, int]
    per_job: dict[str, int]
    shared_per_task: dict[str, int]
    shared_per_job: dict[str, int]
    profile_hash: str = ""

    def on_first_host(self, tasks: int) -> dict[str, int]:
        """What `tasks` tasks reserve on the job's first host."""
        amounts = {name: amount * tasks for name, amount in self.per_task.items()}
        for once in (self.per_host, self.per_job):
            for name, amount in once.items():
                amounts[name] = amounts.get(name, 0) + amount
        return amounts

    def shared(self, tasks: int) -> dict[str, int]:
        """What `tasks` tasks on one host reserve of the shared counters."""
        amounts = {name: amount * tasks for name, amount in self.shared_per_task.items()}
        for name, amount in self.shared_per_job.items():
            amounts[name] = amounts.get(name, 0) + amount
        return amounts


def sizing_of(effective: Effective, shared: frozenset[str]) -> Sizing:
    """Sort the effective rusage terms by what they count on. `shared` names the shared counters."""
    requirement = effective.resreq
    assert isinstance(requirement, Simple), "compound and alternative requirements are refused at submit"
    by_place: dict[str, dict[str, int]] = {"task": {"slots": 1}, "host": {}, "job": {}}
    pool: dict[str, dict[str, int]] = {"task": {}, "host": {}, "job": {}}
    for need in effective.rusage:
        target = pool if need.resource in shared else by_place
        target[need.per][need.resource] = int(need.amount)
    return Sizing(
        tasks=effective.tasks,
        select=requirement.select,
        order=requirement.order,
        per_task=by_place["task"],
        per_host=by_place["host"],
        per_job=by_place["job"],
        shared_per_task=pool["task"],
        shared_per_job={**pool["host"], **pool["job"]},
        profile_hash=effective.profile_hash,
    )


def own_of_needs(needs: Needs) -> Own:
    """The part of a job's own values that its bucket shares."""
    return Own(
        user=needs.user,
        app=needs.app,
        queue=needs.queue,
        project=needs.project or None,
        tasks=needs.tasks,
        launch=needs.launch,
        resreq=needs.resreq,
        limits=dict(needs.limits),
    )


class Sizings:
    """The sizing of each bucket's needs under one configuration, computed once each."""

    def __init__(self, config: ClusterConfig) -> None:
        # Params and environment differ from job to job of a bucket; they are merged for each job at its start.
        bare = {name: _bare(profile) for name, profile in config.applications.items()}
        self._profiles = config.applications
        self._hashes: dict[str, str] = {}
        self._config = msgspec.structs.replace(config, applications=bare)
        self._shared = shared_counters(config)
        self._known: dict[Needs, Sizing | Rejection] = {}

    def of(self, needs: Needs) -> Sizing | Rejection:
        """The sizing, or why such a job could not be submitted now."""
        known = self._known.get(needs)
        if known is None:
            merged = merge_job(own_of_needs(needs), self._config)
            if isinstance(merged, Rejection):
                known = merged
            else:
                sizing = sizing_of(merged, self._shared)
                known = msgspec.structs.replace(sizing, profile_hash=self._hash(needs.app))
            self._known[needs] = known
        return known

    def _hash(self, app: str) -> str:
        """The hash of the whole profile, params and environment included."""
        if app not in self._hashes:
            profile = self._profiles.get(app)
            self._hashes[app] = "" if profile is None else profile_hash(profile)
        return self._hashes[app]


def _bare(profile: Profile) -> Profile:
    return msgspec.structs.replace(profile, params=(), env={})


def shared_counters(config: ClusterConfig) -> frozenset[str]:
    return frozenset(name for name, descriptor in descriptors(config).items() if descriptor.scope == "shared")


def shared_totals(config: ClusterConfig) -> dict[str, int]:
    """How much there is of each shared counter."""
    return {
        name: int(resource.total or 0)
        for name, resource in config.resources.items()
        if resource.scope == "shared" and resource.layer == "counter"
    }


def first_lack(
    asked: Mapping[str, int], total: Mapping[str, int], used: Mapping[str, int]
) -> tuple[str, int, int] | None:
    """The first counter that does not suffice: (name, asked, free), in the order of names; None when all do."""
    for name in sorted(asked):
        free = total.get(name, 0) - used.get(name, 0)
        if asked[name] > free:
            return name, asked[name], free
    return None
