"""What the controller says to its peers (scheduler, worker), and what they say back.

Pure types, sent as MessagePack in WebSocket frames; a frame is a list of messages. Every message
may arrive twice (a link that breaks is opened again and unacknowledged messages are sent again), so
each is idempotent: attempts are named by job, index and attempt number.
"""

from typing import Literal

import msgspec

WIRE_VERSION = 1


class AttemptKey(msgspec.Struct, frozen=True, array_like=True, order=True):
    """Names one attempt of one element."""

    job_id: int
    index: int
    attempt: int

    def __str__(self) -> str:
        return f"{self.job_id}.{self.index}.{self.attempt}"


class Usage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an attempt used: seconds and bytes; `max_rss` is the peak of the sum over its processes as sampled,
    and at least the largest single process's peak as the kernel counted it."""

    cpu_s: float = 0.0
    max_rss: int = 0
    read_bytes: int = 0
    written_bytes: int = 0
    wall_s: float = 0.0


# --- controller -> worker ---------------------------------------------------------------------------------------


class StartInfo(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All that a worker needs to start an attempt on its host; sent once an attempt (60-execution)."""

    key: AttemptKey
    name: str
    user: str
    uid: int
    gid: int
    argv: tuple[str, ...]
    script: str | None = None  # its text; written to the attempt's folder and run with `argv` as arguments
    cwd: str
    umask: int = 0o022
    stdin: str | None = None  # paths may be patterns: %J %I %N %H %U
    stdout: str | None = None
    stderr: str | None = None
    launch: Literal["script", "tasks"] = "script"
    tasks: int = 1
    hosts: tuple[tuple[str, int], ...] = ()  # (host, tasks there), the first host first
    job_env: dict[str, str] = {}
    profile_env: dict[str, str] = {}
    xce_env: dict[str, str] = {}  # XCE_* that the controller knows (queue, app, project, params, annotations)
    limits: dict[str, int] = {}
    kill_grace_s: float = 30.0
    profile: str = ""
    profile_hash: str = ""
    generation: int = 0
    is_rerunnable: bool = True  # may run again elsewhere: a worker that is cut off too long ends it


class Start(msgspec.Struct, frozen=True, tag=True):
    info: StartInfo


class Signal(msgspec.Struct, frozen=True, tag=True):
    """`kill`: SIGTERM, the grace, SIGKILL, end reason `reason`. `force`: SIGKILL at once."""

    key: AttemptKey
    action: Literal["kill", "force", "stop", "resume"]
    reason: str = ""
    text: str = ""


class EndAck(msgspec.Struct, frozen=True, tag=True):
    """These ends are durable at the controller; the worker may forget the attempts."""

    keys: tuple[AttemptKey, ...]


class Fence(msgspec.Struct, frozen=True, tag=True):
    """These attempts are not, or no longer, the controller's: end their processes, report nothing, forget."""

    keys: tuple[AttemptKey, ...]


class ReadOutput(msgspec.Struct, frozen=True, tag=True):
    """Read at most `limit` bytes of what the attempt wrote, from `offset` (negative: from the end)."""

    request: int
    key: AttemptKey
    stream: Literal["out", "err"]
    offset: int
    limit: int


class Welcome(msgspec.Struct, frozen=True, tag=True):
    """The answer to `WorkerHello`: the lease in seconds, a heartbeat is due at a third of it."""

    lease_s: float
    rerun_fence_s: float  # cut off that long, the worker kills its re-runnable attempts itself


ToWorker = Start | Signal | EndAck | Fence | ReadOutput | Welcome

# --- worker -> controller ---------------------------------------------------------------------------------------


class KnownAttempt(msgspec.Struct, frozen=True):
    key: AttemptKey
    state: Literal["starting", "running", "suspended", "ended"]


class WorkerHello(msgspec.Struct, frozen=True, tag=True):
    """First message of a link: who, on what, and every attempt that it has not forgotten."""

    host: str
    boot_id: str
    pid: int
    version: str
    slots: int
    attributes: dict[str, str | int | float | bool]
    counters: dict[str, int]
    attempts: tuple[KnownAttempt, ...] = ()
    backend: str = "native"


class Heartbeat(msgspec.Struct, frozen=True, tag=True):
    """Renews the lease; carries load figures and the usage of running attempts as last sampled."""

    load: dict[str, float]
    usage: tuple[tuple[AttemptKey, Usage], ...] = ()


class Started(msgspec.Struct, frozen=True, tag=True):
    key: AttemptKey
    pid: int
    at: float


class Suspended(msgspec.Struct, frozen=True, tag=True):
    key: AttemptKey
    at: float


class Resumed(msgspec.Struct, frozen=True, tag=True):
    key: AttemptKey
    at: float


class Ended(msgspec.Struct, frozen=True, tag=True, kw_only=True):
    """The one end of an attempt. `exit_code` is None where a signal ended the command or it never ran.

    `reason` is an `EndReason` value; `text` tells people. Sent again until acknowledged.
    """

    key: AttemptKey
    exit_code: int | None = None
    signal: int = 0
    reason: str = ""
    text: str = ""
    started_at: float | None = None
    ended_at: float
    usage: Usage = Usage()


class Declined(msgspec.Struct, frozen=True, tag=True):
    """The attempt was not started and never will be: no user code ran. It may be dispatched again."""

    key: AttemptKey
    text: str


class OutputChunk(msgspec.Struct, frozen=True, tag=True):
    """`data` from `offset`; `size` is the file's size now; `error` says why there is nothing."""

    request: int
    offset: int
    data: bytes
    size: int
    error: str = ""


FromWorker = WorkerHello | Heartbeat | Started | Suspended | Resumed | Ended | Declined | OutputChunk
