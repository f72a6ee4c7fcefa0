"""The tree as the tidy tests read it: every Python file once, parsed once."""

import ast
import functools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
PRODUCT: Final = ("xcecli", "xceadmin", "server")
ALL: Final = (*PRODUCT, "tests", "demo", "bench")


@functools.cache
def python_files(*folders: str) -> tuple[Path, ...]:
    """The Python files below these folders of the tree, sorted."""
    return tuple(sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py")))


@functools.cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@functools.cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(text_of(path), filename=str(path))


def name_of(path: Path) -> str:
    """How a finding names a file: from the root of the tree."""
    return path.relative_to(ROOT).as_posix()


def imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every absolute module name that is imported anywhere in `tree`, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.lineno, node.module


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def expect_none(findings: Sequence[str], rule: str) -> None:
    """Fail with every finding, a line each, under the rule that they break."""
    assert not findings, "\n".join([rule, *findings])
