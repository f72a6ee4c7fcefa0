"""The keys of `applications.yaml`."""

from typing import Any, Final

from xceadmin.config.nodes import Node, Scalar
from xceadmin.config.reading import Absent, Reader, Reading
from xceadmin.config.resource_keys import amount_of, resource_name
from xceadmin.config.shapes import Key, Keys, list_of, mapping_of, named, plain, record
from xceadmin.config.values import (
    anything,
    boolean,
    choice,
    command,
    duration,
    integer,
    member,
    name,
    size,
    text,
)
from xcelib.config.model import (
    HOOKS,
    LIMIT_COUNTS,
    LIMIT_DURATIONS,
    LIMIT_SIZES,
    STARTERS,
    Param,
    Profile,
    ProfileResreq,
    RusageDefault,
)
from xcelib.config.paths import Path
from xcelib.config.requirements import canonical_resreq
from xcelib.jobspec import TaskRange

TASKS_MAX: Final = 10_000_000

_LIMIT_READERS: Final[dict[str, Reader]] = {
    **dict.fromkeys(sorted(LIMIT_DURATIONS), duration),
    **dict.fromkeys(sorted(LIMIT_SIZES), size),
    **dict.fromkeys(sorted(LIMIT_COUNTS), integer(0)),
}
LIMIT: Keys = {limit: Key(read) for limit, read in _LIMIT_READERS.items()}
TASKS: Keys = {"min": Key(integer(1, TASKS_MAX)), "max": Key(integer(1, TASKS_MAX))}
PARAM: Keys = {
    "name": Key(text, is_required=True),
    "description": Key(text),
    "default": Key(text),
    "choices": Key(list_of(text)),
    "required": Key(boolean),
}


def _default_amount(reading: Reading, node: Node, path: Path) -> int | Absent:
    """The default of the resource that `path` names before its last part."""
    return amount_of(path[-2], reading, node, path)


RUSAGE: Keys = {
    "resource": Key(resource_name, is_required=True),
    "per": Key(choice("task", "job", "host")),
    "default": Key(_default_amount),
}
_read_rusage = named(RUSAGE, plain(RusageDefault), by="resource")
_read_params = named(PARAM, plain(Param))


def _rusage(reading: Reading, node: Node, path: Path) -> tuple[RusageDefault, ...] | Absent:
    """The entries, sorted by resource."""
    found = _read_rusage(reading, node, path)
    return found if isinstance(found, Absent) else tuple(found[key] for key in sorted(found))


def _params(reading: Reading, node: Node, path: Path) -> tuple[Param, ...] | Absent:
    """The params, sorted by name."""
    found = _read_params(reading, node, path)
    return found if isinstance(found, Absent) else tuple(found[key] for key in sorted(found))


def _requirement_text(reading: Reading, node: Node, path: Path) -> str | Absent:
    """A text of the resreq grammar, whose faults have a column of their own."""
    if isinstance(node, Scalar):
        reading.texts[path] = node
    return text(reading, node, path)


RESREQ: Keys = {
    "select": Key(_requirement_text),
    "rusage": Key(_rusage),
    "span": Key(_requirement_text),
    "same": Key(list_of(name, is_set=True)),
    "order": Key(_requirement_text),
}
PROFILE: Keys = {
    "name": Key(name, is_required=True),
    "description": Key(text),
    "kind": Key(choice("batch", "service")),
    "users": Key(list_of(member, is_set=True)),
    "mode": Key(choice("direct", "oci")),
    "launch": Key(choice("script", "tasks", "openmpi", "mpich")),
    "tasks": Key(record(TASKS)),
    "resreq": Key(record(RESREQ)),
    "limits": Key(record(LIMIT)),
    "env": Key(mapping_of(text, text)),
    **{key: Key(command) for key in (*HOOKS, *STARTERS)},
    "job_pre_post_exec": Key(choice("allowed", "forbidden")),
    "params": Key(_params),
    "annotations": Key(mapping_of(text, text)),
    "service": Key(anything),
}

MISPLACED: Final = {
    "priority": "queues have it: `priority` in queues.yaml",
    "max": "a ceiling is a queue's `max`; a profile has `limits` and `tasks`",
    "pre_exec": "a profile's is `pre_job_exec`; `pre_exec` is the job's own",
    "post_exec": "a profile's is `post_job_exec`; `post_exec` is the job's own",
    "res_req": "write `resreq`",
}


def _profile(reading: Reading, path: Path, fields: dict[str, Any]) -> Profile:
    if "tasks" in fields:
        fields["tasks"] = TaskRange(**fields["tasks"])
    if "resreq" in fields:
        resreq = ProfileResreq(**fields["resreq"])
        fields["resreq"] = canonical_resreq(resreq, reading.known, reading.memory_unit)
    return Profile(**fields)


read_profiles = named(PROFILE, _profile, misplaced=MISPLACED)
