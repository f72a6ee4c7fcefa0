"""ClusterConfig: what a build makes of the YAML files, and all that the daemons ever read of them.

Sizes are bytes, durations seconds. The model knows every key of the specification; what no feature
obeys yet is refused by `xcelib.config.support`, never carried along silently. In a mapping of named
things each value repeats its key as `name` (projects: `path`), so that it can be passed around alone.
"""

from typing import Any, Literal

import msgspec

from xcelib.jobspec import TaskRange
from xcelib.resreq.ast import Per
from xcelib.resreq.descriptors import BUILTINS, Descriptor, ValueType

Kind = Literal["batch", "service"]
Mode = Literal["direct", "oci"]
Launch = Literal["script", "tasks", "openmpi", "mpich"]
Scope = Literal["host", "shared"]
MemoryUnit = Literal["required", "K", "M", "G"]
Hook = str | tuple[str, ...]  # one string runs under `sh -c`, a list is an argument vector
AttributeValue = str | bool | int | float

DEFAULT_QUEUE = "normal"
DEFAULT_PROFILE = "default"
EVERYBODY = "all"  # the built-in group that every user is in

LIMIT_SIZES = frozenset({"memory", "memory_per_host", "swap", "file_size", "core_size", "stack"})
LIMIT_DURATIONS = frozenset({"run_time", "cpu_time"})
LIMIT_COUNTS = frozenset({"processes", "open_files"})
LIMITS = LIMIT_SIZES | LIMIT_DURATIONS | LIMIT_COUNTS
CEILING_COUNTS = ("tasks", "hosts")  # ceilings of a queue that are neither limits nor counters
CEILING_LIMITS = ("run_time", "memory")
JOB_COUNTS = ("running", "pending")  # what quotas and caps count beside counters
HOOKS = ("pre_job_exec", "post_job_exec", "pre_host_exec", "post_host_exec")
STARTERS = ("job_starter", "task_starter")


class Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The root of the configuration's structs: strict when read, and written without what is default."""


class Timers(Table, frozen=True, kw_only=True):
    lease_timeout_s: float = 60.0
    host_loss_grace_s: float = 300.0
    kill_grace_s: float = 30.0
    hook_timeout_s: float = 600.0


class History(Table, frozen=True, kw_only=True):
    keep_s: int = 365 * 86_400


class HostConfig(Table, frozen=True, kw_only=True):
    """One declared host. `slots` None: as many as the worker finds processors."""

    name: str
    address: str | None = None
    state: str | None = None
    slots: int | None = None
    attributes: dict[str, AttributeValue] = {}
    counters: dict[str, int] = {}
    instances: dict[str, tuple[dict[str, Any], ...]] = {}


class ResourceConfig(Table, frozen=True, kw_only=True):
    """A declared resource type. `type` belongs to attributes, `unit` and `total` to counters."""

    name: str
    layer: Literal["attribute", "counter", "instance"]
    scope: Scope = "host"
    type: ValueType = "string"
    unit: Literal["count", "size"] = "count"
    total: int | None = None
    description: str = ""
    default_charge: int = 0
    consumable: bool | None = None
    release: str | None = None
    report: dict[str, Any] | None = None
    provider: str | None = None


class QueueConfig(Table, frozen=True, kw_only=True):
    """Scheduling policy. No `users`: everybody may submit; no `hosts`: it may use all."""

    name: str
    description: str = ""
    priority: int = 50
    max: dict[str, int] = {}
    users: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    per_user: dict[str, int] = {}
    per_host: dict[str, int] = {}
    fair_share: dict[str, Any] | None = None
    windows: tuple[str, ...] = ()
    preempts: tuple[str, ...] = ()


class RusageDefault(Table, frozen=True, kw_only=True):
    """One rusage entry of a profile: fixes `per`, and the amount of a job that has no term for it."""

    resource: str
    per: Per = "task"
    default: int | None = None


class ProfileResreq(Table, frozen=True, kw_only=True):
    """A profile's requirement; `select`, `span` and `order` are texts of the resreq grammar."""

    select: str = ""
    rusage: tuple[RusageDefault, ...] = ()
    span: str = ""
    same: tuple[str, ...] = ()
    order: str = ""


class Param(Table, frozen=True, kw_only=True):
    """A declared application setting that XCE carries and never interprets."""

    name: str
    description: str = ""
    default: str | None = None
    choices: tuple[str, ...] = ()
    required: bool = False


class Profile(Table, frozen=True, kw_only=True):
    """What every job of one application must have. None, or empty, does not bind."""

    name: str
    description: str = ""
    kind: Kind = "batch"
    users: tuple[str, ...] = ()
    mode: Mode | None = None
    launch: Launch | None = None
    tasks: TaskRange | None = None
    resreq: ProfileResreq | None = None
    limits: dict[str, int] = {}
    env: dict[str, str] = {}
    pre_job_exec: Hook | None = None
    post_job_exec: Hook | None = None
    pre_host_exec: Hook | None = None
    post_host_exec: Hook | None = None
    job_pre_post_exec: Literal["allowed", "forbidden"] = "allowed"
    job_starter: Hook | None = None
    task_starter: Hook | None = None
    params: tuple[Param, ...] = ()
    annotations: dict[str, str] = {}
    service: dict[str, Any] | None = None


class ProjectConfig(Table, frozen=True, kw_only=True):
    path: str
    description: str = ""
    members: tuple[str, ...] = ()
    quotas: dict[str, int] = {}


class UserGroup(Table, frozen=True, kw_only=True):
    name: str
    members: tuple[str, ...] = ()
    default_project: str | None = None


class Role(Table, frozen=True, kw_only=True):
    name: str
    members: tuple[str, ...] = ()


class Grant(Table, frozen=True, kw_only=True):
    to: tuple[str, ...]
    permission: str
    project: str | None = None


class LimitRule(Table, frozen=True, kw_only=True):
    """What consumers may use at once of resources; empty consumers are all of them."""

    name: str
    users: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    queues: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    per: Literal["user", "group", "project", "host"] | None = None
    resources: dict[str, int] = {}


class ClusterConfig(Table, frozen=True, kw_only=True):
    """One built configuration. `empty()` is what no files at all mean."""

    cluster: str = "xce"
    default_queue: str = DEFAULT_QUEUE
    default_application: str = DEFAULT_PROFILE
    default_project: str | None = None
    memory_unit: MemoryUnit = "required"
    allow_root_jobs: bool = True
    timers: Timers = Timers()
    history: History = History()
    reasons: dict[str, str] = {}
    hosts: dict[str, HostConfig] = {}
    host_groups: dict[str, tuple[str, ...]] = {}
    resources: dict[str, ResourceConfig] = {}
    queues: dict[str, QueueConfig]
    applications: dict[str, Profile]
    projects: dict[str, ProjectConfig] = {}
    user_groups: dict[str, UserGroup] = {}
    roles: dict[str, Role] = {}
    grants: tuple[Grant, ...] = ()
    limits: dict[str, LimitRule] = {}


def empty() -> ClusterConfig:
    """The configuration of no files: queue `normal`, profile `default`, one undeclared host, root allowed."""
    return ClusterConfig(
        queues={DEFAULT_QUEUE: QueueConfig(name=DEFAULT_QUEUE)},
        applications={DEFAULT_PROFILE: Profile(name=DEFAULT_PROFILE)},
    )


def descriptor_of(resource: ResourceConfig) -> Descriptor:
    """What the resreq grammar needs to know of a declared resource."""
    is_attribute = resource.layer == "attribute"
    amounts: ValueType = "size" if resource.unit == "size" else "number"
    value_type = resource.type if is_attribute else amounts
    return Descriptor(
        name=resource.name,
        type=value_type,
        layer=resource.layer,
        scope=resource.scope,
        is_ascending=is_attribute and value_type == "string",
    )


def descriptors(config: ClusterConfig) -> dict[str, Descriptor]:
    """Every resource that a requirement may name: the built-in ones and those of `resources.yaml`."""
    return {**BUILTINS, **{name: descriptor_of(resource) for name, resource in config.resources.items()}}


def queue_hosts(config: ClusterConfig, queue: QueueConfig) -> frozenset[str] | None:
    """The hosts that a queue may use, its host groups expanded; None: all."""
    if not queue.hosts:
        return None
    named = (config.host_groups.get(name, (name,)) for name in queue.hosts)
    return frozenset(host for hosts in named for host in hosts)
