"""One attempt as the agent knows it, from the intent to the acknowledged end."""

from dataclasses import dataclass, field
from typing import Literal

from xceserver.peer import (
    AttemptKey,
    Declined,
    Ended,
    FromWorker,
    KnownAttempt,
    Started,
    StartInfo,
    Suspended,
    Usage,
)
from xceserver.worker.journal import Intent, OpenAttempt
from xceserver.worker.local import Act

Phase = Literal["intended", "launching", "starting", "running", "ended"]


@dataclass(slots=True, kw_only=True)
class Attempt:
    """`intended`: its intent is on its way to the disk. `launching`: the launcher was told."""

    key: AttemptKey
    phase: Phase
    intent: Intent | None = None
    info: StartInfo | None = None  # until the launcher has forked
    started: Started | None = None
    suspended: Suspended | None = None
    end: Ended | Declined | None = None
    is_end_durable: bool = False
    is_fenced: bool = False  # the controller does not want to hear of it any more
    is_watched: bool = False  # no launcher reaps its supervisor: the lock is looked at
    is_asked: bool = False  # its supervisor was asked what it is, and has not answered yet
    wish: Act | None = None  # not told to the supervisor yet
    usage: Usage = field(default_factory=Usage)

    @property
    def is_over(self) -> bool:
        return self.end is not None

    @property
    def is_rerunnable(self) -> bool:
        """Where nobody can tell any more, it may run a second time elsewhere."""
        return self.intent is None or self.intent.is_rerunnable

    def known(self) -> KnownAttempt:
        """How it stands in the hello."""
        if self.is_over:
            return KnownAttempt(self.key, "ended")
        if self.suspended is not None:
            return KnownAttempt(self.key, "suspended")
        return KnownAttempt(self.key, "running" if self.started is not None else "starting")

    def reports(self) -> list[FromWorker]:
        """All that the controller may not have heard, or heard and forgotten; each may arrive twice."""
        told = (self.started, self.suspended if not self.is_over else None, self.end)
        return [] if self.is_fenced else [message for message in told if message is not None]

    def for_journal(self) -> OpenAttempt:
        return OpenAttempt(self.intent, self.end)
