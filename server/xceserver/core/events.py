"""What happened. Events are facts: past tense, complete, and durable before anyone sees their effect."""

import msgspec

from xcelib.ids import Instant
from xceserver.core.records import Generation, HostAdmin, Job, KillWish, Note, Placement
from xceserver.peer import AttemptKey, Usage

Ranges = tuple[tuple[int, int], ...]


class Event(msgspec.Struct, frozen=True, kw_only=True, tag=True, omit_defaults=True):
    """Base of all events."""

    at: float


class JobSubmitted(Event, frozen=True, kw_only=True):
    """`job` is complete as submitted, so its record is the event's; `spec` is the encoded `JobSpec`.

    `revived` are finished jobs that its dependency names and that had left memory.
    """

    job: Job
    spec: bytes
    revived: tuple[Job, ...] = ()


class DependencyMet(Event, frozen=True, kw_only=True):
    job_id: int
    indexes: Ranges


class ElementsHeld(Event, frozen=True, kw_only=True):
    job_id: int
    indexes: Ranges
    note: Note


class ElementsReleased(Event, frozen=True, kw_only=True):
    """Held elements wait again; `gated` says that their dependency is still open."""

    job_id: int
    indexes: Ranges
    gated: bool = False


class ElementsCancelled(Event, frozen=True, kw_only=True):
    """Elements that wait end without having run again."""

    job_id: int
    indexes: Ranges
    reason: str
    note: Note


class JobRefused(Event, frozen=True, kw_only=True):
    """The configuration of `generation` no longer allows the job; it waits for another one."""

    job_id: int
    generation: int
    message: str


class AttemptDispatched(Event, frozen=True, kw_only=True):
    key: AttemptKey
    placements: tuple[Placement, ...]
    shared: dict[str, int] = {}
    profile_hash: str = ""
    generation: int = 0


class AttemptStarted(Event, frozen=True, kw_only=True):
    key: AttemptKey
    pid: int


class AttemptSuspended(Event, frozen=True, kw_only=True):
    key: AttemptKey


class AttemptResumed(Event, frozen=True, kw_only=True):
    key: AttemptKey


class StopRequested(Event, frozen=True, kw_only=True):
    key: AttemptKey
    note: Note


class ResumeRequested(Event, frozen=True, kw_only=True):
    key: AttemptKey


class KillRequested(Event, frozen=True, kw_only=True):
    key: AttemptKey
    wish: KillWish


class AttemptEnded(Event, frozen=True, kw_only=True):
    """The one end of an attempt. `to` is what becomes of the element: DONE, EXIT, or PEND (again)."""

    key: AttemptKey
    to: str
    exit_code: int | None = None
    signal: int = 0
    reason: str = ""
    text: str = ""
    started_at: float | None = None
    usage: Usage = Usage()
    is_requeue_counted: bool = False


class AttemptDeclined(Event, frozen=True, kw_only=True):
    """The host did not start the attempt; the element waits again, and nothing is counted against it."""

    key: AttemptKey
    text: str


class HostJoined(Event, frozen=True, kw_only=True):
    host: str
    boot_id: str
    pid: int
    version: str
    backend: str
    slots: int
    attributes: dict[str, str | int | float | bool]
    counters: dict[str, int]


class HostLost(Event, frozen=True, kw_only=True):
    host: str


class HostSet(Event, frozen=True, kw_only=True):
    host: str
    admin: HostAdmin


class QueueSet(Event, frozen=True, kw_only=True):
    """`closed` and `inactive` as they are from now on."""

    queue: str
    closed: Note | None
    inactive: Note | None


class ConfigApplied(Event, frozen=True, kw_only=True):
    """`document` is the canonical configuration."""

    generation: Generation
    document: bytes


AnyEvent = (
    JobSubmitted
    | DependencyMet
    | ElementsHeld
    | ElementsReleased
    | ElementsCancelled
    | JobRefused
    | AttemptDispatched
    | AttemptStarted
    | AttemptSuspended
    | AttemptResumed
    | StopRequested
    | ResumeRequested
    | KillRequested
    | AttemptEnded
    | AttemptDeclined
    | HostJoined
    | HostLost
    | HostSet
    | QueueSet
    | ConfigApplied
)

__all__ = ["AnyEvent", "Event", "Instant", "Ranges"]
