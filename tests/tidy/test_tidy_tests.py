"""The tests themselves: each can fail, none is skipped, none sleeps, none shares its file's name."""

import ast
from collections import Counter
from pathlib import Path

import pytest

from tests.tidy.source import ROOT, expect_none, functions, name_of, python_files, tree_of

TESTS = tuple(path for path in python_files("tests") if path.name.startswith("test_"))
CHECKING_WORDS = ("assert", "check", "expect", "raises", "verify", "wait_for", "run_state_machine", "warns")
SLEEPERS = frozenset({"tests/kit/waiting.py"})


def asserts_nothing(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a test has neither an assertion nor a call of something that, by its name, asserts."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            return False
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).rsplit(".", 1)[-1]
            if any(word in name for word in CHECKING_WORDS):
                return False
    return True


def dodges(tree: ast.AST) -> list[str]:
    """Skips and expected failures, as marks or calls."""
    names = {"pytest.mark.skip", "pytest.mark.skipif", "pytest.mark.xfail", "pytest.skip", "pytest.xfail"}
    found = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    return [f"{node.lineno}: `{ast.unparse(node)}`" for node in found if ast.unparse(node) in names]


def sleeps(tree: ast.AST) -> list[str]:
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return [f"{node.lineno}" for node in calls if ast.unparse(node.func) in {"time.sleep", "sleep", "asyncio.sleep"}]


def the_function(source: str) -> ast.FunctionDef:
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    return function


@pytest.mark.parametrize(
    ("source", "nothing"),
    [
        ("def test_x():\n    f()", True),
        ("def test_x():\n    assert f()", False),
        ("def test_x():\n    with pytest.raises(ValueError):\n        f()", False),
        ("def test_x():\n    assert_golden(f())", False),
    ],
)
def test_a_test_without_an_assertion_is_found(source: str, nothing: bool) -> None:
    assert asserts_nothing(the_function(source)) is nothing


def test_every_test_can_fail() -> None:
    findings = [
        f"{name_of(path)}:{function.lineno}: `{function.name}`"
        for path in TESTS
        for function in _tests_in(path)
        if asserts_nothing(function)
    ]
    expect_none(findings, "a test asserts something")


def _tests_in(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [node for node in functions(tree_of(path)) if node.name.startswith("test_")]


def test_a_dodge_is_found() -> None:
    assert len(dodges(ast.parse("@pytest.mark.xfail\ndef test_x():\n    pytest.skip('no')"))) == 2


def test_no_test_is_skipped_or_expected_to_fail() -> None:
    findings = [f"{name_of(path)}:{finding}" for path in TESTS for finding in dodges(tree_of(path))]
    expect_none(findings, "a test runs; what it needs is said with the mark `needs`")


def test_a_sleep_is_found() -> None:
    assert sleeps(ast.parse("import time\ntime.sleep(1)")) == ["2"]


def test_no_test_waits_for_a_fixed_time() -> None:
    paths = (path for path in python_files("tests") if name_of(path) not in SLEEPERS)
    findings = [f"{name_of(path)}:{line}" for path in paths for line in sleeps(tree_of(path))]
    expect_none(findings, "wait for what should happen, with `tests.kit.waiting.wait_for`")


def test_no_two_test_files_have_one_name() -> None:
    counts = Counter(path.name for path in TESTS)
    findings = [name_of(path) for path in TESTS if counts[path.name] > 1]
    expect_none(findings, "a test file's name is its own, so that a report names one file")


def test_every_mark_of_need_names_a_package_that_the_suite_installs() -> None:
    listed = (ROOT / ".ci" / "debian-packages.txt").read_text(encoding="utf-8").splitlines()
    packages = {line.split()[0] for line in listed if not line.startswith("#")} | {"root"}
    named = {
        argument.value
        for path in TESTS
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.needs"
        for argument in node.args
        if isinstance(argument, ast.Constant)
    }
    assert named - packages == set()
    assert packages - named == set(), "a package that no test needs is not asked for"
