"""Imports that no contract of import-linter sees. Who may import whom stands in pyproject.toml."""

import ast
import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.tidy.source import ALL, PRODUCT, ROOT, expect_none, imports, name_of, python_files, tree_of

NEVER = {
    "server": "`server/` is a source root, no package: a second copy of every class would come of it",
    "click": "typer's own dependency; its internals are touched in one module of the clients' kit only",
    "pydantic": "121 ms at the start of every command",
}


def forbidden_imports(tree: ast.AST) -> list[str]:
    found = ((line, module.split(".")[0]) for line, module in imports(tree))
    return [f"{line}: `{top}`: {NEVER[top]}" for line, top in found if top in NEVER]


@pytest.mark.parametrize(
    ("source", "line"), [("import server.xcelib", 1), ("def f():\n    from click.core import Context", 2)]
)
def test_a_forbidden_import_is_found_wherever_it_stands(source: str, line: int) -> None:
    (finding,) = forbidden_imports(ast.parse(source))
    assert finding.startswith(f"{line}: ")


def test_nothing_imports_what_is_never_imported() -> None:
    findings = [
        f"{name_of(path)}:{finding}" for path in python_files(*ALL) for finding in forbidden_imports(tree_of(path))
    ]
    expect_none(findings, "these modules are never imported")


def test_every_package_of_the_product_says_that_it_is_one() -> None:
    roots = {ROOT / "server", ROOT / "server" / "xceserver" / "boot" / "templates"}
    folders = {path.parent for path in python_files(*PRODUCT)} - roots
    findings = [name_of(folder) for folder in sorted(folders) if not (folder / "__init__.py").exists()]
    expect_none(findings, "a package without __init__.py is not installed")


def test_the_source_root_is_no_package() -> None:
    assert not (ROOT / "server" / "__init__.py").exists()


def locked() -> dict[str, str]:
    lines = (ROOT / "requirements" / "dev.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("==") for line in lines if not line.startswith("#"))
    return {canonical(name): number for name, number in pairs}


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_dependency_has_a_locked_version_and_it_is_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [
        *project["dependencies"],
        *(row for rows in project["optional-dependencies"].values() for row in rows),
    ]
    names = {canonical(re.split(r"[<>=\[;! ]", row)[0]) for row in wanted} - {"xce"}
    versions = locked()
    assert names - versions.keys() == set(), "run `make lock`"
    assert {name: version(name) for name in names} == {name: versions[name] for name in names}


def test_the_changelog_tells_of_the_version_that_is_built() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    changelog = Path(ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## {project['version']}" in changelog
