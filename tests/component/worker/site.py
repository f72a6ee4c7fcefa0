"""One host of the tests: a real worker in processes of its own, and jobs that carry a mark to be found by."""

import itertools
import json
import os
import pwd
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from tests.component.worker.controller import Controller
from tests.kit.waiting import wait_for
from xceserver.peer import AttemptKey, StartInfo, WorkerHello

HOST: Final = "hosta"
MARK: Final = "WORKER_TEST_MARK"
_PROGRAM: Final = """
import json, sys
from pathlib import Path
from xceserver.worker.run import WorkerOptions, run_worker
given = json.loads(sys.argv[1])
paths = {name: Path(value) for name, value in given.items() if name == "socket" or name.endswith("_dir")}
sys.exit(run_worker(WorkerOptions(**given | paths)))
"""


class Site:
    """Folders, the controller's socket, and the worker's process, which may be killed and started again."""

    def __init__(self, root: Path, *, state: Path | None = None, spool: Path | None = None, **link: float) -> None:
        self.root = root
        self.work = root / "work"
        self._folders = {
            "state": state or root / "state",
            "run": root / "run",
            "spool": spool or root / "spool",
        }
        self.spool = self._folders["spool"] / HOST
        for folder in (root, self.work, *self._folders.values()):
            folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        self.log = root / "worker.log"
        self.controller = Controller(self._folders["run"] / "xce.sock", **link)
        self.prefix: Sequence[str] = ()  # words before the worker's own: another user, another boot id
        self.environ: dict[str, str] = {}  # the worker's own, beside what it needs
        self._job_ids = itertools.count(1)
        self._mark = f"{os.getpid()}.{root.name}"
        self._worker: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Site":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- the worker ------------------------------------------------------------------------------------------------

    def start_worker(self) -> WorkerHello:
        """Start the worker and wait for its hello."""
        hello_count = len(self.controller.heard(WorkerHello))
        given: dict[str, Any] = {f"{name}_dir": str(folder) for name, folder in self._folders.items()}
        given |= {"host": HOST, "slots": 4, "socket": str(self._folders["run"] / "xce.sock")}
        environ = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "SECRET": "no job sees me",
        }
        with self.log.open("ab") as log:
            self._worker = subprocess.Popen(
                [*self.prefix, sys.executable, "-c", _PROGRAM, json.dumps(given)],
                env=environ | self.environ,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
            )
        return self.controller.wait(WorkerHello, count=hello_count + 1, limit_s=20.0)

    @property
    def agent(self) -> int:
        return self.controller.heard(WorkerHello)[-1].pid

    def kill_agent(self) -> None:
        """`kill -9`, and nobody of the link is left."""
        assert self._worker is not None
        os.kill(self.agent, signal.SIGKILL)
        self._worker.wait()

    def stop_worker(self) -> int:
        """SIGTERM; returns its exit status."""
        assert self._worker is not None
        self._worker.send_signal(signal.SIGTERM)
        return self.wait_for_worker()

    def has_worker_ended(self) -> bool:
        return self._worker is None or self._worker.poll() is not None

    def wait_for_worker(self) -> int:
        """Wait until it ends by itself; returns its exit status."""
        assert self._worker is not None
        return self._worker.wait(timeout=15)

    def power_off(self) -> None:
        """Every process of the host at once: agent, launcher, supervisors, jobs."""
        if self._worker is not None and not self.has_worker_ended():
            self._worker.kill()
            self._worker.wait()
        wait_for("the end of all that was started", self._kill_all, lambda count: count == 0)

    def launcher(self) -> int:
        """The pid of the agent's one child."""
        return wait_for("the launcher", lambda: children_of(self.agent), lambda pids: len(pids) == 1)[0]

    def close(self) -> None:
        """End everything that the tests started: the worker, what is marked, and what watches that."""
        self.power_off()
        self.controller.close()

    def _kill_all(self) -> int:
        """Supervisors and launcher by their words, jobs by their mark; returns how many there were."""
        found = [pid for pid in pids() if self._is_ours(pid) and state_of(pid) not in "ZX"] + self.marked()
        for pid in found:
            _kill(pid)
        return len(found)

    def _is_ours(self, pid: int) -> bool:
        """A supervisor: a fork of the launcher, whose words name this site's folders."""
        words = _read(pid, "cmdline")
        return b"xceserver.worker" in words and str(self.root).encode() in words

    # --- jobs --------------------------------------------------------------------------------------------------------

    def job(self, *argv: str, index: int = 0, attempt: int = 1, user: str = "", **fields: Any) -> StartInfo:
        """An attempt of a new job, plain but for what is named; its processes carry the site's mark."""
        account = pwd.getpwnam(user) if user else pwd.getpwuid(os.getuid())
        plain: dict[str, Any] = {
            "name": "a job",
            "user": account.pw_name,
            "uid": account.pw_uid,
            "gid": account.pw_gid,
            "cwd": str(self.work),
            "hosts": ((HOST, 1),),
            "kill_grace_s": 5.0,
        }
        environ = {MARK: self._mark, "PATH": os.environ["PATH"], **fields.pop("job_env", {})}
        key = AttemptKey(next(self._job_ids), index, attempt)
        return StartInfo(key=key, argv=argv, job_env=environ, **(plain | fields))

    def shell(self, text: str, **fields: Any) -> StartInfo:
        return self.job("/bin/sh", "-c", text, **fields)

    def python(self, text: str, **fields: Any) -> StartInfo:
        return self.job(sys.executable, "-S", "-c", text, **fields)

    def marked(self, *, mark: str | None = None) -> list[int]:
        """Living processes of this site's jobs; with `mark`, of those with that text in their environment."""
        wanted = f"{MARK}={self._mark}".encode()
        found = ((pid, _read(pid, "environ")) for pid in pids())
        return [
            pid
            for pid, environ in found
            if wanted in environ and (mark is None or mark.encode() in environ) and state_of(pid) not in "ZX"
        ]

    def of_job(self, key: AttemptKey) -> list[int]:
        """Living processes of an attempt."""
        return self.marked(mark=f"XCE_JOB_ID={key.job_id}\0")

    def wait_for_stop(self, key: AttemptKey) -> None:
        """Until all processes of an attempt are stopped. One that waits for a child that it made with vfork cannot be
        (it shows `D`) while that child is."""
        wait_for(
            "a stopped job",
            lambda: {state_of(pid) for pid in self.of_job(key)},
            lambda states: "T" in states and states <= {"T", "D"},
        )


def pids() -> Iterator[int]:
    return (int(name) for name in os.listdir("/proc") if name.isdigit())


def children_of(pid: int) -> list[int]:
    return [child for child in pids() if parent_of(child) == pid]


def parent_of(pid: int) -> int:
    """0 where there is no such process."""
    fields = _stat(pid)
    return int(fields[1]) if fields else 0


def state_of(pid: int) -> str:
    """`X` where there is no such process."""
    fields = _stat(pid)
    return fields[0].decode() if fields else "X"


def _stat(pid: int) -> list[bytes]:
    return _read(pid, "stat").rpartition(b") ")[2].split()


def _read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
