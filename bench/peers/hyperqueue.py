"""HyperQueue, one worker of 64 slots, through its Python interface: no fsync, no supervisors, no output kept.

Run as `python -m bench.peers.hyperqueue ELEMENTS` in namespaces of its own (see `alone`), with the package
`hyperqueue` of the Python index importable.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from hyperqueue import Job, LocalCluster
from hyperqueue.cluster import WorkerConfig

from bench.figures import SINGLES, SLOTS, Measured, p50_ms
from bench.peers.alone import raise_loopback

LAST_OF_ALL: Final = -1  # a priority: started when nothing else waits


class Bell:
    """A pipe that a task rings: `wait_for_jobs` looks only once a second."""

    def __init__(self, top: Path) -> None:
        self._pipe = top / "bell"
        os.mkfifo(self._pipe)

    def job(self, *, priority: int = 0) -> Any:
        job = Job()
        job.program(["sh", "-c", f"echo >{self._pipe}"], stdout=None, stderr=None, priority=priority)
        return job

    def wait(self) -> None:
        self._pipe.read_bytes()


def _a_job(tasks: int) -> Any:
    job = Job()
    for _ in range(tasks):
        job.program(["true"], stdout=None, stderr=None)
    return job


def _rate(client: Any, bell: Bell, jobs: Sequence[Any], *, tasks: int) -> tuple[float, float]:
    """(submits, tasks run) a second; the bell rings when the last of them has at least been started."""
    began = time.monotonic()
    submitted = [client.submit(job) for job in jobs]
    submit_s = time.monotonic() - began
    client.submit(bell.job(priority=LAST_OF_ALL))
    bell.wait()
    run_s = time.monotonic() - began
    client.wait_for_jobs(submitted)  # raises if one failed
    return len(jobs) / submit_s, tasks / run_s


def measure(client: Any, elements: int, top: Path) -> Measured:
    one, bell = _a_job(1), Bell(top)
    client.wait_for_jobs([client.submit(one)])
    submit_rate, singles = _rate(client, bell, [one] * SINGLES, tasks=SINGLES)
    _, array = _rate(client, bell, [_a_job(elements)], tasks=elements)
    submit_ms = p50_ms(lambda: client.submit(one), clock=time.monotonic, repeats=100)
    client.wait_for_jobs([client.submit(one)])

    def run() -> None:
        client.submit(bell.job())
        bell.wait()

    return {
        "singles": singles,
        "array": array,
        "submit_ms": submit_ms,
        "submit_rate": submit_rate,  # one client: its interface is not for several threads
        "until_run_ms": p50_ms(run, clock=time.monotonic, repeats=30),
    }


def main() -> None:
    raise_loopback()
    with (
        tempfile.TemporaryDirectory(prefix="bench-hq-", ignore_cleanup_errors=True) as top,
        LocalCluster(top, WorkerConfig(cores=SLOTS)) as cluster,
    ):
        figures = measure(cluster.client(), int(sys.argv[1]), Path(top))
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
