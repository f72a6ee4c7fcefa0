"""The one table of what XCE knows and no feature obeys yet.

`build`, `apply` and controller start refuse it with "not supported yet". A feature that is built
removes its rows here, and nothing else has to change.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from xcelib.config.codes import NOT_SUPPORTED_YET
from xcelib.config.findings import Finding
from xcelib.config.model import ClusterConfig
from xcelib.config.paths import Path, key_name

# Keys, by place; `*` is any name. What is refused is that the key is written, whatever its value.
_KEYS: Final[Mapping[Path, str]] = {
    ("timers", "hook_timeout_s"): "hooks",
    ("reasons",): "an administrator's words for pending reasons",
    ("hosts", "*", "address"): "hosts on other machines",
    ("hosts", "*", "state"): "host states in the configuration",
    ("hosts", "*", "instances"): "instances such as GPUs",
    ("resources", "*", "default_charge"): "default charges",
    ("resources", "*", "consumable"): "instances and claims",
    ("resources", "*", "release"): "instances and claims",
    ("resources", "*", "report"): "reported resources",
    ("resources", "*", "provider"): "resource providers",
    ("queues", "*", "fair_share"): "fair share",
    ("queues", "*", "windows"): "run windows",
    ("queues", "*", "preempts"): "preemption",
    ("queues", "*", "per_user"): "caps per user",
    ("queues", "*", "per_host"): "caps per host",
    ("queues", "*", "max", "hosts"): "ceilings on hosts",
    ("applications", "*", "resreq", "span"): "placement by span",
    ("applications", "*", "resreq", "same"): "placement on hosts that are alike",
    ("applications", "*", "limits", "memory_per_host"): "limits per host",
    ("applications", "*", "limits", "swap"): "swap limits",
    ("applications", "*", "pre_job_exec"): "hooks",
    ("applications", "*", "post_job_exec"): "hooks",
    ("applications", "*", "pre_host_exec"): "hooks",
    ("applications", "*", "post_host_exec"): "hooks",
    ("applications", "*", "job_pre_post_exec"): "a job's own pre_exec and post_exec",
    ("applications", "*", "job_starter"): "starters",
    ("applications", "*", "task_starter"): "starters",
    ("applications", "*", "service"): "services",
    ("projects",): "projects",
    ("limits",): "consumer limits",
    ("user_groups",): "user groups",
    ("roles",): "roles",
    ("grants",): "grants",
    ("services",): "services",
    ("providers",): "resource providers",
}

# Single values of keys that are supported otherwise.
_VALUES: Final[Mapping[tuple[Path, str], str]] = {
    (("applications", "*", "kind"), "service"): "services",
    (("applications", "*", "mode"), "oci"): "containers",
    (("applications", "*", "launch"), "openmpi"): "MPI launch",
    (("applications", "*", "launch"), "mpich"): "MPI launch",
    (("resources", "*", "layer"), "instance"): "instances such as GPUs",
}
_GROUP_LISTS: Final = frozenset({("applications", "*", "users"), ("queues", "*", "users")})

# What has to be looked at: last parts of the tables' places, and the mappings that hold one.
_LAST: Final = frozenset(path[-1] for path in (*_KEYS, *(path for path, _ in _VALUES), *_GROUP_LISTS))
_INSIDE: Final = frozenset(path[-2] for path in _KEYS if len(path) > 3)


def unsupported_key(path: Path) -> str | None:
    """The feature that the key at `path` waits for; None when the key is supported."""
    return (_KEYS.get(path) or _KEYS.get(_starred(path))) if path[-1] in _LAST else None


def unsupported_limit(name: str) -> str | None:
    """The feature that a job's limit waits for, by the same table."""
    return _KEYS.get(("applications", "*", "limits", name))


def unsupported_in(config: ClusterConfig, *, written: Iterable[Path] = ()) -> list[Finding]:
    """Every unsupported key and value of a configuration, and every unsupported key among `written`.

    `written` are the places that the sources name: a key is refused even where its value is the default.
    """
    values = list(_walk((), msgspec.to_builtins(config)))
    places = dict.fromkeys((*written, *(path for path, _ in values)))
    keys = [_finding(path, f"`{key_name(path)}`", feature) for path in places if (feature := unsupported_key(path))]
    return keys + [finding for path, value in values for finding in _unsupported_value(path, value)]


def _walk(path: Path, value: Any) -> Iterator[tuple[Path, Any]]:
    """The places in a document that the tables may speak of, with their values."""
    if path and path[-1] in _LAST:
        yield path, value
    if isinstance(value, dict) and (len(path) < 3 or path[-1] in _INSIDE):
        for key, inner in value.items():
            yield from _walk((*path, key), inner)


def _unsupported_value(path: Path, value: Any) -> Iterator[Finding]:
    place = _starred(path)
    if isinstance(value, str):
        feature = _VALUES.get((place, value))
        if feature:
            yield _finding(path, f"`{path[-1]}: {value}`", feature)
    elif place in _GROUP_LISTS and any(str(name).startswith("@") for name in value):
        yield _finding(path, f"a group in `{path[-1]}`", "user groups")


def _starred(path: Path) -> Path:
    return (path[0], "*", *path[2:]) if len(path) > 1 else path


def _finding(path: Path, what: str, feature: str) -> Finding:
    return Finding(
        path=path,
        code=NOT_SUPPORTED_YET,
        message=f"{what} ({feature}) is not supported yet",
        hint="remove it until a release of XCE supports it",
    )
