"""The pure packages read no clock, no environment, no chance; the shared library needs next to nothing."""

import ast
import sys
from collections.abc import Collection

import pytest

from tests.tidy.source import expect_none, imports, name_of, python_files, tree_of

IMPURE_MODULES = frozenset({"os", "time", "random", "socket", "subprocess", "asyncio", "logging"})
IMPURE_TOO = frozenset({"secrets", "select", "selectors", "signal", "threading", "multiprocessing", "tempfile"})
IMPURE_NAMES = frozenset(
    {
        "datetime.now",
        "datetime.utcnow",
        "datetime.today",
        "date.today",
        "uuid.uuid1",
        "uuid.uuid4",
        "sys.argv",
    }
    | {"sys.stdin", "sys.stdout", "sys.stderr", "Path.cwd", "Path.home"}
)
IMPURE_CALLS = frozenset({"open", "print", "input", "exec", "eval", "breakpoint"})


SHELLS = frozenset({"server/xceserver/sched/process.py"})  # the process around the pure scheduler


def impurities(tree: ast.AST, *, third_party: Collection[str], own: Collection[str]) -> list[str]:
    """What in a module depends on the day, the host or luck, or on a library that is not granted."""
    findings = []
    for line, module in imports(tree):
        top = module.split(".")[0]
        if top in IMPURE_MODULES | IMPURE_TOO:
            findings.append(f"{line}: imports `{module}`")
        elif top not in sys.stdlib_module_names and top not in third_party and top not in own:
            findings.append(f"{line}: imports `{module}`, which is not granted")
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and _last_two(node) in IMPURE_NAMES:
            findings.append(f"{node.lineno}: uses `{ast.unparse(node)}`")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in IMPURE_CALLS:
            findings.append(f"{node.lineno}: calls `{node.func.id}`")
    return findings


def _last_two(node: ast.Attribute) -> str:
    return ".".join(ast.unparse(node).split(".")[-2:])


def findings_in(folder: str, *, third_party: Collection[str], own: Collection[str]) -> list[str]:
    return [
        f"{name_of(path)}:{finding}"
        for path in python_files(folder)
        if name_of(path) not in SHELLS
        for finding in impurities(tree_of(path), third_party=third_party, own=own)
    ]


@pytest.mark.parametrize(
    "source",
    [
        "import os.path",
        "def f():\n    from time import time",
        "import datetime\nnow = datetime.datetime.now()",
        "import yaml",
        "print('x')",
        "from pathlib import Path\nhome = Path.home()",
    ],
)
def test_an_impurity_is_found(source: str) -> None:
    assert len(impurities(ast.parse(source), third_party={"msgspec"}, own={"xcelib"})) == 1


def test_plain_code_is_pure() -> None:
    source = "import re\nimport msgspec\nfrom xcelib.ids import JobId\n\ndef f(now: float) -> None: ..."
    assert impurities(ast.parse(source), third_party={"msgspec"}, own={"xcelib"}) == []


def test_the_shared_library_is_pure() -> None:
    findings = findings_in("server/xcelib", third_party={"msgspec"}, own={"xcelib"})
    expect_none(findings, "xcelib may use the standard library without " + ", ".join(sorted(IMPURE_MODULES)))


def test_the_core_is_pure() -> None:
    findings = findings_in("server/xceserver/core", third_party={"msgspec"}, own={"xcelib", "xceserver"})
    expect_none(findings, "deciding reads no clock, no environment, no chance")


def test_nothing_pure_imports_a_shell() -> None:
    shells = {path.removeprefix("server/").removesuffix(".py").replace("/", ".") for path in SHELLS}
    findings = [
        f"{name_of(path)}:{line}: imports `{module}`"
        for path in python_files("server/xcelib", "server/xceserver/core", "server/xceserver/sched")
        for line, module in imports(tree_of(path))
        if module in shells
    ]
    expect_none(findings, "a shell imports the pure packages, never the reverse")


def test_the_scheduler_is_pure() -> None:
    granted = {"msgspec", "numpy"}
    findings = findings_in("server/xceserver/sched", third_party=granted, own={"xcelib", "xceserver"})
    expect_none(findings, "planning reads no clock, no environment, no chance")
