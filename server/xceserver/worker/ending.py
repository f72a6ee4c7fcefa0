"""The one end of an attempt, from what happened to its tasks and what was asked for. Pure."""

import signal
from collections.abc import Sequence
from typing import NamedTuple

from xcelib.states import END_REASON_TEXTS, EndReason
from xceserver.worker.failure import Failure, bounded


class Outcome(NamedTuple):
    """How one task ended: exit code, or the signal that ended it."""

    task: int
    exit_code: int | None
    signal: int


class Wish(NamedTuple):
    """Somebody, or a limit, wants the attempt to end."""

    reason: str
    text: str


class Verdict(NamedTuple):
    """The fields of `Ended` that tell how and why."""

    exit_code: int | None
    signal: int
    reason: str
    text: str


def outcome_of(task: int, status: int) -> Outcome:
    """From what `wait4` told about a task."""
    number = status & 0x7F
    return Outcome(task, None, number) if number else Outcome(task, status >> 8, 0)


def verdict(outcomes: Sequence[Outcome], *, wish: Wish | None, failure: Failure | None, has_cpu_limit: bool) -> Verdict:
    """What is reported. The first task that ended badly speaks for all; `outcomes` are in the order of ending."""
    if wish is None and failure is not None:
        reason = EndReason.START_FAILED if failure.exit_code is None else EndReason.NONE
        return Verdict(failure.exit_code, 0, reason, failure.text)
    worst = _worst(outcomes)
    if failure is not None or worst is None:
        assert wish is not None, "an attempt without a task has a reason to end"
        return Verdict(None, 0, wish.reason, _wish_text(wish))
    if wish is not None:
        return Verdict(worst.exit_code, worst.signal, wish.reason, _wish_text(wish))
    return _own_end(worst, count=len(outcomes), has_cpu_limit=has_cpu_limit)


def _own_end(worst: Outcome, *, count: int, has_cpu_limit: bool) -> Verdict:
    which = f"task {worst.task}: " if count > 1 else ""
    if not worst.signal:
        text = f"{which}exit {worst.exit_code}" if which and worst.exit_code else ""
        return Verdict(worst.exit_code, 0, EndReason.NONE, text)
    if worst.signal == signal.SIGXCPU and has_cpu_limit:
        return Verdict(None, worst.signal, EndReason.CPULIMIT, which + END_REASON_TEXTS[EndReason.CPULIMIT])
    return Verdict(None, worst.signal, EndReason.SIGNAL, f"{which}signal {signal_name(worst.signal)} ended it")


def signal_name(number: int) -> str:
    try:
        return f"{number} ({signal.Signals(number).name})"
    except ValueError:
        return str(number)  # a real-time signal


def _worst(outcomes: Sequence[Outcome]) -> Outcome | None:
    bad = (outcome for outcome in outcomes if outcome.signal or outcome.exit_code)
    return next(bad, outcomes[0] if outcomes else None)


def _wish_text(wish: Wish) -> str:
    known = {reason.value: text for reason, text in END_REASON_TEXTS.items()}
    return bounded(wish.text or known.get(wish.reason, "it was asked to end"))
