"""A real embedded cluster in a folder of the test's own: started, wounded, and always ended."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.kit import unixhttp
from tests.kit.oracle import Element, marked
from tests.kit.waiting import wait_for
from xcecli.kit.client import XceClient, connect
from xcecli.kit.settings import Address
from xcelib.errors import XceError
from xcelib.jobspec import JobSpec

QUICK = """\
lease_timeout: 2s
host_loss_grace: 5s
kill_grace: 1s
allow_root_jobs: true
"""
READY_S = 30.0


class Daemons:
    """`top` is the cluster's folder; `prefix` stands before `xceserver` (a mount namespace, say)."""

    def __init__(
        self, top: Path, *, slots: int = 8, environ: dict[str, str] | None = None, prefix: Sequence[str] = ()
    ) -> None:
        self.top = top
        self.oracle = top.parent / f"{top.name}.oracle"
        self._slots = slots
        self._environ = {**os.environ, **(environ or {})}
        self._prefix = list(prefix)
        self._up: subprocess.Popen[bytes] | None = None
        self._clients: list[XceClient] = []

    def __enter__(self) -> "Daemons":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for client in self._clients:
            client.close()
        self.kill_all()

    # --- starting and ending --------------------------------------------------------------------------------

    def configure(self, text: str = QUICK) -> None:
        folder = self.top / "config"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "xce.yaml").write_text(text, encoding="utf-8")

    def argv(self, *words: str) -> list[str]:
        return [*self._prefix, sys.executable, "-m", "xceserver.boot.main", *words, "--top", str(self.top)]

    def up(self, prefix: Sequence[str] | None = None) -> None:
        """Start and wait until the cluster is ready."""
        if prefix is not None:
            self._prefix = list(prefix)
        if self._up is not None:
            self._up.wait()  # it was killed before
        with self.log.open("ab") as log:
            self._up = subprocess.Popen(
                self.argv("up", "--slots", str(self._slots)), stdout=log, stderr=log, env=self._environ
            )
        wait_for("the cluster to be ready", self.is_ready, bool, limit_s=READY_S)

    @property
    def log(self) -> Path:
        return self.top.parent / f"{self.top.name}.log"

    def is_ready(self) -> bool:
        """Whether it answers; a cluster that has ended meanwhile fails at once, with what it said."""
        if self._up is not None and self._up.poll() is not None:
            raise AssertionError(f"the cluster ended: {self.log.read_text(errors='replace')[-2000:]}")
        try:
            return self.ask("GET", "/readyz")[0] == 200
        except OSError:
            return False

    def pids(self) -> dict[str, int]:
        """Of controller, scheduler, worker and up, as `up` has noted them."""
        record = json.loads((self.top / "run" / "up.json").read_text(encoding="utf-8"))
        return {**record["children"], "up": record["pid"]}

    def kill(self, name: str) -> None:
        """kill -9, and wait until another has taken its place and all is well."""
        before = self.pids()[name]
        os.kill(before, signal.SIGKILL)
        wait_for(f"another {name}", lambda: self.pids().get(name, before), lambda pid: pid != before)
        wait_for("the cluster to be ready", self.is_ready, bool, limit_s=READY_S)

    def kill_all(self) -> None:
        """kill -9 of everything that was started, launchers and supervisors as well as what they run."""
        if self._up is not None:
            self._up.kill()
            self._up.wait()
            self._up = None
        for pid in self._own_processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        wait_for("every process to be gone", self._own_processes, lambda pids: not pids)

    def _own_processes(self) -> list[int]:
        """Living processes that name the folder on their command line or in their environment."""
        entries = [entry for entry in Path("/proc").iterdir() if entry.name.isdigit()]
        return [int(e.name) for e in entries if int(e.name) != os.getpid() and _names(e, str(self.top))]

    # --- asking -----------------------------------------------------------------------------------------------

    def client(self) -> XceClient:
        made = connect(Address(self.top / "run" / "xce.sock", "test"))
        self._clients.append(made)
        return made

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, Any]:
        """One request, not repeated: (status, decoded body). OSError where nobody listens."""
        status, raw = unixhttp.ask(self.top / "run" / "xce.sock", method, f"/xce/v1{path}", body, headers)
        return status, json.loads(raw or b"null")

    def submit(self, *command: str, client: XceClient | None = None, **fields: Any) -> Element:
        """A job that marks its start and end in the oracle; XceError where it was not acknowledged."""
        spec = JobSpec(command=tuple(marked(command, oracle=self.oracle)), cwd="/", **fields)
        return Element((client or self.client()).submit(spec).job_id)

    def await_rest(self, *, limit_s: float = 60.0) -> None:
        """Wait until nothing waits and nothing runs."""

        def live() -> int:
            try:
                return len(self.ask("GET", "/jobs?all=true&limit=1000")[1]["jobs"])
            except (OSError, KeyError):
                return -1

        wait_for("all jobs to end", live, lambda count: count == 0, limit_s=limit_s)

    def ended(self, state: str) -> set[Element]:
        """Finished jobs in a state."""
        found: set[Element] = set()
        cursor = ""
        while True:
            page = self.ask("GET", f"/jobs?all=true&scope=finished&limit=1000{cursor}")[1]
            found |= {Element(row["id"]) for row in page["jobs"] if row["state"] == state}
            if page["cursor"] is None:
                return found
            cursor = f"&cursor={page['cursor']}"


def _names(entry: Path, text: str) -> bool:
    needle = text.encode()
    for name in ("cmdline", "environ"):
        with contextlib.suppress(OSError):
            if needle in (entry / name).read_bytes():
                return True
    return False


class Load:
    """Submits short jobs one after the other until it is stopped; remembers what was acknowledged."""

    def __init__(self, daemons: Daemons, *, pause_s: float = 0.02) -> None:
        self.acknowledged: set[Element] = set()
        self.refusals: list[str] = []
        self._daemons = daemons
        self._pause_s = pause_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> "Load":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        client = self._daemons.client()
        while not self._stop.wait(self._pause_s):
            try:
                self.acknowledged.add(self._daemons.submit("sleep", "0.05", client=client))
            except XceError as error:
                self.refusals.append(error.message)


@contextlib.contextmanager
def a_cluster(*, slots: int = 8, environ: dict[str, str] | None = None) -> Iterator[Daemons]:
    """A configured, running cluster with quick timers; its folder stays when the test fails."""
    folder = Path(tempfile.mkdtemp(prefix="xce-test-"))
    with Daemons(folder / "top", slots=slots, environ=environ) as daemons:
        daemons.configure()
        daemons.up()
        yield daemons
    subprocess.run(["rm", "-rf", str(folder)], check=True)


__all__ = ["Daemons", "Load", "XceError", "a_cluster"]
