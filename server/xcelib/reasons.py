"""The catalogue of pending reasons: a stable code, its text, and the facts that the text needs.

Reasons travel as data (`Reason`); words are made here, in one place, for every client and message.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

import msgspec

from xcelib.quantity import format_size


class ReasonCode(StrEnum):
    """Why an element waits. `HOST_*` codes rule out single hosts and are counted under `NO_HOST_FITS`."""

    NEW = "new"
    NO_SCHEDULER = "no_scheduler"
    HELD = "held"
    DEPENDENCY = "dependency"
    BEGIN = "begin"
    ARRAY_LIMIT = "array_limit"
    QUEUE_INACTIVE = "queue_inactive"
    UNSUBMITTABLE = "unsubmittable"
    NO_HOSTS = "no_hosts"
    NO_HOST_FITS = "no_host_fits"
    SHARED_RESOURCE = "shared_resource"
    HOST_DOWN = "host_down"
    HOST_CLOSED = "host_closed"
    HOST_NOT_IN_QUEUE = "host_not_in_queue"
    HOST_SELECT = "host_select"
    HOST_TOO_SMALL = "host_too_small"
    HOST_BUSY = "host_busy"


REASON_TEXTS: Final[Mapping[ReasonCode, str]] = {
    ReasonCode.NEW: "just submitted: the scheduler has not looked at it yet",
    ReasonCode.NO_SCHEDULER: "the scheduler is not running; pending jobs wait for it",
    ReasonCode.HELD: "held by {by}{why}",
    ReasonCode.DEPENDENCY: "waiting for {condition}",
    ReasonCode.BEGIN: "begins at {at}",
    ReasonCode.ARRAY_LIMIT: "array limit: {limit} of its elements may run at once, {running} do",
    ReasonCode.QUEUE_INACTIVE: "queue {queue} is inactive{why}",
    ReasonCode.UNSUBMITTABLE: "held: {message}",
    ReasonCode.NO_HOSTS: "no host has joined the cluster",
    ReasonCode.NO_HOST_FITS: "no host fits now ({count} hosts: {hosts})",
    ReasonCode.SHARED_RESOURCE: "{resource}: {asked} asked, {free} of {total} free",
    ReasonCode.HOST_DOWN: "not reachable",
    ReasonCode.HOST_CLOSED: "closed or drained by an administrator",
    ReasonCode.HOST_NOT_IN_QUEUE: "not used by queue {queue}",
    ReasonCode.HOST_SELECT: "select does not match [{select}]",
    ReasonCode.HOST_TOO_SMALL: "too small: {resource} {asked} of {total}",
    ReasonCode.HOST_BUSY: "{resource} {asked} of {free} free",
}
assert REASON_TEXTS.keys() == set(ReasonCode), "every reason has its text"

_SIZES: Final = frozenset({"mem", "swp", "tmp"})

Fact = str | int | float


class Reason(msgspec.Struct, frozen=True, omit_defaults=True):
    """One reason; `count` is the number of hosts it ruled out, or of elements it holds; `parts` are the host reasons."""

    code: ReasonCode
    facts: dict[str, Fact] = {}
    count: int = 0
    parts: "tuple[Reason, ...]" = ()


def reason_text(reason: Reason) -> str:
    """The reason in words; amounts of sizes with their units."""
    facts = {name: _fact_text(name, value, reason.facts) for name, value in reason.facts.items()}
    if reason.code == ReasonCode.NO_HOST_FITS:
        facts["count"] = str(reason.count)
        facts["hosts"] = ", ".join(f"{part.count} {reason_text(part)}" for part in reason.parts)
    return REASON_TEXTS[reason.code].format_map(facts)


def _fact_text(name: str, value: Fact, facts: Mapping[str, Fact]) -> str:
    if name in {"asked", "free", "total"} and facts.get("resource") in _SIZES:
        return format_size(int(value))
    if name == "why":
        return f": {value}" if value else ""
    return str(value)
