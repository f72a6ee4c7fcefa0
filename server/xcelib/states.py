"""Job states, end reasons, and the one table of moves. `docs/job-states.md` tells it in prose."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class State(StrEnum):
    """The state of one element (a job that is no array has one element)."""

    PEND = "PEND"
    PSUSP = "PSUSP"  # held by a person
    RUN = "RUN"
    USUSP = "USUSP"  # suspended by a person while running
    SSUSP = "SSUSP"  # suspended by the system while running
    DONE = "DONE"
    EXIT = "EXIT"
    UNKWN = "UNKWN"  # its host is lost


FINAL: Final = frozenset({State.DONE, State.EXIT})
ON_HOST: Final = frozenset({State.RUN, State.USUSP, State.SSUSP, State.UNKWN})

MOVES: Final[Mapping[State, frozenset[State]]] = {
    State.PEND: frozenset({State.PSUSP, State.RUN, State.EXIT}),
    State.PSUSP: frozenset({State.PEND, State.EXIT}),
    State.RUN: frozenset({State.USUSP, State.SSUSP, State.UNKWN, State.PEND, State.DONE, State.EXIT}),
    State.USUSP: frozenset({State.RUN, State.UNKWN, State.PEND, State.DONE, State.EXIT}),
    State.SSUSP: frozenset({State.RUN, State.UNKWN, State.PEND, State.DONE, State.EXIT}),
    State.UNKWN: frozenset({State.RUN, State.USUSP, State.SSUSP, State.PEND, State.DONE, State.EXIT}),
    State.DONE: frozenset(),
    State.EXIT: frozenset(),
}
assert MOVES.keys() == set(State), "every state has its row of moves"


class EndReason(StrEnum):
    """Why an element ended EXIT, beside its exit code. The empty reason is a plain exit."""

    NONE = ""
    RUNLIMIT = "TERM_RUNLIMIT"
    CPULIMIT = "TERM_CPULIMIT"
    MEMLIMIT = "TERM_MEMLIMIT"
    OWNER = "TERM_OWNER"
    ADMIN = "TERM_ADMIN"
    HOST_LOST = "TERM_HOST_LOST"
    START_FAILED = "TERM_START_FAILED"
    REQUEUE = "TERM_REQUEUE"
    DEPENDENCY = "TERM_DEPENDENCY"
    SIGNAL = "TERM_SIGNAL"
    UNKILLABLE = "TERM_UNKILLABLE"
    FORCE = "TERM_FORCE"


END_REASON_TEXTS: Final[Mapping[EndReason, str]] = {
    EndReason.NONE: "the command ended by itself",
    EndReason.RUNLIMIT: "it reached its run limit",
    EndReason.CPULIMIT: "it reached its cpu time limit",
    EndReason.MEMLIMIT: "it used more memory than its limit",
    EndReason.OWNER: "killed by its owner",
    EndReason.ADMIN: "killed by an administrator",
    EndReason.HOST_LOST: "its host was lost or restarted while it ran",
    EndReason.START_FAILED: "it could not be started",
    EndReason.REQUEUE: "ended to be queued again",
    EndReason.DEPENDENCY: "a job that it depends on can no longer fulfil the condition",
    EndReason.SIGNAL: "a signal ended it",
    EndReason.UNKILLABLE: "its processes could not be ended",
    EndReason.FORCE: "its record was ended by force",
}
assert END_REASON_TEXTS.keys() == set(EndReason), "every end reason has its text"
