"""The rule of process creation, on snippets that break it and that keep it, and on the server itself."""

from pathlib import Path

import pytest

from tests.tidy.process_rule import FORKING_PLACES, broken_rules, judge, main
from tests.tidy.source import ROOT, expect_none, python_files, text_of

BAD = {
    "fork": "import os\nos.fork()",
    "fork passed on": "import os\nmake = os.fork\nmake()",
    "fork under another name": "from os import fork as f\nf()",
    "os under another name": "import os as o\no.forkpty()",
    "os assigned": "import os\no = os\no.system('x')",
    "os assigned twice": "import os\no = os\np = o\np.system('x')",
    "posix": "import posix\nposix.fork()",
    "fork of a C library": "import ctypes\nctypes.CDLL(None).fork()",
    "vfork of a C library": "libc.vfork()",
    "all of os": "from os import *",
    "system": "import os\nos.system('true')",
    "popen": "from os import popen",
    "spawn": "import os\nos.spawnvp(os.P_WAIT, 'x', ['x'])",
    "fork by name": "import os\ngetattr(os, 'fork')()",
    "system by name": "import os as o\ngetattr(o, 'system')",
    "pty": "import pty",
    "pty.fork": "from pty import fork",
    "subprocess": "import subprocess",
    "subprocess inside a function": "def f():\n    from subprocess import run\n    run(['x'])",
    "subprocess under another name": "import subprocess as s\ns.run(['x'])",
    "subprocess by name": "import importlib\nimportlib.import_module('subprocess')",
    "subprocess by __import__": "__import__('subprocess')",
    "subprocess's own maker": "from _posixsubprocess import fork_exec",
    "asyncio exec": "import asyncio\nasync def f():\n    await asyncio.create_subprocess_exec('x')",
    "asyncio exec, imported": "from asyncio import create_subprocess_exec as run",
    "asyncio shell": "import asyncio as a\na.create_subprocess_shell",
    "asyncio.subprocess": "import asyncio.subprocess",
    "from asyncio.subprocess": "from asyncio.subprocess import create_subprocess_exec",
    "loop": "async def f(loop):\n    await loop.subprocess_exec(P, 'x')",
    "loop of a call": "get_running_loop().subprocess_shell(P, 'x')",
    "multiprocessing": "import multiprocessing",
    "multiprocessing's part": "from multiprocessing.shared_memory import SharedMemory",
    "pool": "from concurrent.futures import ProcessPoolExecutor",
    "pool of the module": "import concurrent.futures as cf\ncf.ProcessPoolExecutor()",
    "pool's own module": "import concurrent.futures.process",
    "spawn with a mask": "import os, signal\nos.posix_spawn('x', ['x'], {}, setsigmask=[signal.SIGHUP], setsigdef=[])",
    "spawn without a mask": "import os\nos.posix_spawn('x', ['x'], {}, setsigdef=[1])",
    "spawn without dispositions": "from os import posix_spawnp\nposix_spawnp('x', ['x'], {}, setsigmask=[])",
    "spawn passed on": "import os\nspawn = os.posix_spawn",
    "a mark where nothing forks": "x = 1  # xce-fork-ok: it is not needed here",
}

GOOD = {
    "spawn": "import os\nos.posix_spawn('x', ['x'], {}, setsigmask=[], setsigdef=ALL)",
    "exec": "import os\nos.execve('x', ['x'], {})",
    "platform.system": "import platform\nplatform.system()",
    "threads": "import concurrent.futures\nconcurrent.futures.ThreadPoolExecutor()",
    "a function called fork": "def fork_task():\n    pass\nfork_task()",
    "os.path": "import os.path\nos.path.join('a', 'b')",
    "a word about it": "'never os.fork(), nor subprocess'",
    "waiting": "import os\nos.waitpid(-1, 0)",
}

FORK = """import os
def start():
    {above}
    pid = os.fork(){mark}
    return pid
"""
MARK = "  # xce-fork-ok: one thread, asserted above"
PROOF = "assert_single_threaded()"


@pytest.mark.parametrize("name", BAD)
def test_a_finding_is_made_when_a_process_is_created_elsewhere(name: str) -> None:
    assert broken_rules(BAD[name], is_forking_place=False)


@pytest.mark.parametrize("name", GOOD)
def test_nothing_is_found_when_the_rule_is_kept(name: str) -> None:
    assert broken_rules(GOOD[name], is_forking_place=False) == []


@pytest.mark.parametrize("name", sorted(BAD.keys() - {"fork"}))
def test_a_forking_place_may_do_no_more_than_fork(name: str) -> None:
    assert broken_rules(BAD[name], is_forking_place=True)


@pytest.mark.parametrize("above", [PROOF, "single.assert_single_threaded()", "assert len(ls('/proc/self/task')) == 1"])
def test_a_marked_and_asserted_fork_is_accepted_where_forks_may_be(above: str) -> None:
    assert broken_rules(FORK.format(above=above, mark=MARK), is_forking_place=True) == []


@pytest.mark.parametrize(
    ("above", "mark", "words"),
    [
        (PROOF, "", "without `# xce-fork-ok"),
        (PROOF, "  # xce-fork-ok:", "without `# xce-fork-ok"),
        (PROOF, "  # xce-fork-ok: fine", "without `# xce-fork-ok"),
        ("pass", MARK, "without `assert_single_threaded()`"),
        ("def inner(): assert_single_threaded()", MARK, "without `assert_single_threaded()`"),
    ],
)
def test_a_fork_is_refused_without_mark_reason_or_assertion(above: str, mark: str, words: str) -> None:
    (finding,) = broken_rules(FORK.format(above=above, mark=mark), is_forking_place=True)
    assert finding.startswith("4: ")
    assert words in finding


def test_a_fork_is_refused_when_the_assertion_comes_after_it() -> None:
    source = f"import os\ndef start():\n    os.fork(){MARK}\n    {PROOF}"
    assert len(broken_rules(source, is_forking_place=True)) == 1


def test_a_marked_fork_is_refused_outside_the_forking_places() -> None:
    findings = broken_rules(FORK.format(above=PROOF, mark=MARK), is_forking_place=False)
    assert any("uses `os.fork`" in finding for finding in findings)
    assert any("a mark does not help here" in finding for finding in findings)


def test_a_finding_names_its_line() -> None:
    assert broken_rules("\n\nimport os\n\nos.system('x')", is_forking_place=False) == ["5: uses `os.system`"]


def a_tree(root: Path, name: str, source: str) -> Path:
    path = root / name
    path.parent.mkdir(parents=True)
    path.write_text(source, encoding="utf-8")
    return path


def test_the_command_fails_and_names_the_place_when_the_server_breaks_the_rule(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a_tree(tmp_path, "server/xceserver/agent.py", "import os\nos.fork()")
    assert main([], root=tmp_path) == 1
    assert capsys.readouterr().out == "server/xceserver/agent.py:2: uses `os.fork`\n"


def test_the_command_leaves_out_what_is_not_the_servers(tmp_path: Path) -> None:
    path = a_tree(tmp_path, "xcecli/editor.py", "import subprocess")
    assert main([str(path)], root=tmp_path) == 0


def test_a_fork_is_accepted_in_a_forking_place_of_the_tree(tmp_path: Path) -> None:
    source = FORK.format(above=PROOF, mark=MARK)
    a_tree(tmp_path, "server/xceserver/worker/launcher.py", source)
    assert main([], root=tmp_path) == 0


def test_the_server_keeps_the_rule() -> None:
    expect_none(judge(python_files("server")), "children start with os.posix_spawn")


def test_the_forking_places_exist_and_fork() -> None:
    silent = [name for name in sorted(FORKING_PLACES) if "os.fork()" not in text_of(ROOT / name)]
    expect_none(silent, "a module that does not fork is no forking place")
