"""What is wrong with a configuration's meaning: undefined names, contradictions, texts that do not parse.

Pure, and the only judge: the build, `apply` and controller start call the same function.
"""

from collections.abc import Iterable

import msgspec

from xcelib.config import codes
from xcelib.config.check_hosts import check_hosts, check_resources
from xcelib.config.check_people import check_people
from xcelib.config.check_profiles import check_profiles
from xcelib.config.check_queues import check_queues
from xcelib.config.findings import Finding
from xcelib.config.model import DEFAULT_PROFILE, DEFAULT_QUEUE, ClusterConfig
from xcelib.config.paths import Path
from xcelib.config.references import undefined
from xcelib.config.support import unsupported_in


def check(config: ClusterConfig, *, written: Iterable[Path] = ()) -> list[Finding]:
    """Every finding about the configuration, errors and warnings. No error: the daemons can run with it.

    `written` are the places that the sources name, where they are at hand.
    """
    unsupported = unsupported_in(config, written=written)
    places = {finding.path for finding in unsupported}
    return unsupported + [finding for finding in _meaning(config) if finding.path not in places]


def _meaning(config: ClusterConfig) -> list[Finding]:
    return [
        *_check_names(config),
        *_check_cluster(config),
        *check_resources(config),
        *check_hosts(config),
        *check_queues(config),
        *check_profiles(config),
        *check_people(config),
    ]


def _check_names(config: ClusterConfig) -> list[Finding]:
    """Each named thing repeats its key; a document that was written by hand may differ."""
    tables = ("hosts", "resources", "queues", "applications", "user_groups", "roles", "limits")
    pairs = [(table, key, thing.name) for table in tables for key, thing in getattr(config, table).items()]
    pairs += [("projects", key, project.path) for key, project in config.projects.items()]
    return [
        Finding(path=(table, key), code=codes.BAD_NAME, message=f"`{key}` is named `{name}` inside")
        for table, key, name in pairs
        if key != name
    ]


def _check_cluster(config: ClusterConfig) -> list[Finding]:
    found = _check_default_queue(config)
    found += undefined(("default_application",), "profile", [config.default_application], config.applications)
    if config.default_project and config.projects:
        found += undefined(("default_project",), "project", [config.default_project], config.projects)
    if DEFAULT_PROFILE not in config.applications:
        message = f"the profile `{DEFAULT_PROFILE}` is missing"
        found.append(Finding(path=("applications",), code=codes.NO_PROFILE, message=message))
    return found + _check_timers(config)


def _check_default_queue(config: ClusterConfig) -> list[Finding]:
    """A site that declares queues may have none of the default's name."""
    found = undefined(("default_queue",), "queue", [config.default_queue], config.queues)
    if found and config.default_queue == DEFAULT_QUEUE:
        hint = f"name one of the queues as `default_queue` in xce.yaml, or define `{DEFAULT_QUEUE}`"
        return [msgspec.structs.replace(found[0], hint=hint)]
    return found


def _check_timers(config: ClusterConfig) -> list[Finding]:
    """A host is given up only after its lease has ended."""
    timers = config.timers
    if timers.host_loss_grace_s >= timers.lease_timeout_s:
        return []
    return [
        Finding(
            path=("timers", "host_loss_grace_s"),
            code=codes.CONTRADICTION,
            message=f"`host_loss_grace` {timers.host_loss_grace_s:g}s is below "
            f"`lease_timeout` {timers.lease_timeout_s:g}s",
            hint="a worker must have time to restart and rejoin after its lease ended",
        )
    ]
