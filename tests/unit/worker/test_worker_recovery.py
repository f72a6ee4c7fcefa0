import pytest

from xcelib.states import EndReason
from xceserver.peer import AttemptKey, Declined, Ended
from xceserver.worker.recovery import Facts, judge

KEY = AttemptKey(7, 0, 1)
END = Ended(key=KEY, exit_code=3, ended_at=9.0)


def end_of(facts: Facts) -> Ended:
    found = judge(facts, now=5.0)
    assert isinstance(found, Ended)
    assert found.ended_at in (5.0, 9.0)
    return found


def test_a_live_supervisor_is_adopted() -> None:
    assert judge(Facts(KEY, "live", is_same_boot=True), now=5.0) is None


@pytest.mark.parametrize("is_same_boot", [True, False])
def test_the_supervisors_own_record_is_the_truth(is_same_boot: bool) -> None:
    assert end_of(Facts(KEY, "dead", is_same_boot, has_begun=True, end=END)) is END


def test_an_attempt_without_a_folder_was_never_started_in_this_boot() -> None:
    assert isinstance(judge(Facts(KEY, "none", is_same_boot=True), now=5.0), Declined)


@pytest.mark.parametrize("folder", ["none", "dead"])
def test_what_an_earlier_boot_began_is_lost_with_it(folder: str) -> None:
    end = end_of(Facts(KEY, folder, is_same_boot=False, has_begun=True))  # type: ignore[arg-type]
    assert (end.exit_code, end.signal, end.reason, end.text) == (None, 0, EndReason.HOST_LOST, "host restarted")


def test_a_supervisor_that_died_before_a_task_is_a_failed_start() -> None:
    assert end_of(Facts(KEY, "dead", is_same_boot=True)).reason == EndReason.START_FAILED


def test_a_supervisor_that_died_later_leaves_an_unknown_status() -> None:
    end = end_of(Facts(KEY, "dead", is_same_boot=True, has_begun=True))
    assert (end.exit_code, end.reason) == (None, EndReason.SIGNAL)
    assert "supervisor died" in end.text
    assert "unknown" in end.text


def test_a_damaged_record_of_the_end_is_never_guessed() -> None:
    end = end_of(Facts(KEY, "dead", is_same_boot=True, has_begun=True, is_end_damaged=True))
    assert (end.exit_code, end.signal) == (None, 0)
    assert "damaged" in end.text
