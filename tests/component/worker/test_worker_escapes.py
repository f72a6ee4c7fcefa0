"""No process outlives its job: twelve escapes, all at once, for each of the ways in which a job ends (F24)."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.component.worker.escapes import WAYS
from tests.component.worker.site import Site, parent_of
from tests.kit.waiting import wait_for
from xcelib.states import EndReason
from xceserver.peer import Ended, Start, Started, StartInfo

SCRIPT = Path(__file__).with_name("escapes.py")
STAY = "exec tail -f /dev/null"
LIMIT_S = 20.0
needs_root = pytest.mark.needs("root")  # a new pid namespace


def escaping(site: Site, then: str, **fields: object) -> dict[str, StartInfo]:
    """One job for each escape; they are started, and the escapes are made, when this returns."""
    made = site.work / "made"
    jobs = {
        way: site.shell(f"{sys.executable} -S {SCRIPT} {way} {made}; {then}", kill_grace_s=0.3, **fields)
        for way in WAYS
    }
    site.controller.tell(*(Start(info) for info in jobs.values()))
    wait_for(
        "the escapes to be made", lambda: set(made.read_text().split()) if made.exists() else set(),
        lambda found: found == WAYS.keys(), limit_s=LIMIT_S,
    )  # fmt: skip
    return jobs


def ends_of(site: Site, jobs: dict[str, StartInfo]) -> dict[str, Ended]:
    """The ends; when one is there, no process of its job is."""
    found = {}
    for way, info in jobs.items():
        found[way] = site.controller.end_of(info.key, limit_s=LIMIT_S)
        assert site.of_job(info.key) == [], way
    assert site.marked() == []
    return found


@needs_root
@pytest.mark.parametrize("code", [0, 3])
def test_nothing_is_left_when_the_command_exits(site: Site, code: int) -> None:
    ends = ends_of(site, escaping(site, f"exit {code}"))
    assert {way: (end.exit_code, end.reason) for way, end in ends.items()} == dict.fromkeys(
        WAYS, (code, EndReason.NONE)
    )


@needs_root
@pytest.mark.parametrize("action", ["kill", "force"])
def test_nothing_is_left_when_the_job_is_killed(site: Site, action: str) -> None:
    jobs = escaping(site, STAY)
    for info in jobs.values():
        site.controller.kill(info.key, action)  # type: ignore[arg-type]  # two of the type
    assert {end.reason for end in ends_of(site, jobs).values()} == {EndReason.OWNER}


@needs_root
def test_nothing_is_left_at_the_run_limit(site: Site) -> None:
    ends = ends_of(site, escaping(site, STAY, limits={"run_time": 3}))
    assert {end.reason for end in ends.values()} == {EndReason.RUNLIMIT}


@needs_root
def test_nothing_is_left_at_the_memory_limit(site: Site) -> None:
    hog = f"exec {sys.executable} -S -c 'x = bytearray(150_000_000); import signal; signal.pause()'"
    ends = ends_of(site, escaping(site, hog, limits={"memory": 120_000_000}))
    assert {end.reason for end in ends.values()} == {EndReason.MEMLIMIT}


def supervisors(site: Site, jobs: dict[str, StartInfo]) -> list[int]:
    """Parents of the commands themselves."""
    return [parent_of(site.controller.wait(Started, info.key).pid) for info in jobs.values()]


def kill_supervisors(site: Site, jobs: dict[str, StartInfo]) -> None:
    for pid in supervisors(site, jobs):
        os.kill(pid, signal.SIGKILL)


def kill_supervisors_and_worker(site: Site, jobs: dict[str, StartInfo]) -> None:
    pids = supervisors(site, jobs)
    site.kill_agent()
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    site.start_worker()


@needs_root
@pytest.mark.parametrize("kill", [kill_supervisors, kill_supervisors_and_worker])
def test_nothing_is_left_when_supervisors_are_killed(
    site: Site, kill: Callable[[Site, dict[str, StartInfo]], None]
) -> None:
    jobs = escaping(site, STAY)
    kill(site, jobs)
    ends = ends_of(site, jobs)
    assert {(end.exit_code, end.reason) for end in ends.values()} == {(None, EndReason.SIGNAL)}
    assert all("supervisor" in end.text for end in ends.values())
