"""What a job costs in fsyncs at 100 jobs a second: counted, not timed, so it holds on any machine."""

import contextlib
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit.daemons import Daemons, a_cluster
from tests.kit.waiting import wait_for
from xcelib.jobspec import JobSpec

pytestmark = [pytest.mark.system, pytest.mark.needs("strace", "root")]
JOBS = 500
BURST_ALLOWANCE = 0.1  # the first commits and syncs after a rest go out at once


@contextlib.contextmanager
def counted(pid: int, out: Path) -> Iterator[None]:
    """Write every fsync of a process, all its threads, to a file."""
    argv = ["strace", "-f", "-q", "-e", "trace=fsync,fdatasync", "-o", str(out), "-p", str(pid)]
    tracer = subprocess.Popen(argv, stderr=subprocess.DEVNULL)
    wait_for("strace to attach", lambda: f"TracerPid:\t{tracer.pid}" in Path(f"/proc/{pid}/status").read_text(), bool)
    try:
        yield
    finally:
        tracer.send_signal(signal.SIGINT)
        tracer.wait()


def pace(daemons: Daemons, *, count: int, interval_s: float) -> None:
    """Submit `true` at a steady rate, whatever an answer takes."""
    client = daemons.client()
    clock = threading.Event()
    begin = time.monotonic()
    for number in range(count):
        clock.wait(max(0.0, begin + number * interval_s - time.monotonic()))
        client.submit(JobSpec(command=("true",), cwd="/"))


def syncs(out: Path) -> int:
    return sum("sync(" in line for line in out.read_text().splitlines())


def test_a_job_costs_at_most_one_sync_of_the_controller_and_one_of_the_worker(tmp_path: Path) -> None:
    with a_cluster(slots=16) as daemons:
        pids = daemons.pids()
        files = {name: tmp_path / name for name in ("controller", "worker")}
        with contextlib.ExitStack() as stack:
            for name, out in files.items():
                stack.enter_context(counted(pids[name], out))
            halves = {"count": JOBS // 2, "interval_s": 0.02}
            streams = [threading.Thread(target=pace, args=(daemons,), kwargs=halves) for _ in range(2)]
            for stream in streams:
                stream.start()
            for stream in streams:
                stream.join()
            daemons.await_rest()
        assert len(daemons.ended("DONE")) == JOBS
        a_job = {name: syncs(out) / JOBS for name, out in files.items()}
        assert 0.0 < a_job["controller"] <= 1.0 + BURST_ALLOWANCE
        assert 0.0 < a_job["worker"] <= 1.0 + BURST_ALLOWANCE
