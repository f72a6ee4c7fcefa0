"""Names that must be defined elsewhere in the configuration."""

from collections.abc import Collection, Iterable
from typing import Final

from xcelib.config import codes
from xcelib.config.findings import Finding
from xcelib.config.model import EVERYBODY, ClusterConfig
from xcelib.config.paths import Path
from xcelib.errors import did_you_mean

_CODES: Final = {
    "queue": (codes.NO_QUEUE, "queues.yaml"),
    "profile": (codes.NO_PROFILE, "applications.yaml"),
    "resource": (codes.NO_RESOURCE, "resources.yaml"),
    "host or host group": (codes.NO_HOST, "hosts.yaml"),
    "user group": (codes.NO_GROUP, "users.yaml"),
    "project": (codes.NO_PROJECT, "projects.yaml"),
}


def undefined(path: Path, noun: str, names: Iterable[str], known: Collection[str]) -> list[Finding]:
    """A finding for each of `names` that is not among `known`."""
    code, file = _CODES[noun]
    return [
        Finding(
            path=path,
            code=code,
            message=f"{noun} `{name}` is not defined",
            hint=did_you_mean(name, known, otherwise=f"define it in {file}")[0],
        )
        for name in names
        if name not in known
    ]


def undefined_groups(path: Path, members: Iterable[str], config: ClusterConfig) -> list[Finding]:
    """Findings for the `@groups` among `members` that are not defined. User names are not known to XCE."""
    groups = [member[1:] for member in members if member.startswith("@")]
    return undefined(path, "user group", groups, {*config.user_groups, EVERYBODY})
