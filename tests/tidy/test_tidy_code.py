"""Size, names and left-overs: what a reviewer should not have to look for."""

import ast
import re

import pytest

from tests.tidy.source import ALL, PRODUCT, expect_none, functions, name_of, python_files, text_of, tree_of

MODULE_LINES_MAX = 500
FUNCTION_LINES_MAX = 70
EMPTY_WORDS = frozenset({"data", "info", "manager", "utils", "util", "helper", "helpers", "misc", "common"})
LEFT_OVER = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|raise NotImplementedError$")


def long_functions(tree: ast.AST) -> list[str]:
    sizes = ((node, (node.end_lineno or 0) - node.lineno + 1) for node in functions(tree))
    return [f"{node.lineno}: `{node.name}` has {size} lines" for node, size in sizes if size > FUNCTION_LINES_MAX]


def unexplained_broad_excepts(source: str) -> list[str]:
    """`except:`, `except Exception` and `except BaseException` without a comment that says why, on it or below."""
    lines = [*source.splitlines(), ""]
    handlers = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ExceptHandler))
    broad = [node.lineno for node in handlers if _is_broad(node)]
    return [f"{line}: {lines[line - 1].strip()}" for line in broad if not _says_why(*lines[line - 1 : line + 1])]


def _says_why(clause: str, below: str) -> bool:
    return "#" in clause or below.strip().startswith("#")


def _is_broad(handler: ast.ExceptHandler) -> bool:
    return handler.type is None or ast.unparse(handler.type) in {"Exception", "BaseException"}


def empty_names(parts: tuple[str, ...]) -> list[str]:
    return [part for part in parts if EMPTY_WORDS & set(part.removesuffix(".py").split("_"))]


def test_modules_are_short_enough_to_read() -> None:
    sizes = ((path, text_of(path).count("\n")) for path in python_files(*ALL))
    findings = [f"{name_of(path)}: {size} lines" for path, size in sizes if size > MODULE_LINES_MAX]
    expect_none(findings, f"a module has at most {MODULE_LINES_MAX} lines")


def test_a_long_function_is_found() -> None:
    body = "\n".join(["def f():"] + ["    x = 1"] * FUNCTION_LINES_MAX)
    assert len(long_functions(ast.parse(body))) == 1


def test_functions_are_short_enough_to_see_whole() -> None:
    findings = [
        f"{name_of(path)}:{finding}" for path in python_files(*ALL) for finding in long_functions(tree_of(path))
    ]
    expect_none(findings, f"a function has at most {FUNCTION_LINES_MAX} lines")


@pytest.mark.parametrize(
    ("clause", "found"),
    [
        ("except:", 1),
        ("except Exception as error:", 1),
        ("except BaseException:  # whatever it is, the folder goes", 0),
        ("except Exception:\n    # a job's fault is the job's alone", 0),
        ("except ValueError:", 0),
    ],
)
def test_a_broad_except_is_found_unless_it_says_why(clause: str, found: int) -> None:
    assert len(unexplained_broad_excepts(f"try:\n    f()\n{clause}\n    pass\n")) == found


def test_every_broad_except_says_why() -> None:
    findings = [
        f"{name_of(path)}:{finding}"
        for path in python_files(*PRODUCT)
        for finding in unexplained_broad_excepts(text_of(path))
    ]
    expect_none(findings, "a broad except has a comment on its line: why everything, and where it goes")


def test_an_empty_name_is_found() -> None:
    assert empty_names(("job_utils.py", "jobs.py", "helpers")) == ["job_utils.py", "helpers"]


def test_modules_are_named_for_what_they_hold() -> None:
    paths = (path for path in python_files(*PRODUCT))
    findings = [name_of(path) for path in paths if empty_names(tuple(name_of(path).split("/")))]
    expect_none(findings, "a module's name says what is in it")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("# TODO: later", True),
        ("    raise NotImplementedError", True),
        ('raise NotImplementedError(f"cannot encode {kind}")', False),  # how msgspec's hooks decline a type
        ("todo = 1", False),
    ],
)
def test_a_left_over_is_found(line: str, found: bool) -> None:
    assert bool(LEFT_OVER.search(line)) is found


def test_nothing_is_left_over() -> None:
    findings = [
        f"{name_of(path)}:{number}: {line.strip()}"
        for path in python_files(*PRODUCT)
        for number, line in enumerate(text_of(path).splitlines(), start=1)
        if LEFT_OVER.search(line)
    ]
    expect_none(findings, "what is not there yet is absent or refused, not left over")
