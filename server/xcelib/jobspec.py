"""What a submit carries: the one request type that clients build, the API decodes and the server keeps.

Sizes are bytes, durations seconds. A field exists only where the feature that obeys it exists.
"""

from typing import Annotated, Any, Literal

import msgspec

Launch = Literal["script", "tasks"]
DependencyPolicy = Literal["cancel", "hold", "run"]

ARRAY_SIZE_MAX = 1_000_000
SCRIPT_BYTES_MAX = 1 << 20
ENV_COUNT_MAX = 1_000
ENV_BYTES_MAX = 128 << 10
PRIORITY_MAX = 100
BEGIN_MAX = 32_503_680_000  # the year 3000

TaskCount = Annotated[int, msgspec.Meta(ge=1, le=10_000_000)]
ElementIndex = Annotated[int, msgspec.Meta(ge=1, le=ARRAY_SIZE_MAX)]
ExitCode = Annotated[int, msgspec.Meta(ge=0, le=255)]
Seconds = Annotated[int, msgspec.Meta(ge=0, le=100 * 366 * 86_400)]
Label = Annotated[str, msgspec.Meta(max_length=256)]


class TaskRange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`min` to `max` tasks, both included; `max` None means no upper end."""

    min: TaskCount = 1
    max: TaskCount | None = None


class ArraySpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Element indexes as (first, last, step) ranges, and how many may run at once (0: no limit)."""

    ranges: tuple[tuple[ElementIndex, ElementIndex, ElementIndex], ...]
    limit: Annotated[int, msgspec.Meta(ge=0, le=ARRAY_SIZE_MAX)] = 0


class Exdata(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The job's extension data. `meta` is opaque: carried, never read by the server."""

    env: dict[str, str] = {}
    limits: dict[str, int] = {}
    app_params: dict[str, str] = {}
    meta: dict[str, Any] = {}


class JobSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One submit: exactly one of `command` and `script` (a script may have arguments in `command`).

    `app` None is the cluster's default profile, "" is none. `queue` and `project` None are resolved
    at submit; the stored spec has all three resolved.
    """

    command: tuple[str, ...] = ()
    script: str | None = None
    name: Annotated[str, msgspec.Meta(max_length=256)] = ""
    queue: str | None = None
    app: str | None = None
    project: str | None = None
    tasks: TaskRange | None = None
    launch: Launch | None = None
    resreq: Annotated[str, msgspec.Meta(max_length=4096)] = ""
    priority: Annotated[int, msgspec.Meta(ge=0, le=PRIORITY_MAX)] = 50
    array: ArraySpec | None = None
    depends: Annotated[str, msgspec.Meta(max_length=4096)] | None = None
    on_dependency_failure: DependencyPolicy = "cancel"
    begin: Annotated[float, msgspec.Meta(ge=0, le=BEGIN_MAX)] | None = None
    hold: bool = False
    cwd: str = ""
    stdin: str | None = None
    stdout: str | None = None
    stderr: str | None = None
    umask: Annotated[int, msgspec.Meta(ge=0, le=0o777)] = 0o022
    rerunnable: bool = False
    requeue_exit_codes: tuple[ExitCode, ...] = ()
    max_requeue: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 0
    success_exit_codes: tuple[ExitCode, ...] = ()
    labels: dict[Label, Label] = {}
    exdata: Exdata = Exdata()
    explicit_env: tuple[str, ...] = ()
