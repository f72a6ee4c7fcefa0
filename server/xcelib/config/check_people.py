"""Users, groups, projects, grants and consumer limits."""

from collections.abc import Iterator

from xcelib.config import codes
from xcelib.config.counters import check_amounts
from xcelib.config.findings import Finding
from xcelib.config.model import EVERYBODY, JOB_COUNTS, ClusterConfig, descriptors
from xcelib.config.references import undefined, undefined_groups


def check_people(config: ClusterConfig) -> list[Finding]:
    """Every group, project, queue, profile and counter that is named is defined. Users come and go."""
    return [
        *_check_groups(config),
        *_check_projects(config),
        *_check_grants(config),
        *_check_limits(config),
    ]


def _check_groups(config: ClusterConfig) -> Iterator[Finding]:
    for name, group in config.user_groups.items():
        path = ("user_groups", name)
        if name == EVERYBODY:
            message = f"group `{EVERYBODY}` is built in: every user is in it"
            yield Finding(path=path, code=codes.BUILTIN, message=message)
        for member in group.members:
            if member.startswith("@"):
                message = f"`{member}`: groups do not nest"
                yield Finding(path=(*path, "members"), code=codes.WRONG_TYPE, message=message, hint="list its members")
        if group.default_project and config.projects:
            yield from undefined((*path, "default_project"), "project", [group.default_project], config.projects)
    for name, role in config.roles.items():
        yield from undefined_groups(("roles", name, "members"), role.members, config)


def _check_projects(config: ClusterConfig) -> Iterator[Finding]:
    known = descriptors(config)
    for path, project in config.projects.items():
        yield from undefined_groups(("projects", path, "members"), project.members, config)
        yield from check_amounts(("projects", path, "quotas"), project.quotas, JOB_COUNTS, known)


def _check_grants(config: ClusterConfig) -> Iterator[Finding]:
    for number, grant in enumerate(config.grants):
        yield from undefined_groups(("grants", str(number), "to"), grant.to, config)
        if grant.project:
            yield from undefined(("grants", str(number), "project"), "project", [grant.project], config.projects)


def _check_limits(config: ClusterConfig) -> Iterator[Finding]:
    known = descriptors(config)
    for name, rule in config.limits.items():
        path = ("limits", name)
        yield from undefined_groups((*path, "users"), rule.users, config)
        yield from undefined((*path, "groups"), "user group", rule.groups, config.user_groups)
        yield from undefined((*path, "queues"), "queue", rule.queues, config.queues)
        yield from undefined((*path, "projects"), "project", rule.projects, config.projects)
        yield from undefined((*path, "profiles"), "profile", rule.profiles, config.applications)
        yield from undefined((*path, "hosts"), "host or host group", rule.hosts, {*config.hosts, *config.host_groups})
        yield from check_amounts((*path, "resources"), rule.resources, JOB_COUNTS, known)
