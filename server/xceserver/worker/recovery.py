"""What becomes of an attempt that a new agent finds: judged from journal, folder and lock. Pure."""

from typing import Literal, NamedTuple

from xcelib.states import EndReason
from xceserver.peer import AttemptKey, Declined, Ended


class Facts(NamedTuple):
    """What is known of an attempt without an end in the journal.

    `folder`: "none", "live" (a supervisor holds its lock), "dead". `end`: the supervisor's own record.
    """

    key: AttemptKey
    folder: Literal["none", "live", "dead"]
    is_same_boot: bool
    has_begun: bool = False
    end: Ended | None = None
    is_end_damaged: bool = False


def judge(facts: Facts, *, now: float) -> Ended | Declined | None:
    """The attempt's end as far as it can be known, or None: it lives and is adopted."""
    if facts.folder == "live":
        return None
    if facts.end is not None:
        return facts.end
    if facts.is_end_damaged:
        return _ended(facts, EndReason.SIGNAL, "the record of its end is damaged; its exit status is unknown", now)
    if not facts.is_same_boot:
        return _ended(facts, EndReason.HOST_LOST, "host restarted", now)
    if facts.folder == "none":
        return Declined(facts.key, "the worker ended before it started the attempt")
    if not facts.has_begun:
        return _ended(facts, EndReason.START_FAILED, "its supervisor died before it started a task", now)
    return _ended(facts, EndReason.SIGNAL, "its supervisor died; the exit status is unknown", now)


def _ended(facts: Facts, reason: EndReason, text: str, now: float) -> Ended:
    return Ended(key=facts.key, reason=reason.value, text=text, ended_at=now)
