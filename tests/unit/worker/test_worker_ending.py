import signal

import pytest

from xcelib.states import END_REASON_TEXTS, EndReason
from xceserver.worker.ending import Outcome, Verdict, Wish, outcome_of, verdict
from xceserver.worker.failure import TEXT_MAX, Failure, bounded


def judged(
    *outcomes: Outcome, wish: Wish | None = None, failure: Failure | None = None, has_cpu_limit: bool = False
) -> Verdict:
    return verdict(outcomes, wish=wish, failure=failure, has_cpu_limit=has_cpu_limit)


def test_a_wait_status_is_an_exit_code_or_a_signal() -> None:
    assert outcome_of(0, 3 << 8) == Outcome(0, 3, 0)
    assert outcome_of(2, 9) == Outcome(2, None, 9)
    assert outcome_of(0, 11 | 0x80) == Outcome(0, None, 11)  # with a core dump


@pytest.mark.parametrize("code", [0, 3, 255])
def test_a_command_that_ends_by_itself_has_no_reason(code: int) -> None:
    assert judged(Outcome(0, code, 0)) == Verdict(code, 0, EndReason.NONE, "")


def test_a_signal_is_named() -> None:
    assert judged(Outcome(0, None, 11)) == Verdict(None, 11, EndReason.SIGNAL, "signal 11 (SIGSEGV) ended it")


def test_the_kernels_cpu_limit_is_told_apart_from_a_signal() -> None:
    outcome = Outcome(0, None, signal.SIGXCPU)
    assert judged(outcome, has_cpu_limit=True).reason == EndReason.CPULIMIT
    assert judged(outcome, has_cpu_limit=False).reason == EndReason.SIGNAL


def test_the_first_task_that_failed_speaks_for_all() -> None:
    found = judged(Outcome(1, 0, 0), Outcome(2, 5, 0), Outcome(0, 7, 0))
    assert found == Verdict(5, 0, EndReason.NONE, "task 2: exit 5")


def test_a_wish_is_the_reason_whatever_the_command_made_of_it() -> None:
    wish = Wish(EndReason.OWNER, "")
    assert judged(Outcome(0, 0, 0), wish=wish) == Verdict(0, 0, EndReason.OWNER, END_REASON_TEXTS[EndReason.OWNER])
    assert judged(Outcome(0, None, 15), wish=Wish("TERM_RUNLIMIT", "too long")) == Verdict(
        None, 15, "TERM_RUNLIMIT", "too long"
    )


def test_a_command_that_is_not_found_ends_like_in_a_shell() -> None:
    failure = Failure("command `x` not found", 127)
    assert judged(Outcome(0, 127, 0), failure=failure) == Verdict(127, 0, EndReason.NONE, failure.text)


def test_what_failed_before_the_command_is_a_failed_start() -> None:
    failure = Failure("cannot change to the working directory `/x`")
    assert judged(Outcome(0, 127, 0), failure=failure) == Verdict(None, 0, EndReason.START_FAILED, failure.text)


def test_a_kill_during_the_start_is_a_kill() -> None:
    found = judged(Outcome(0, 127, 0), failure=Failure("late"), wish=Wish(EndReason.ADMIN, "by root"))
    assert found == Verdict(None, 0, EndReason.ADMIN, "by root")


def test_texts_are_bounded_and_can_be_sent() -> None:
    assert len(bounded("ü" * 5000).encode()) <= TEXT_MAX
    assert bounded("bad \udcff") == "bad \\udcff"
    assert bounded("short") == "short"
