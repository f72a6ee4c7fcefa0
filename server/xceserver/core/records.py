"""The entities that the state holds and the store keeps, one record each.

Records are mutable and changed by `apply` alone. What a record holds in memory is what recovery
reads back; the submitted `JobSpec` itself stays on disk (it is read again when an attempt starts).
"""

from typing import Any, Literal

import msgspec

from xcelib.jobspec import DependencyPolicy, Launch, TaskRange
from xcelib.ranges import IndexSet
from xcelib.states import State
from xceserver.peer import Usage

SYSTEM = "xce"  # who acts where no person does
Role = Literal["user", "operator", "admin"]


class Actor(msgspec.Struct, frozen=True):
    """Who asks, as the kernel or a token vouched for."""

    user: str
    uid: int
    gid: int = 0
    role: Role = "user"

    @property
    def is_operator(self) -> bool:
        return self.role in {"operator", "admin"}


class Note(msgspec.Struct, frozen=True):
    """Who did something, when, and why."""

    by: str
    at: float
    why: str = ""


class Needs(msgspec.Struct, frozen=True):
    """What scheduling depends on. Jobs of equal needs form one bucket and share this object."""

    user: str
    queue: str
    app: str
    project: str
    priority: int = 50
    tasks: TaskRange | None = None
    launch: Launch | None = None
    resreq: str = ""
    limits: tuple[tuple[str, int], ...] = ()


class EndRules(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an end means for this job."""

    rerunnable: bool = False
    requeue_exit_codes: tuple[int, ...] = ()
    max_requeue: int = 0
    success_exit_codes: tuple[int, ...] = ()


PLAIN_ENDS = EndRules()


class Placement(msgspec.Struct, frozen=True, array_like=True):
    """What an attempt holds on one host: its tasks, and the amount of each counter (slots included)."""

    host: str
    tasks: int
    amounts: dict[str, int]


class Run(msgspec.Struct, kw_only=True, omit_defaults=True):
    """The current attempt, from its dispatch to its end."""

    attempt: int
    placements: tuple[Placement, ...]
    shared: dict[str, int] = {}
    dispatched_at: float
    started_at: float | None = None
    pid: int = 0
    profile_hash: str = ""
    generation: int = 0

    @property
    def host(self) -> str:
        """The first host; it runs the command."""
        return self.placements[0].host

    @property
    def task_count(self) -> int:
        return sum(placement.tasks for placement in self.placements)


class KillWish(msgspec.Struct, frozen=True, omit_defaults=True):
    """That the attempt shall end. Durable: it is sent to the host again until the end arrives."""

    note: Note
    reason: str
    force: bool = False
    requeue: bool = False


class PastAttempt(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One attempt that has ended."""

    attempt: int
    hosts: tuple[str, ...]
    dispatched_at: float
    started_at: float | None = None
    ended_at: float
    exit_code: int | None = None
    signal: int = 0
    reason: str = ""
    text: str = ""
    usage: Usage = Usage()


class Element(msgspec.Struct, kw_only=True, omit_defaults=True):
    """An element that was dispatched at least once, until it is final.

    Elements that never ran exist only as ranges in their job.
    """

    job_id: int
    index: int
    state: State
    run: Run | None = None
    wish: KillWish | None = None
    stop: Note | None = None  # someone asked to suspend it; None again once resumed
    past: tuple[PastAttempt, ...] = ()
    attempt_count: int = 0  # the number of the latest dispatch; numbers are never used again
    requeue_count: int = 0


class Job(msgspec.Struct, kw_only=True, omit_defaults=True):
    """One submitted job. Its elements that are not final and not on a host are in exactly one of
    `waiting` (eligible), `gated` (a dependency is open) and `held`; the others are in `elements`,
    `done`, `exited` (index to exit code, -signal, or 256 where there is none) or `cancelled`.
    """

    id: int
    needs: Needs
    uid: int
    gid: int
    name: str = ""
    size: int = 1
    is_array: bool = False
    array_limit: int = 0
    submitted_at: float
    submit_host: str = ""
    begin: float | None = None
    depends: str | None = None  # canonical, names resolved to ids
    is_awaiting: bool = False  # until no element can be gated by the dependency any more
    on_dependency_failure: DependencyPolicy = "cancel"
    ends: EndRules = PLAIN_ENDS
    labels: dict[str, str] | None = None
    waiting: IndexSet | None = None
    gated: IndexSet | None = None
    held: IndexSet | None = None
    hold: Note | None = None  # the latest one that holds or held
    elements: dict[int, Element] | None = None
    done: IndexSet | None = None
    exited: dict[int, int] | None = None
    cancelled: IndexSet | None = None
    cancel: tuple[str, Note] | None = None  # end reason and note of the latest cancelling
    end_reason: str = ""  # of the first element that ended EXIT after it had run
    refused: tuple[int, str] | None = None  # generation that refused it at its start, and how; it waits for another
    started_at: float | None = None  # first dispatch of any element
    ended_at: float | None = None  # set with the last end

    @property
    def waiting_count(self) -> int:
        return len(self.waiting) if self.waiting else 0

    @property
    def on_host_count(self) -> int:
        return sum(element.run is not None for element in self.elements.values()) if self.elements else 0

    @property
    def is_final(self) -> bool:
        return not (self.waiting or self.gated or self.held or self.on_host_count)


class HostAdmin(msgspec.Struct, frozen=True):
    """What an administrator set: `closed` takes no new work; `drained` likewise, and means to be emptied."""

    state: Literal["open", "closed", "drained"]
    note: Note


class Host(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A host that has joined once, or that the configuration declares."""

    name: str
    is_up: bool = False
    boot_id: str = ""
    pid: int = 0
    version: str = ""
    backend: str = ""
    slots: int = 0
    attributes: dict[str, str | int | float | bool] = {}
    counters: dict[str, int] = {}
    admin: HostAdmin | None = None
    joined_at: float = 0.0
    lost_at: float | None = None


class QueueAdmin(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What administrators set for a queue: `closed` refuses submits, `inactive` starts nothing."""

    name: str
    closed: Note | None = None
    inactive: Note | None = None


class Generation(msgspec.Struct, frozen=True, kw_only=True):
    """One applied configuration."""

    number: int
    hash: str
    note: Note


def encode_hook(value: object) -> Any:
    """How msgspec writes what it does not know: index sets as their ranges."""
    if isinstance(value, IndexSet):
        return value.ranges()
    raise NotImplementedError(f"cannot encode {type(value)}")


def decode_hook(kind: type, value: Any) -> Any:
    """The inverse of `encode_hook`."""
    if kind is IndexSet:
        return IndexSet.from_ranges(value)
    raise NotImplementedError(f"cannot decode {kind}")
