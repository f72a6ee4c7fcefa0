"""100,000 pending single jobs: what they cost in memory, in a listing, and at a restart."""

import json
import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from bench.figures import Measured, p50_ms
from bench.unixhttp import Link, request
from bench.xce import BIN, cluster

JOBS: Final = 100_000
BULK: Final = 1_000
READY_S: Final = 60.0
VARIABLES: Final = {f"SITE_VARIABLE_{number}": "/opt/site/some/where" for number in range(30)}  # as a shell has them


def resident_bytes(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) << 10
    raise RuntimeError(f"process {pid} tells no resident memory")


def controller_pid(link: Link) -> int:
    components = json.loads(link.ask(request("GET", "/xce/v1/status")))["components"]
    return next(int(row["pid"]) for row in components if row["name"] == "controller")


def _bulk(first: int) -> bytes:
    """Jobs that differ as real ones do: by command and name."""
    jobs: list[dict[str, Any]] = [
        {"command": ["./run.sh", f"case{n}"], "name": f"case{n}", "cwd": "/", "exdata": {"env": VARIABLES}}
        for n in range(first, first + BULK)
    ]
    return request("POST", "/xce/v1/jobs/bulk", body=json.dumps({"jobs": jobs}).encode(), key=f"pending-{first}")


def _until_ready_s(socket: Path) -> float:
    began = time.monotonic()
    while time.monotonic() - began < READY_S:
        try:
            with Link(socket) as link:
                if b"ready" in link.ask(request("GET", "/xce/v1/readyz")):
                    return time.monotonic() - began
        except (OSError, SystemExit):  # nobody listens yet, or it says that it is starting
            pass
        time.sleep(0.01)
    raise RuntimeError(f"the controller was not ready again within {READY_S} s")


def measure_pending() -> Measured:
    """`bytes_a_job` of the controller's resident memory, `jobs_ms` of `xcecli jobs`, `restart_s` after a kill -9."""
    with tempfile.TemporaryDirectory(prefix="bench-xce-") as folder, cluster(Path(folder)) as socket:
        with Link(socket) as link:
            link.ask(request("POST", "/xce/v1/queues/normal/inactivate", body=b"{}", key="pending-inactive"))
            pid = controller_pid(link)
            before = resident_bytes(pid)
            for first in range(0, JOBS, BULK):
                link.ask(_bulk(first))
            bytes_a_job = (resident_bytes(pid) - before) / JOBS
        environ = os.environ | {"XCE_SERVER": f"unix:{socket}"}
        listing = [str(BIN / "xcecli"), "jobs"]
        jobs_ms = p50_ms(
            lambda: subprocess.run(listing, env=environ, capture_output=True, check=True),
            clock=time.monotonic,
            repeats=10,
        )
        os.kill(pid, signal.SIGKILL)
        restart_s = _until_ready_s(socket)
    return {"bytes_a_job": bytes_a_job, "jobs_ms": jobs_ms, "restart_s": restart_s}
