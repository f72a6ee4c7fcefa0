import pytest
from _pytest.outcomes import Failed, Skipped

from tests.kit.requirements import run_or_report, unmet

PRESENT, ABSENT = "sh", "no-such-package"


@pytest.fixture
def item(request: pytest.FixtureRequest) -> pytest.Item:
    item = request.node
    assert isinstance(item, pytest.Item)
    return item


def test_a_need_is_unmet_when_no_such_program_is_there(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.needs(PRESENT, ABSENT))
    assert unmet(item) == [ABSENT]


def test_a_test_is_reported_as_not_run_when_a_need_is_unmet(item: pytest.Item, monkeypatch: pytest.MonkeyPatch) -> None:
    item.add_marker(pytest.mark.needs(ABSENT))
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(Skipped, match="not run: it needs no-such-package"):
        run_or_report(item)


def test_a_test_fails_in_ci_when_a_need_is_unmet(item: pytest.Item, monkeypatch: pytest.MonkeyPatch) -> None:
    item.add_marker(pytest.mark.needs(ABSENT))
    monkeypatch.setenv("CI", "true")
    with pytest.raises(Failed, match="not run: it needs no-such-package"):
        run_or_report(item)


def test_a_test_runs_when_it_needs_nothing(item: pytest.Item) -> None:
    run_or_report(item)
    assert unmet(item) == []
