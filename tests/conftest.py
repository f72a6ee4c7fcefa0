"""What holds for every test: its needs are met, and nothing of the person who runs it reaches it."""

import os
from pathlib import Path

import pytest

from tests.kit.requirements import run_or_report


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--bless", action="store_true", help="rewrite golden files; read the difference then")


@pytest.fixture
def bless(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be rewritten."""
    return bool(request.config.getoption("--bless"))


def pytest_runtest_setup(item: pytest.Item) -> None:
    run_or_report(item)


@pytest.fixture(autouse=True)
def own_surroundings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home of its own, no XDG or XCE settings, a terminal of 80 columns without colours."""
    for name in [name for name in os.environ if name.startswith(("XDG_", "XCE_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(_home(tmp_path_factory)))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("FORCE_COLOR", raising=False)


def _home(factory: pytest.TempPathFactory) -> Path:
    """One folder for the whole run: no test writes to it unless it makes a home of its own."""
    home = factory.getbasetemp() / "home"
    home.mkdir(exist_ok=True)
    return home
