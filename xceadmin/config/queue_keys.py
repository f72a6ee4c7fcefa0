"""The keys of `queues.yaml`: scheduling policy, and nothing that an application needs."""

from typing import Any, Final

from xceadmin.config.host_keys import distinct_hosts, host_names
from xceadmin.config.nodes import Node
from xceadmin.config.reading import Absent, Reader, Reading
from xceadmin.config.resource_keys import amount, resource_name
from xceadmin.config.shapes import Key, Keys, list_of, mapping_of, named
from xceadmin.config.values import anything, duration, integer, member, name, size, text
from xcelib.config.model import QueueConfig
from xcelib.config.paths import Path
from xcelib.jobspec import PRIORITY_MAX

CEILINGS: Final[dict[str, Reader]] = {
    "run_time": duration,
    "memory": size,
    "tasks": integer(1),
    "hosts": integer(1),
}
CAPS: Final[dict[str, Reader]] = {"running": integer(0), "pending": integer(0)}

MISPLACED: Final = {
    "res_req": "profiles have it: `resreq` in applications.yaml",
    "resreq": "profiles have it: `resreq` in applications.yaml",
    "pre_exec": "profiles have it: `pre_job_exec` in applications.yaml",
    "post_exec": "profiles have it: `post_job_exec` in applications.yaml",
    "job_starter": "profiles have it: `job_starter` in applications.yaml",
    "limits": "a ceiling is `max` here; limits are the profile's, in applications.yaml",
    "env": "profiles have it: `env` in applications.yaml",
}


def amounts_beside(special: dict[str, Reader]) -> Reader:
    """A mapping of a few special names, and of counters."""

    def read_name(reading: Reading, node: Node, path: Path) -> str | Absent:
        found: str | Absent = path[-1] if path[-1] in special else resource_name(reading, node, path)
        return found

    def read_amount(reading: Reading, node: Node, path: Path) -> int | Absent:
        found: int | Absent = special.get(path[-1], amount)(reading, node, path)
        return found

    return mapping_of(read_name, read_amount)


QUEUE: Keys = {
    "name": Key(name, is_required=True),
    "description": Key(text),
    "priority": Key(integer(0, PRIORITY_MAX)),
    "max": Key(amounts_beside(CEILINGS)),
    "users": Key(list_of(member, is_set=True)),
    "hosts": Key(list_of(host_names)),
    "per_user": Key(amounts_beside(CAPS)),
    "per_host": Key(amounts_beside(CAPS)),
    "fair_share": Key(anything),
    "windows": Key(list_of(text)),
    "preempts": Key(list_of(name, is_set=True)),
}


def _queue(reading: Reading, path: Path, fields: dict[str, Any]) -> QueueConfig:
    if "hosts" in fields:
        fields["hosts"] = distinct_hosts(fields["hosts"])
    return QueueConfig(**fields)


read_queues = named(QUEUE, _queue, misplaced=MISPLACED)
