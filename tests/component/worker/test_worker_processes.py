"""What holds for the worker's own processes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.component.worker.site import HOST, Site
from xceserver.peer import Start, Started, Suspended, WorkerHello
from xceserver.worker.local import CHUNK_MAX

FORBIDDEN = ("asyncio", "uvloop", "numpy", "threading", "subprocess", "multiprocessing", "concurrent", "logging")
_LIST_MODULES = "import json, sys, xceserver.worker.launcher; print(json.dumps(sorted(sys.modules)))"


def test_what_forks_has_loaded_nothing_that_makes_threads() -> None:
    environ = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PATH": os.environ["PATH"]}
    words = [sys.executable, "-s", "-P", "-c", _LIST_MODULES]
    listed = subprocess.run(words, env=environ, stdout=subprocess.PIPE, check=True).stdout
    loaded = {name.split(".")[0] for name in json.loads(listed)}
    assert "xceserver" in loaded
    assert loaded.isdisjoint(FORBIDDEN)


def test_launcher_and_supervisor_have_one_thread_while_they_work(site: Site) -> None:
    info = site.shell("sleep 100")
    site.controller.tell(Start(info))
    site.controller.wait(Started, info.key)
    launcher = site.launcher()
    supervisors = [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if _parent(pid) == launcher]
    assert len(supervisors) == 1
    for pid in (launcher, *supervisors):
        assert len(os.listdir(f"/proc/{pid}/task")) == 1


def test_a_supervisor_holds_none_of_the_launchers_files(site: Site) -> None:
    info = site.shell("sleep 100")
    site.controller.tell(Start(info))
    site.controller.wait(Started, info.key)
    (supervisor,) = [
        pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if _parent(pid) == site.launcher()
    ]
    held = [os.readlink(f"/proc/{supervisor}/fd/{fd}") for fd in os.listdir(f"/proc/{supervisor}/fd")]
    assert not [path for path in held if path.endswith(("launcher.lock", "agent.lock", "journal"))]
    assert [path for path in held if path.endswith(f"{info.key}/lock")]


def test_a_second_worker_of_a_host_is_refused_and_harms_nothing(site: Site) -> None:
    first = site.controller.heard(WorkerHello)[-1].pid
    info = site.shell("sleep 100")
    site.controller.tell(Start(info))
    site.controller.wait(Started, info.key)
    words = Path(f"/proc/{first}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
    environ = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PATH": os.environ["PATH"]}
    second = subprocess.run(words, env=environ, stderr=subprocess.PIPE, timeout=20, check=False)
    assert second.returncode == 1
    assert f"another worker of host `{HOST}` runs".encode() in second.stderr
    assert b"Traceback" not in second.stderr
    assert site.of_job(info.key)
    site.controller.kill(info.key, "force")
    assert site.controller.end_of(info.key).signal == 9


def test_a_stop_right_behind_the_start_is_not_lost(site: Site) -> None:
    infos = [site.shell("sleep 100", limits={"open_files": 100}) for _ in range(5)]
    for info in infos:
        site.controller.tell(Start(info))
        site.controller.kill(info.key, "stop")
    for info in infos:
        site.controller.wait(Suspended, info.key)
        site.wait_for_stop(info.key)


def test_the_largest_chunk_of_a_jobs_own_file_arrives_whole(site: Site) -> None:
    size = CHUNK_MAX + 1000
    end = site.controller.run(site.shell(f"head -c {size} /dev/zero | tr '\\0' x", stdout="big"))
    chunk = site.controller.read(end.key, limit=size)
    assert (len(chunk.data), chunk.size, chunk.error) == (CHUNK_MAX, size, "")
    assert len(site.controller.read(end.key, offset=CHUNK_MAX, limit=size).data) == 1000


def test_an_attempt_that_wrote_nothing_has_empty_output(site: Site) -> None:
    end = site.controller.run(site.job("true"))
    chunk = site.controller.read(end.key)
    assert (chunk.data, chunk.size, chunk.error) == (b"", 0, "")


@pytest.mark.parametrize("umask", [0o077, 0o777])
def test_a_jobs_umask_is_its_own_only(site: Site, umask: int) -> None:
    end = site.controller.run(site.shell("umask; touch made; echo kept", umask=umask))
    assert end.exit_code == 0
    assert site.controller.read(end.key).data == f"{umask:04o}\nkept\n".encode()
    assert (site.work / "made").stat().st_mode & 0o777 == 0o666 & ~umask


def _parent(pid: int) -> int:
    return int((_stat(pid) or ["", "0"])[1])


def _state(pid: int) -> str:
    return (_stat(pid) or ["X"])[0]


def _stat(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(") ")[2].split()
    except OSError:
        return []
