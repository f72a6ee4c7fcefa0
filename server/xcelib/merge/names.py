"""Which profile, queue and project a job belongs to, and whether its user may use them."""

from collections.abc import Collection

import msgspec

from xcelib.config.model import DEFAULT_PROFILE, EVERYBODY, ClusterConfig
from xcelib.errors import did_you_mean
from xcelib.merge.effective import CLUSTER, DEFAULT, JOB, Rejection
from xcelib.merge.own import Own


class Names(msgspec.Struct, frozen=True):
    """The resolved names, as they are stored with the job. `app` "" is no profile, `project` "" none."""

    app: str
    queue: str
    project: str = ""
    app_origin: str = JOB
    queue_origin: str = JOB
    project_origin: str = JOB


def resolve(own: Own, config: ClusterConfig) -> Names | Rejection:
    """Resolve and check the three names. An unknown one is an error, never a fallback."""
    app, app_origin = _app(own, config)
    queue, queue_origin = _queue(own, config)
    project, project_origin = _project(own, config)
    names = Names(app, queue, project, app_origin, queue_origin, project_origin)
    return _unknown(names, config) or _forbidden(own, names, config) or names


def belongs(own: Own, members: Collection[str], config: ClusterConfig) -> bool:
    """Whether the job's user is among `members`: user names, and `@group` for a group's members."""
    if own.user in members:
        return True
    return any(_in_group(own, member[1:], config) for member in members if member.startswith("@"))


def _in_group(own: Own, name: str, config: ClusterConfig) -> bool:
    if name == EVERYBODY or name in own.groups:
        return True
    group = config.user_groups.get(name)
    return group is not None and own.user in group.members


def _app(own: Own, config: ClusterConfig) -> tuple[str, str]:
    if own.app is not None:
        return own.app, JOB
    origin = DEFAULT if config.default_application == DEFAULT_PROFILE else CLUSTER
    return config.default_application, origin


def _queue(own: Own, config: ClusterConfig) -> tuple[str, str]:
    return (config.default_queue, CLUSTER) if own.queue is None else (own.queue, JOB)


def _project(own: Own, config: ClusterConfig) -> tuple[str, str]:
    """The job's project, else its user's group default (first group by name), else the cluster's."""
    if own.project:
        return own.project, JOB
    for name, group in sorted(config.user_groups.items()):
        if group.default_project and _in_group(own, name, config):
            return group.default_project, f"group:{name}"
    return (config.default_project, CLUSTER) if config.default_project else ("", DEFAULT)


def _unknown(names: Names, config: ClusterConfig) -> Rejection | None:
    if names.app and names.app not in config.applications:
        return _no_such("profile", names.app, config.applications, "list profiles with `xcecli apps`")
    if names.queue not in config.queues:
        return _no_such("queue", names.queue, config.queues, "list queues with `xcecli queues`")
    if config.projects and names.project and names.project not in config.projects:
        return _no_such("project", names.project, config.projects, "list projects with `xcecli projects`")
    return None


def _no_such(noun: str, name: str, known: Collection[str], otherwise: str) -> Rejection:
    return Rejection(
        code=f"unknown_{noun}",
        message=f"{noun} `{name}` does not exist",
        hints=tuple(did_you_mean(name, known, otherwise=otherwise)),
        attribute={"profile": "app"}.get(noun, noun),
    )


def _forbidden(own: Own, names: Names, config: ClusterConfig) -> Rejection | None:
    """The default profile needs no permission of its own; a queue or profile without `users` is open."""
    if own.user == "root" and not config.allow_root_jobs:
        return _no_root_jobs()
    queue = config.queues[names.queue]
    if queue.users and not belongs(own, queue.users, config):
        return _not_among(own.user, "queue", names.queue)
    if not names.app or names.app == DEFAULT_PROFILE:
        return None
    profile = config.applications[names.app]
    if profile.users and not belongs(own, profile.users, config):
        return _not_among(own.user, "profile", names.app)
    return None


def _no_root_jobs() -> Rejection:
    return Rejection(
        code="root_job",
        message="user `root` may not run jobs here: `allow_root_jobs` is false",
        hints=("submit as an ordinary user",),
        attribute="user",
        permission=True,
    )


def _not_among(user: str, noun: str, name: str) -> Rejection:
    return Rejection(
        code=f"{noun}_not_permitted",
        message=f"user `{user}` may not use {noun} `{name}`",
        hints=(f"`users` of {noun} `{name}` says who may; an administrator can add `{user}`",),
        attribute={"profile": "app"}.get(noun, noun),
        permission=True,
    )
