"""What the API answers, as types that the server writes and the clients read.

Times are seconds since the epoch, sizes bytes, durations seconds. A name that is null is unknown or
does not apply. Requests are in `xcelib.jobspec` and at the end of this module.
"""

from typing import Annotated, Any, Literal

import msgspec

from xcelib.jobspec import JobSpec

BULK_MAX = 10_000
PAGE_MAX = 1_000


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """Root of all answers."""


class Submitted(Answer, frozen=True, kw_only=True):
    """The job is accepted: it is on disk."""

    job_id: int
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class BulkSubmitted(Answer, frozen=True, kw_only=True):
    jobs: tuple[Submitted, ...]


class ActionRefusal(Answer, frozen=True, kw_only=True):
    job: str
    code: str
    message: str


class ActionReport(Answer, frozen=True, kw_only=True):
    """What was done to which selections, and what was refused and why."""

    done: tuple[str, ...] = ()
    refused: tuple[ActionRefusal, ...] = ()


class NoteRow(Answer, frozen=True, kw_only=True):
    """Who did something, when, and why."""

    by: str
    at: float
    why: str = ""


class JobRow(Answer, frozen=True, kw_only=True):
    """A job in a list. `state` of an array is its most telling one; `counts` has them all."""

    id: int
    name: str = ""
    user: str
    state: str
    is_array: bool = False
    size: int = 1
    counts: dict[str, int] = {}
    queue: str
    app: str = ""
    project: str = ""
    tasks: int | None = None
    hosts: tuple[str, ...] = ()
    priority: int = 50
    submitted_at: float
    started_at: float | None = None
    ended_at: float | None = None
    exit_code: int | None = None
    signal: int = 0
    end_reason: str = ""
    reason: str = ""
    labels: dict[str, str] = {}
    meta: dict[str, Any] = {}


class JobPage(Answer, frozen=True, kw_only=True):
    """Rows by falling id; `cursor` continues below the last one, null at the end."""

    jobs: tuple[JobRow, ...]
    cursor: int | None = None


class UsageRow(Answer, frozen=True, kw_only=True):
    cpu_s: float = 0.0
    max_rss: int = 0
    read_bytes: int = 0
    written_bytes: int = 0
    wall_s: float = 0.0


class AttemptRow(Answer, frozen=True, kw_only=True):
    """One attempt of one element, past or present (`ended_at` null)."""

    index: int = 0
    attempt: int
    hosts: tuple[str, ...]
    dispatched_at: float
    started_at: float | None = None
    ended_at: float | None = None
    exit_code: int | None = None
    signal: int = 0
    end_reason: str = ""
    text: str = ""
    usage: UsageRow | None = None


class ElementRow(Answer, frozen=True, kw_only=True):
    index: int
    state: str
    attempts: tuple[AttemptRow, ...] = ()


class ElementPage(Answer, frozen=True, kw_only=True):
    elements: tuple[ElementRow, ...]
    cursor: int | None = None


class ExplainRow(Answer, frozen=True, kw_only=True):
    """One effective value. `shadowed` are (origin, value) pairs that did not win; `is_pinned`: the job gave it."""

    attribute: str
    value: str
    origins: tuple[str, ...] = ()
    shadowed: tuple[tuple[str, str], ...] = ()
    is_pinned: bool = False


class ExplainTable(Answer, frozen=True, kw_only=True):
    rows: tuple[ExplainRow, ...]
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    start: str = ""  # for a dry run: now, never or unknown


class TimelineRow(Answer, frozen=True, kw_only=True):
    at: float
    text: str


class JobDetail(Answer, frozen=True, kw_only=True):
    """Everything about a job. `effective` is empty where the live configuration would refuse it: see `refusal`."""

    row: JobRow
    spec: JobSpec
    effective: tuple[ExplainRow, ...] = ()
    refusal: str = ""
    attempts: tuple[AttemptRow, ...] = ()
    timeline: tuple[TimelineRow, ...] = ()


class WhyReason(Answer, frozen=True, kw_only=True):
    """`hosts` counts hosts by what rules them out."""

    code: str
    text: str
    count: int = 0
    hosts: dict[str, int] = {}


class WhyReport(Answer, frozen=True, kw_only=True):
    """Why the job waits; empty `reasons`: it does not. `as_of` is the scheduler's latest word."""

    row: JobRow
    reasons: tuple[WhyReason, ...] = ()
    as_of: float | None = None


class QueueRow(Answer, frozen=True, kw_only=True):
    name: str
    description: str = ""
    priority: int
    closed: NoteRow | None = None
    inactive: NoteRow | None = None
    pending: int = 0
    running: int = 0
    max: dict[str, int] = {}
    is_default: bool = False


class QueueList(Answer, frozen=True, kw_only=True):
    queues: tuple[QueueRow, ...]


class HostRow(Answer, frozen=True, kw_only=True):
    """`state`: up, lost, or declared (its worker never joined). `admin`: open, closed or drained."""

    name: str
    state: str
    admin: str = "open"
    note: NoteRow | None = None
    total: dict[str, int] = {}
    used: dict[str, int] = {}
    running: int = 0
    attributes: dict[str, str | int | float | bool] = {}
    load: dict[str, float] = {}
    backend: str = ""
    version: str = ""
    joined_at: float | None = None


class HostList(Answer, frozen=True, kw_only=True):
    hosts: tuple[HostRow, ...]


class AppRow(Answer, frozen=True, kw_only=True):
    name: str
    description: str = ""
    hash: str
    params: tuple[str, ...] = ()
    is_default: bool = False


class AppList(Answer, frozen=True, kw_only=True):
    apps: tuple[AppRow, ...]


class PresetRow(Answer, frozen=True, kw_only=True):
    name: str
    description: str = ""
    hash: str
    size: int = 0


class PresetList(Answer, frozen=True, kw_only=True):
    presets: tuple[PresetRow, ...]
    cluster: str = ""


class PresetText(Answer, frozen=True, kw_only=True):
    name: str
    text: str
    hash: str
    cluster: str = ""


class ConfigLive(Answer, frozen=True, kw_only=True):
    generation: int
    hash: str
    note: NoteRow | None = None


class ComponentRow(Answer, frozen=True, kw_only=True):
    name: str
    pid: int | None = None
    address: str = ""
    state: str
    text: str = ""


class ClusterStatus(Answer, frozen=True, kw_only=True):
    cluster: str
    uuid: str
    version: str
    components: tuple[ComponentRow, ...]


# --- requests ------------------------------------------------------------------------------------------------------


class Asked(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Root of all request bodies: an unknown field is refused by name."""


class BulkRequest(Asked, frozen=True, kw_only=True):
    jobs: Annotated[tuple[JobSpec, ...], msgspec.Meta(min_length=1, max_length=BULK_MAX)]


class JobSelection(Asked, frozen=True, kw_only=True):
    id: Annotated[int, msgspec.Meta(ge=1)]
    elements: Annotated[str, msgspec.Meta(max_length=4096)] | None = None


class ActionRequest(Asked, frozen=True, kw_only=True):
    """For kill, stop, resume and requeue; `force` belongs to kill alone."""

    jobs: Annotated[tuple[JobSelection, ...], msgspec.Meta(min_length=1, max_length=BULK_MAX)]
    force: bool = False
    why: Annotated[str, msgspec.Meta(max_length=1024)] = ""


class ReasonRequest(Asked, frozen=True, kw_only=True):
    why: Annotated[str, msgspec.Meta(max_length=1024)] = ""


Stream = Literal["out", "err"]
