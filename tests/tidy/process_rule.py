"""Process creation in the server, judged from the syntax tree (60-execution).

The daemons may have threads, so they never fork: children start with `os.posix_spawn`, with an empty signal mask and
default dispositions. The launcher and the supervisor have one thread and may fork, each place marked
`# xce-fork-ok: <why>` and standing below an assertion that the process has one thread.

    python tests/tidy/process_rule.py [FILE ...]      the server's files by default; status 1 if a rule is broken
"""

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
FORKING_PLACES: Final = frozenset({"server/xceserver/worker/launcher.py", "server/xceserver/worker/tasks.py"})

FORBIDDEN_MODULES: Final = ("subprocess", "_posixsubprocess", "multiprocessing", "pty", "concurrent.futures.process")
OS_MODULES: Final = ("os", "posix")
OS_MAKERS: Final = frozenset({"fork", "forkpty", "vfork", "system", "popen"})
OTHER_MAKERS: Final = frozenset(
    {
        "asyncio.create_subprocess_exec",
        "asyncio.create_subprocess_shell",
        "asyncio.subprocess",
        "concurrent.futures.ProcessPoolExecutor",
        "anyio.run_process",
        "anyio.open_process",
    }
)
# Whatever stands before the dot: these names mean a new process on any object (a loop, a C library, an alias).
MAKERS_ON_ANYTHING: Final = frozenset(
    {"fork", "forkpty", "vfork", "popen", "subprocess_exec", "subprocess_shell", "ProcessPoolExecutor"}
    | {"create_subprocess_exec", "create_subprocess_shell"}
)
SPAWNS: Final = frozenset({f"{module}.{name}" for module in OS_MODULES for name in ("posix_spawn", "posix_spawnp")})
IMPORTERS: Final = frozenset({"__import__", "importlib.import_module", "importlib.__import__"})
MARK: Final = re.compile(r"#\s*xce-fork-ok:(?P<why>.*)$")
ONE_THREAD: Final = "assert_single_threaded"
WHY_WORDS_MIN: Final = 3

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Names:
    """What the names of a module stand for: imports under any name, and plain assignments of those."""

    def __init__(self, tree: ast.AST) -> None:
        self._meanings: dict[str, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    whole, first = alias.name, alias.name.split(".")[0]
                    self._meanings[alias.asname or first] = whole if alias.asname else first
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    self._meanings[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        for node in ast.walk(tree):  # after the imports, whichever stands first
            if isinstance(node, ast.Assign) and (meaning := self.meaning(node.value)):
                self._meanings |= {target.id: meaning for target in node.targets if isinstance(target, ast.Name)}

    def meaning(self, node: ast.expr) -> str:
        """The dotted name that an expression stands for, or "" where it stands for something else."""
        if isinstance(node, ast.Name):
            return self._meanings.get(node.id, "")
        if isinstance(node, ast.Attribute):
            base = self.meaning(node.value)
            return f"{base}.{node.attr}" if base else ""
        return ""


def makes_process(name: str) -> bool:
    """Whether a dotted name is one that makes processes, or belongs to a module for it."""
    module, _, last = name.rpartition(".")
    if any(name == forbidden or name.startswith(f"{forbidden}.") for forbidden in FORBIDDEN_MODULES):
        return True
    if module in OS_MODULES:
        return last in OS_MAKERS or last.startswith("spawn")
    return name in OTHER_MAKERS or any(name.startswith(f"{other}.") for other in OTHER_MAKERS)


def broken_rules(source: str, *, is_forking_place: bool) -> list[str]:
    """Every place of a module that breaks the rule, as `line: what`."""
    tree = ast.parse(source)
    names = Names(tree)
    marks = marks_of(source)
    forks = {node.lineno for node in _expressions(tree) if _is_fork(node, names)}
    findings = [*_imports(tree), *_uses(tree, names), *_hidden(tree, names), *_spawns(tree, names)]
    if is_forking_place:
        findings = [finding for finding in findings if finding[0] not in forks]
        findings += _forks(tree, names, marks)
    findings += [(line, "a mark `xce-fork-ok` where nothing may or does fork") for line in marks.keys() - forks]
    if not is_forking_place:
        findings += [(line, "a mark does not help here: only the launcher and the supervisor fork") for line in marks]
    return [f"{line}: {text}" for line, text in sorted(set(findings))]


Finding = tuple[int, str]


def marks_of(source: str) -> dict[int, str]:
    """The marks by their line, with the reason that each gives."""
    found = ((number, MARK.search(line)) for number, line in enumerate(source.splitlines(), start=1))
    return {number: match.group("why").strip() for number, match in found if match}


def _imports(tree: ast.AST) -> Iterator[Finding]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names if makes_process(alias.name)]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found = [f"{node.module}.{alias.name}" for alias in node.names]
            found = [name for name in found if makes_process(name) or _is_all_of_os(name)]
        else:
            continue
        yield from ((node.lineno, f"imports `{name}`") for name in found)


def _is_all_of_os(name: str) -> bool:
    return name in {f"{module}.*" for module in (*OS_MODULES, "asyncio", "concurrent.futures")}


def _uses(tree: ast.AST, names: Names) -> Iterator[Finding]:
    """Any mention counts, not only a call: a maker that is passed on is called elsewhere."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name):
            meaning = names.meaning(node)
            is_maker = makes_process(meaning) if meaning else _is_maker_on_anything(node)
            if is_maker:
                yield node.lineno, f"uses `{ast.unparse(node)}`"


def _is_maker_on_anything(node: ast.Attribute | ast.Name) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in MAKERS_ON_ANYTHING


def _hidden(tree: ast.AST, names: Names) -> Iterator[Finding]:
    """Makers behind a text: `getattr(os, "fork")`, `import_module("subprocess")`."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = names.meaning(node.func) or ast.unparse(node.func)
        texts = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        if called in IMPORTERS and any(makes_process(text) for text in texts):
            yield node.lineno, f"imports by name: `{ast.unparse(node)}`"
        if called == "getattr" and any(_is_maker_of(names.meaning(node.args[0]), text) for text in texts):
            yield node.lineno, f"reaches by name: `{ast.unparse(node)}`"


def _is_maker_of(module: str, text: str) -> bool:
    return text in MAKERS_ON_ANYTHING or makes_process(f"{module}.{text}")


def _spawns(tree: ast.AST, names: Names) -> Iterator[Finding]:
    """`posix_spawn` is called where it is named, with an empty mask and with dispositions to reset."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and names.meaning(node.func) in SPAWNS]
    for call in calls:
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        mask = given.get("setsigmask")
        if not isinstance(mask, ast.List | ast.Tuple | ast.Set) or mask.elts:
            yield call.lineno, "`posix_spawn` without an empty `setsigmask=[]`"
        if "setsigdef" not in given:
            yield call.lineno, "`posix_spawn` without `setsigdef=`"
    called = {id(call.func) for call in calls}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name) and names.meaning(node) in SPAWNS and id(node) not in called:
            yield node.lineno, f"`{ast.unparse(node)}` is passed on: its mask cannot be judged here"


def _expressions(tree: ast.AST) -> Iterator[ast.expr]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.expr))


def _is_fork(node: ast.expr, names: Names) -> bool:
    return names.meaning(node) in {f"{name}.fork" for name in OS_MODULES}


def _forks(tree: ast.AST, names: Names, marks: dict[int, str]) -> Iterator[Finding]:
    """In a forking place: each fork is a marked call below an assertion in its own function."""
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node, function in _with_function(tree, None):
        if not isinstance(node, ast.expr) or not _is_fork(node, names):
            continue
        line = node.lineno
        if id(node) not in called:
            yield line, f"`{ast.unparse(node)}` is passed on: a fork is called where it is marked"
        if len(marks.get(line, "").split()) < WHY_WORDS_MIN:
            yield line, "a fork without `# xce-fork-ok: <why>` on its line"
        if function is None or not any(_asserts_one_thread(inner, before=line) for inner in _own_nodes(function)):
            yield line, f"a fork without `{ONE_THREAD}()` above it in its function"


def _with_function(node: ast.AST, function: Function | None) -> Iterator[tuple[ast.AST, Function | None]]:
    """Every node with the innermost function around it."""
    for child in ast.iter_child_nodes(node):
        yield child, function
        yield from _with_function(child, child if isinstance(child, Function) else function)


def _own_nodes(function: Function) -> Iterator[ast.AST]:
    """The nodes of a function, those of functions within it not counted."""
    return (node for node, owner in _with_function(function, function) if owner is function)


def _asserts_one_thread(node: ast.AST, *, before: int) -> bool:
    if isinstance(node, ast.Call):
        return ast.unparse(node.func).rpartition(".")[2] == ONE_THREAD and node.lineno < before
    return isinstance(node, ast.Assert) and "/proc/self/task" in ast.unparse(node.test) and node.lineno < before


def judge(paths: Sequence[Path], *, root: Path = ROOT) -> list[str]:
    """The findings of all files, as `file:line: what`, the files named from the root of the tree."""
    findings = []
    for path in paths:
        name = path.resolve().relative_to(root).as_posix()
        rest = broken_rules(path.read_text(encoding="utf-8"), is_forking_place=name in FORKING_PLACES)
        findings += [f"{name}:{finding}" for finding in rest]
    return findings


def main(words: Sequence[str], *, root: Path = ROOT) -> int:
    """Judge the files named, those outside the server left out: clients and tests may make processes."""
    server = root / "server"
    asked = [Path(word).resolve() for word in words] or sorted(server.rglob("*.py"))
    findings = judge([path for path in asked if path.is_relative_to(server) and path.suffix == ".py"], root=root)
    for finding in findings:
        print(finding)
    if findings:
        print("children start with os.posix_spawn; see the head of tests/tidy/process_rule.py", file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
