"""Expected failures: exit status and HTTP status belong together, and travel."""

import pytest

from xcelib.errors import (
    BadConfiguration,
    ExitStatus,
    Fault,
    NotPermitted,
    Problem,
    Refused,
    StorageFull,
    TooLarge,
    TryAgain,
    Unknown,
    Unreachable,
    Usage,
    XceError,
    did_you_mean,
    from_problem,
)  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "exit_status", "http_status"),
    [
        (XceError, 1, 400),
        (Usage, 2, 400),
        (Unknown, 1, 404),
        (Refused, 1, 409),
        (NotPermitted, 77, 403),
        (Unreachable, 69, 503),
        (TryAgain, 75, 503),
        (StorageFull, 75, 507),
        (TooLarge, 1, 413),
        (BadConfiguration, 78, 400),
    ],
)
def test_each_kind_has_its_statuses(kind: type[XceError], exit_status: int, http_status: int) -> None:
    assert (kind.exit_status, kind.http_status) == (exit_status, http_status)


@pytest.mark.parametrize("kind", [XceError, Unknown, Refused, NotPermitted, TryAgain, StorageFull, TooLarge])
def test_a_failure_is_the_same_after_the_wire(kind: type[XceError]) -> None:
    fault = Fault(path="/name", code="bad_name", message="the name is wrong", hint="leave it out")
    error = kind("it is wrong", code="a_code", hints=["do this"], faults=[fault])
    received = from_problem(error.problem())
    assert type(received) is kind
    assert (received.message, received.code, received.hints, received.faults) == (
        "it is wrong", "a_code", ("do this",), (fault,),
    )  # fmt: skip
    assert (received.exit_status, received.http_status) == (kind.exit_status, kind.http_status)


def test_wrong_words_exit_with_1_when_the_server_refuses_them() -> None:
    assert from_problem(Usage("wrong").problem()).exit_status == ExitStatus.REFUSED


def test_a_limit_exits_with_1_and_an_unknown_status_too() -> None:
    for status in (429, 418, 500):
        problem = Problem(status=status, title="limit", code="limit", detail="too many")
        assert from_problem(problem).exit_status == ExitStatus.REFUSED
        assert from_problem(problem).http_status == status


def test_the_place_of_a_grammar_error_travels_in_the_detail() -> None:
    problem = Usage("wrong at column 2", detail="  ab\n   ^").problem()
    assert problem.detail == "wrong at column 2\n  ab\n   ^"
    assert problem.title == "usage"


def test_the_nearest_name_is_told_or_the_other_way_out() -> None:
    assert did_you_mean("nigth", ["night", "normal"]) == ["did you mean `night`?"]
    assert did_you_mean("zzz", ["night"], otherwise="list them") == ["list them"]
    assert did_you_mean("zzz", ["night"]) == []
