"""What the merge returns: effective values with their origins, or the reason of a rejection."""

from typing import Any

import msgspec

from xcelib.config.model import Hook, Kind, Launch, Mode
from xcelib.errors import NotPermitted, XceError
from xcelib.jobspec import TaskRange
from xcelib.resreq.ast import Per, Resreq, Simple

DEFAULT = "default"
JOB = "job"
CLUSTER = "cluster"

Origins = dict[str, tuple[str, ...]]
Shadowed = dict[str, tuple[tuple[str, str], ...]]


class Need(msgspec.Struct, frozen=True):
    """One effective rusage term; `amount` is above 0, in bytes for a size."""

    resource: str
    amount: int | float
    per: Per


class Finding(msgspec.Struct, frozen=True):
    """A warning or a note of the merge."""

    code: str
    message: str
    attribute: str


class Rejection(msgspec.Struct, frozen=True, kw_only=True):
    """Why the job cannot be submitted; a pending job with one waits, it is not killed."""

    code: str
    message: str
    hints: tuple[str, ...] = ()
    attribute: str = ""
    permission: bool = False

    def as_error(self) -> XceError:
        """The same as an error with `code`: not permitted where `permission` says so, else a plain 400."""
        kind = NotPermitted if self.permission else XceError
        return kind(self.message, code=self.code, hints=self.hints)


class Effective(msgspec.Struct, frozen=True, kw_only=True):
    """The effective values of one job under one configuration.

    `resreq` has the effective terms inside: a `Simple`'s are `rusage` as well, sorted by name; a
    compound's or an alternative's stand in their parts alone, and `rusage` is empty. `origins` has an
    entry for each attribute (`tasks`, `select`, `rusage.mem`, `limits.run_time`, `env.A`); a variable
    without one comes from the job. `shadowed` lists for an attribute the values that did not win.
    """

    kind: Kind = "batch"
    mode: Mode = "direct"
    launch: Launch = "script"
    tasks: TaskRange = TaskRange(min=1, max=1)
    resreq: Resreq = Simple()
    rusage: tuple[Need, ...] = ()
    limits: dict[str, int] = {}
    job_env: dict[str, str] = {}
    profile_env: dict[str, str] = {}
    app_params: dict[str, str] = {}
    annotations: dict[str, str] = {}
    hooks: dict[str, Hook] = {}
    pre_exec: str | None = None
    post_exec: str | None = None
    meta: dict[str, Any] = {}
    queue: str
    project: str = ""
    app: str = ""
    profile_hash: str = ""
    origins: Origins = {}
    shadowed: Shadowed = {}
    warnings: tuple[Finding, ...] = ()
    notes: tuple[Finding, ...] = ()
