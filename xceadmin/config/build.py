"""From source files to a ClusterConfig, or to all that is wrong with them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath
from typing import Any, Final

import msgspec

from xceadmin.config.cluster_keys import read_cluster
from xceadmin.config.faults import Faults, SourceFault
from xceadmin.config.host_keys import read_host_groups, read_hosts
from xceadmin.config.locate import locate
from xceadmin.config.nodes import Mapping as MappingNode
from xceadmin.config.nodes import Node, Scalar
from xceadmin.config.profile_keys import read_profiles
from xceadmin.config.queue_keys import read_queues
from xceadmin.config.reader import read_yaml
from xceadmin.config.reading import Absent, Reader, Reading
from xceadmin.config.resource_keys import read_resources
from xceadmin.config.shapes import Key, record
from xceadmin.config.sources import FILES, PLAIN_FILE, read_folder, refuse_unknown
from xceadmin.config.user_keys import read_grants, read_groups, read_limit_rules, read_projects, read_roles
from xceadmin.config.values import anything
from xcelib.config import codes
from xcelib.config.check import check
from xcelib.config.findings import Finding
from xcelib.config.model import DEFAULT_PROFILE, ClusterConfig, Profile, empty
from xcelib.config.paths import path_text
from xcelib.merge.feasible import Unrunnable, profiles_without_queue

_TABLES: Final[Mapping[str, Reader]] = {
    "resources": read_resources,
    "hosts": read_hosts,
    "host_groups": read_host_groups,
    "queues": read_queues,
    "applications": read_profiles,
    "user_groups": read_groups,
    "roles": read_roles,
    "grants": read_grants,
    "projects": read_projects,
    "limits": read_limit_rules,
    "services": anything,
    "providers": anything,
}
_MODEL = frozenset(ClusterConfig.__struct_fields__)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildResult:
    """`config` is None when there are faults. `source_map` says for each place of the configuration
    (`applications/fluent/limits`) where it was written (`applications.yaml:12`); `texts` are the files."""

    config: ClusterConfig | None
    faults: tuple[SourceFault, ...]
    warnings: tuple[SourceFault, ...]
    source_map: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)


def build(folder: FilePath, *, strict: bool = False) -> BuildResult:
    """Build the configuration of a folder; an absent or empty one gives the defaults.

    `strict` makes warnings errors.
    """
    faults = Faults()
    return build_files(read_folder(folder, faults), faults=faults, strict=strict)


def build_files(contents: Mapping[str, bytes], *, faults: Faults | None = None, strict: bool = False) -> BuildResult:
    """The same from the bytes of each file, by name. It reads nothing else."""
    reading = Reading(faults if faults is not None else Faults())
    refuse_unknown(contents, reading.faults)
    config = read_files(contents, reading)
    _check(config, reading)
    errors, warnings = reading.faults.errors(), reading.faults.warnings()
    if strict:
        errors, warnings = (*errors, *(replace(warning, severity="error") for warning in warnings)), ()
    return BuildResult(
        config=None if errors else config,
        faults=tuple(sorted(errors, key=lambda fault: fault.place)),
        warnings=warnings,
        source_map={path_text(path): f"{place.file}:{place.line}" for path, place in reading.places.items()},
        texts={name: content.decode("utf-8-sig", "replace") for name, content in contents.items()},
    )


def read_files(contents: Mapping[str, bytes], reading: Reading) -> ClusterConfig:
    """Everything that can be read, defaults for the rest; nothing is checked beyond its own file."""
    found: dict[str, Any] = {}
    for file, keys in FILES.items():
        root = read_yaml(contents[file], file=file, faults=reading.faults) if file in contents else None
        if file in contents and root is None and _has_faults(reading, file):
            reading.unread.update(keys or _MODEL)
        elif file == PLAIN_FILE:
            _read_cluster(root, reading, found, is_written=file in contents)
        elif root is not None and not _is_empty(root):
            _put_all(_table_reader(keys)(reading, root, ()), found)
    return _config_of(found)


def _read_cluster(root: Node | None, reading: Reading, found: dict[str, Any], *, is_written: bool) -> None:
    """Without any xce.yaml jobs of root are allowed; with one, only where it says so."""
    if is_written:
        found["allow_root_jobs"] = False
    if root is not None and not _is_empty(root):
        _put_all(read_cluster(reading, root, ()), found)
    reading.memory_unit = found.get("memory_unit", "required")


def _table_reader(keys: tuple[str, ...]) -> Reader:
    return record({key: Key(_TABLES[key]) for key in keys})


def _put_all(fields: dict[str, Any] | Absent, found: dict[str, Any]) -> None:
    if not isinstance(fields, Absent):
        found.update(fields)


def _is_empty(root: Node) -> bool:
    return (isinstance(root, Scalar) and not root.text) or (isinstance(root, MappingNode) and not root.entries)


def _has_faults(reading: Reading, file: str) -> bool:
    return any(fault.place.file == file for fault in reading.faults)


def _config_of(found: dict[str, Any]) -> ClusterConfig:
    """The model of what was found. The profile `default` is built in; a queue only where none is declared."""
    defaults = empty()
    fields = {name: value for name, value in found.items() if name in _MODEL}
    fields.setdefault("queues", defaults.queues)
    fields["applications"] = {DEFAULT_PROFILE: Profile(name=DEFAULT_PROFILE)} | fields.get("applications", {})
    for name, struct in (("timers", defaults.timers), ("history", defaults.history)):
        if name in fields:
            fields[name] = msgspec.structs.replace(struct, **fields[name])
    return ClusterConfig(**fields)


def _check(config: ClusterConfig, reading: Reading) -> None:
    """Put what the checks find where it was written."""
    findings = check(config, written=reading.places)
    if not reading.faults.errors() and all(finding.severity == "warning" for finding in findings):
        findings += map(_no_queue_runs, profiles_without_queue(config))
    for finding in findings:
        if not reading.is_consequence(finding):
            reading.faults.put(locate(finding, reading))


def _no_queue_runs(rejected: Unrunnable) -> Finding:
    return Finding(
        path=("applications", rejected.profile),
        code=codes.NO_QUEUE_RUNS,
        message=f"no queue could run profile `{rejected.profile}`: {rejected.rejection.message}",
        hint="raise a ceiling (`max`) of a queue, or lower what the profile needs",
        severity="warning",
    )
