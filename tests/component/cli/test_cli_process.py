"""The real program: what a start loads, closed streams and pipes, servers that are not there."""

import fcntl
import os
import signal
import socket
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping
from pathlib import Path
from typing import IO

import pytest

from tests.kit.waiting import wait_for

HEAVY = {
    "httpx", "rich", "yaml", "asyncio", "starlette", "numpy", "tomli_w", "pydantic", "click", "email", "ssl", "pygments",
    "importlib_metadata", "http",
}  # fmt: skip
# What a start may load; a new import that every start pays for is seen here.
HELP_MODULES_MAX = 235
DRY_RUN_MODULES_MAX = 235


def run(
    *argv: str, environ: Mapping[str, str] = {}, inp: bytes | None = b"", module: str = "xcecli.main"
) -> subprocess.CompletedProcess[bytes]:
    env = {**os.environ, "COLUMNS": "80", **environ}
    return subprocess.run([sys.executable, "-m", module, *argv], capture_output=True, check=False, env=env, input=inp)


def modules_of(*argv: str, program: str = "xcecli") -> set[str]:
    """All modules that one run has loaded at its end."""
    code = (
        f"import sys; from {program}.main import main; from xcecli.kit.io import real_io\n"
        f"main({list(argv)!r}, real_io()); print('LOADED', *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.rpartition("LOADED ")[2].split())


def heavy(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules} & HEAVY


@pytest.mark.parametrize("argv", [["--help"], ["submit", "--help"], ["preset", "--help"], ["jobs", "--help"]])
def test_help_loads_nothing_heavy(argv: list[str]) -> None:
    modules = modules_of(*argv)
    assert heavy(modules) == set()
    assert len(modules) <= HELP_MODULES_MAX


def test_help_loads_no_command() -> None:
    assert [name for name in modules_of("--help") if name.startswith("xcecli.commands.")] == []
    assert [name for name in modules_of("--help", program="xceadmin") if name.startswith("xceadmin.commands.")] == []


def test_a_dry_run_loads_no_network() -> None:
    modules = modules_of("submit", "--dry-run", "-M", "1G", "--", "true")
    assert heavy(modules) == set()
    assert len(modules) <= DRY_RUN_MODULES_MAX


def test_the_administrators_help_loads_nothing_heavy() -> None:
    assert heavy(modules_of("--help", program="xceadmin")) == set()
    assert heavy(modules_of("config", "--help", program="xceadmin")) == set()


def test_no_cluster_is_told_with_how_to_start_one(tmp_path: Path) -> None:
    ran = run("jobs", environ={"XCE_TOP": str(tmp_path)})
    assert ran.returncode == 69
    assert ran.stderr.decode() == (
        f"xcecli: error: no answer from unix:{tmp_path}/run/xce.sock: [Errno 2] No such file or directory\n"
        "hint: look with `xceserver status`, start a cluster with `xceserver up`\n"
        "hint: or choose another with `--server`\n"
    )
    assert ran.stdout == b""


def test_a_socket_that_nobody_listens_on_is_unreachable(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
        ran = run("--server", f"unix:{path}", "jobs")
    assert ran.returncode == 69
    assert b"Connection refused" in ran.stderr


def test_an_address_longer_than_any_socket_is_unreachable() -> None:
    ran = run("--server", f"unix:/{'x' * 200}", "jobs")
    assert (ran.returncode, b"Traceback" in ran.stderr) == (69, False)


@pytest.mark.parametrize(
    ("server", "status", "word"),
    [
        ("nonsense", 2, "--server: `nonsense` is no address"),
        ("unix:", 2, "--server: `unix:` is no address"),
        ("https://hpc.example.org", 2, "servers over the network are not supported yet"),
    ],
)
def test_a_wrong_address_is_usage(server: str, status: int, word: str) -> None:
    ran = run("--server", server, "jobs")
    assert ran.returncode == status
    assert word in ran.stderr.decode()


def test_a_reader_that_goes_away_is_no_failure() -> None:
    command = [sys.executable, "-m", "xcecli.main", "submit", "--dry-run", "--env", f"A={'x' * 100_000}", "--", "true"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(1) == b"{"
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_leave_no_traceback(closed: str, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    command = f'exec "$0" -m xcecli.main submit --dry-run -- true 2>{kept} {closed}'
    done = subprocess.run(["sh", "-c", command, sys.executable], capture_output=True, check=False)
    assert done.returncode == 0
    assert kept.read_bytes() == b""


def test_a_script_that_is_not_utf8_on_standard_input_is_told() -> None:
    ran = run("submit", "--dry-run", inp=b"#!/bin/sh\n\xff\n")
    assert ran.returncode in (1, 2)
    assert b"Traceback" not in ran.stderr
    assert b"UTF-8" in ran.stderr


def test_colours_are_never_written_to_a_file_whatever_is_forced() -> None:
    for argv in (["--help"], ["submit", "--help"], ["nonsense"]):
        ran = run(*argv, environ={"FORCE_COLOR": "1", "NO_COLOR": ""})
        assert b"\x1b" not in ran.stdout + ran.stderr


def test_an_interrupt_ends_with_its_status() -> None:
    # A shell that starts a background job ignores interrupts, and so would all that it starts.
    command = ["env", "--default-signal=INT", sys.executable, "-m", "xcecli.main", "submit", "--dry-run"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(b"#!/bin/sh\n")
        process.stdin.flush()
        wait_for("the client to read", lambda: _unread(process.stdin), lambda count: count == 0)
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == b""
    assert process.returncode == 130


def _unread(pipe: IO[bytes] | None) -> int:
    """How many bytes wait in the pipe."""
    assert pipe is not None
    (count,) = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))
    return int(count)
