"""What is asked of the controller: by people through the API, by workers, by the scheduler, by timers."""

from typing import Literal

import msgspec

from xcelib.config.model import ClusterConfig
from xcelib.jobspec import JobSpec
from xcelib.ranges import IndexSet
from xceserver.core.records import Actor, Job
from xceserver.core.view import Plan
from xceserver.peer import AttemptKey, Declined, Ended, Resumed, Started, Suspended, WorkerHello

Command = msgspec.Struct


class Submit(Command, frozen=True, kw_only=True):
    """Jobs to accept, all or none. `known` are finished jobs that their dependencies name.

    The answer is what is kept for a repeat of the request: a `BulkSubmitted` where `is_bulk`, else a `Submitted`.
    """

    actor: Actor
    specs: tuple[JobSpec, ...]
    host: str = ""
    known: tuple[Job, ...] = ()
    is_bulk: bool = False


class Selection(msgspec.Struct, frozen=True):
    """A job, or some of its elements."""

    job_id: int
    indexes: IndexSet | None = None


class Kill(Command, frozen=True, kw_only=True):
    actor: Actor
    selections: tuple[Selection, ...]
    is_force: bool = False
    why: str = ""


class Stop(Command, frozen=True, kw_only=True):
    actor: Actor
    selections: tuple[Selection, ...]
    why: str = ""


class Resume(Command, frozen=True, kw_only=True):
    actor: Actor
    selections: tuple[Selection, ...]


class Requeue(Command, frozen=True, kw_only=True):
    actor: Actor
    selections: tuple[Selection, ...]
    why: str = ""


class SetHost(Command, frozen=True, kw_only=True):
    actor: Actor
    host: str
    state: Literal["open", "closed", "drained"]
    why: str = ""


class SetQueue(Command, frozen=True, kw_only=True):
    """`open` and `closed` are about submits, `active` and `inactive` about starts."""

    actor: Actor
    queue: str
    action: Literal["open", "close", "activate", "inactivate"]
    why: str = ""


class ApplyConfig(Command, frozen=True, kw_only=True):
    """`document` is canonical and `config` what it says; both were checked before. `expect` is the live hash."""

    actor: Actor
    document: bytes
    config: ClusterConfig
    hash: str
    expect: str | None = None
    message: str = ""


class AdmitPlan(Command, frozen=True):
    plan: Plan


class RefuseStart(Command, frozen=True):
    """The live configuration does not allow the job that was about to start; the attempt never went out."""

    key: AttemptKey
    message: str


class HostJoins(Command, frozen=True):
    hello: WorkerHello


class HostLeaseExpired(Command, frozen=True):
    host: str


class HostGraceExpired(Command, frozen=True):
    host: str


class WorkerReports(Command, frozen=True):
    """What one host's worker said about attempts, in order."""

    host: str
    reports: tuple[Started | Suspended | Resumed | Ended | Declined, ...]


AnyCommand = (
    Submit
    | Kill
    | Stop
    | Resume
    | Requeue
    | SetHost
    | SetQueue
    | ApplyConfig
    | AdmitPlan
    | RefuseStart
    | HostJoins
    | HostLeaseExpired
    | HostGraceExpired
    | WorkerReports
)

__all__ = ["AnyCommand", "AttemptKey", "Command"]
