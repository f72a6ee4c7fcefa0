"""A job's own values: what the user submitted, after preset expansion, as far as the merge reads it."""

from typing import Any

import msgspec

from xcelib.config.model import Kind, Launch, Mode
from xcelib.jobspec import JobSpec, TaskRange


class Own(msgspec.Struct, frozen=True, kw_only=True):
    """`app` None is the cluster's default profile, "" is none; `queue` and `project` None are resolved.

    `given` holds attributes that only a profile may set and the job gave all the same (hooks,
    starters, annotations): the merge rejects them by name. `groups` are the user's groups beside those
    of the configuration. `limits` are bytes, seconds and counts.
    """

    user: str
    groups: tuple[str, ...] = ()
    kind: Kind = "batch"
    mode: Mode | None = None
    app: str | None = None
    queue: str | None = None
    project: str | None = None
    tasks: TaskRange | None = None
    launch: Launch | None = None
    resreq: str = ""
    limits: dict[str, int] = {}
    env: dict[str, str] = {}
    explicit_env: tuple[str, ...] = ()
    app_params: dict[str, str] = {}
    pre_exec: str | None = None
    post_exec: str | None = None
    given: dict[str, Any] = {}
    meta: dict[str, Any] = {}


def own_of(spec: JobSpec, user: str) -> Own:
    """The own values of a submitted job."""
    extension = spec.exdata
    return Own(
        user=user,
        app=spec.app,
        queue=spec.queue,
        project=spec.project,
        tasks=spec.tasks,
        launch=spec.launch,
        resreq=spec.resreq,
        limits=extension.limits,
        env=extension.env,
        explicit_env=spec.explicit_env,
        app_params=extension.app_params,
        meta=extension.meta,
    )
