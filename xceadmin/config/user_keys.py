"""The keys of `users.yaml`, `projects.yaml` and `limits.yaml`: who, for what, and how much."""

from typing import Any

from xceadmin.config.nodes import Node
from xceadmin.config.queue_keys import CAPS, amounts_beside
from xceadmin.config.reading import Absent, Reading
from xceadmin.config.shapes import Key, Keys, list_of, named, plain, record
from xceadmin.config.values import choice, member, name, project, text
from xcelib.config.model import Grant, LimitRule, ProjectConfig, Role, UserGroup
from xcelib.config.paths import Path

_members = Key(list_of(member, is_set=True))

GROUP: Keys = {"name": Key(name, is_required=True), "members": _members, "default_project": Key(project)}
ROLE: Keys = {"name": Key(choice("user", "operator", "admin"), is_required=True), "members": _members}
GRANT: Keys = {
    "to": Key(list_of(member, is_set=True), is_required=True),
    "permission": Key(choice("queue:submit", "app:use", "project:view", "project:job-control"), is_required=True),
    "project": Key(project),
}
PROJECT: Keys = {
    "path": Key(project, is_required=True),
    "description": Key(text),
    "members": _members,
    "quotas": Key(amounts_beside(CAPS)),
}
_names = Key(list_of(name, is_set=True))
LIMIT_RULE: Keys = {
    "name": Key(name, is_required=True),
    "users": _members,
    "groups": _names,
    "queues": _names,
    "projects": Key(list_of(project, is_set=True)),
    "profiles": _names,
    "hosts": _names,
    "per": Key(choice("user", "group", "project", "host")),
    "resources": Key(amounts_beside(CAPS), is_required=True),
}

read_groups = named(GROUP, plain(UserGroup))
read_roles = named(ROLE, plain(Role))
read_projects = named(PROJECT, plain(ProjectConfig), by="path")
read_limit_rules = named(LIMIT_RULE, plain(LimitRule))
_read_grants = list_of(record(GRANT))


def read_grants(reading: Reading, node: Node, path: Path) -> tuple[Grant, ...] | Absent:
    """The grants, in a canonical order."""
    found: Any = _read_grants(reading, node, path)
    if isinstance(found, Absent):
        return found
    grants = [Grant(**fields) for fields in found]
    return tuple(sorted(grants, key=lambda grant: (grant.permission, grant.project or "", grant.to)))
