"""`xceserver up`, `status`, `down`: the embedded cluster of one machine."""

import json
import os
import platform
import signal
import socket
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from xcelib.errors import BadConfiguration, ExitStatus, Unreachable, XceError
from xceserver.boot.children import Child, Minder, python_argv, spawn
from xceserver.boot.topdir import TopDir, is_locked, lock, refuse_what_is_not_read

READY_S = 30.0
DOWN_S = 30.0


def up(top: TopDir, *, slots: int | None, environ: Mapping[str, str]) -> int:
    """Run the cluster in the foreground until SIGTERM or Ctrl-C."""
    top.make()
    lock(top.run / "up.lock", what="a cluster")
    refuse_what_is_not_read(top)
    build_first_configuration(top, environ)
    host = platform.node().split(".")[0]
    words = ("--top", str(top.path))
    worker = ("worker", *words, "--host", host, *(("--slots", str(slots)) if slots else ()))
    children = [
        Child("controller", python_argv("controller", *words), str(top.log / "controller.log")),
        Child("scheduler", python_argv("scheduler", *words), str(top.log / "scheduler.log")),
        Child("worker", python_argv(*worker), str(top.log / "worker.log")),
    ]
    minder = Minder(children, environ, lambda text: print(f"xceserver: {text}", file=sys.stderr, flush=True))
    greeting = _Greeting(top)
    return minder.run(ready=lambda: greeting.look(minder.pids()))


class _Greeting:
    """Notes who runs for `status`, and says once that the cluster is ready."""

    def __init__(self, top: TopDir) -> None:
        self._top = top
        self._noted: dict[str, int] = {}
        self._is_said = False

    def look(self, pids: dict[str, int]) -> None:
        if pids != self._noted:
            self._noted = dict(pids)
            record = {"pid": os.getpid(), "children": pids}
            beside = self._top.up_record.with_suffix(".new")
            beside.write_text(json.dumps(record), encoding="utf-8")
            beside.replace(self._top.up_record)
        if not self._is_said and is_ready(self._top):
            self._is_said = True
            print(f"xceserver: ready at unix:{self._top.socket}", file=sys.stderr, flush=True)


def detach(top: TopDir, *, slots: int | None, environ: Mapping[str, str]) -> int:
    """Start `up` on its own and return when the cluster is ready."""
    top.make()
    if is_locked(top.run / "up.lock"):
        lock(top.run / "up.lock", what="a cluster")  # raises, and names who has it
    words = ["up", "--top", str(top.path), *(["--slots", str(slots)] if slots else [])]
    log = top.log / "up.log"
    start = log.stat().st_size if log.exists() else 0
    pid = spawn(python_argv(*words), log=str(log), environ=environ, is_leader=True)
    end = time.monotonic() + READY_S
    while time.monotonic() < end:
        if is_ready(top):
            print(f"xceserver: ready at unix:{top.socket} (pid {pid})")
            return 0
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            sys.stderr.write(log.read_text(encoding="utf-8", errors="replace")[start:])
            return os.waitstatus_to_exitcode(status) or ExitStatus.REFUSED
        time.sleep(0.02)
    os.kill(pid, signal.SIGTERM)
    raise Unreachable(f"the cluster was not ready within {READY_S:.0f} s", hints=[f"look into `{top.log}`"])


def build_first_configuration(top: TopDir, environ: Mapping[str, str]) -> None:
    """Build `config/` into the first generation where there is none (10-config).

    The YAML reader is the administrator's client; the server runs it as a program and reads only the
    built document.
    """
    if top.database.exists() or not any(top.config.glob("*.yaml")):
        return
    document = str(top.first_configuration)
    argv = (sys.executable, "-m", "xceadmin.main", "config", "build", str(top.config), "-o", document)
    log = top.log / "config-build.log"
    log.unlink(missing_ok=True)
    _, status = os.waitpid(spawn(argv, log=str(log), environ=environ), 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise BadConfiguration(
            f"the configuration in `{top.config}` has errors",
            detail=log.read_text(encoding="utf-8", errors="replace").rstrip(),
            hints=["mend it and start again; `xceadmin config check` shows the same"],
        )


def ask(top: TopDir, path: str) -> tuple[int, Any]:
    """One GET to the controller: (HTTP status, decoded body). Raises OSError where nobody listens."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(5.0)
        connection.connect(str(top.socket))
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: xce\r\nConnection: close\r\n\r\n".encode())
        raw = b"".join(iter(lambda: connection.recv(65536), b""))
    head, _, body = raw.partition(b"\r\n\r\n")
    return int(head.split(b" ", 2)[1]), json.loads(body or b"null")


def is_ready(top: TopDir) -> bool:
    try:
        return ask(top, "/xce/v1/readyz")[0] == 200
    except (OSError, ValueError, IndexError):
        return False


def status(top: TopDir, *, is_json: bool) -> int:
    """Each component with pid, address and health; exit 0 only when all is well."""
    rows = _status_rows(top)
    is_well = all(row["state"] == "ok" for row in rows)
    if is_json:
        print(json.dumps({"schema": "xce.status/1", "top": str(top.path), "components": rows}))
    else:
        width = max(len(row["name"]) for row in rows)
        for row in rows:
            pid = row.get("pid") or "-"
            print(
                f"{row['name']:<{width}}  {row['state']:<5} pid {pid:<8} {row.get('address', '')} {row.get('text', '')}".rstrip()
            )
    return ExitStatus.OK if is_well else ExitStatus.UNREACHABLE


def _status_rows(top: TopDir) -> list[dict[str, Any]]:
    is_up = is_locked(top.run / "up.lock")
    record = _record(top) if is_up else {}
    rows: list[dict[str, Any]] = [
        {
            "name": "xceserver up",
            "pid": record.get("pid"),
            "state": "ok" if is_up else "down",
            "address": str(top.path),
        }
    ]
    try:
        code, found = ask(top, "/xce/v1/status")
        if code != 200:
            raise ValueError(code)
    except (OSError, ValueError, IndexError):
        rows.append({"name": "controller", "pid": None, "state": "down", "address": f"unix:{top.socket}"})
        return rows
    for row in found["components"]:
        if row["name"] == "controller":
            row["address"] = f"unix:{top.socket}"
        rows.append(row)
    return rows


def _record(top: TopDir) -> dict[str, Any]:
    try:
        record: dict[str, Any] = json.loads(top.up_record.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return record


def down(top: TopDir) -> int:
    """Stop the daemons; running jobs go on and are adopted by the next `up`."""
    if not is_locked(top.run / "up.lock"):
        raise XceError(f"no cluster runs on `{top.path}`", code="not_running", hints=["start one with `xceserver up`"])
    pid = int((top.run / "up.lock").read_text(encoding="ascii").strip() or 0)
    descriptor = os.pidfd_open(pid)
    try:
        if not is_locked(top.run / "up.lock"):
            return 0  # it ended by itself just now
        signal.pidfd_send_signal(descriptor, signal.SIGTERM)
    finally:
        os.close(descriptor)
    end = time.monotonic() + DOWN_S
    while is_locked(top.run / "up.lock"):
        if time.monotonic() > end:
            raise XceError(f"pid {pid} did not stop within {DOWN_S:.0f} s", code="did_not_stop")
        time.sleep(0.02)
    print(f"xceserver: the cluster on {top.path} is down; running jobs go on")
    return 0


def absolute(path: Path) -> Path:
    return path.expanduser().absolute()
