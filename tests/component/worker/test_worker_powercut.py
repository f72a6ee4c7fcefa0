"""The power goes: what began is known afterwards, never begun again, and its end is not guessed (F3)."""

import contextlib
import random
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from tests.component.worker.site import Site
from tests.kit.mounts import new_boot_id, with_boot_id
from tests.kit.powercut import PowerCutDisk, power_cut_disk
from tests.kit.waiting import wait_for
from xcelib.states import EndReason
from xceserver.peer import AttemptKey, Ended, Start, Started, StartInfo, WorkerHello

pytestmark = pytest.mark.needs("fuse3", "root")
JOB_COUNT = 10
FAILED = 70


def a_site(root: Path, disk: PowerCutDisk) -> Site:
    """All that the worker writes is on the disk; what its jobs write is not, so that it tells what ran."""
    site = Site(root / "host", state=disk.path / "state", spool=disk.path / "spool")
    disk.settle()  # the folders that the worker was given; what it makes in them it must sync itself
    return site


def running(site: Site) -> list[StartInfo]:
    """Jobs that have begun, and said so outside of the disk."""
    infos = [site.shell("echo $XCE_JOB_ID >> began; exec tail -f /dev/null") for _ in range(JOB_COUNT)]
    site.controller.tell(*(Start(info) for info in infos))
    for info in infos:
        site.controller.wait(Started, info.key)
    wait_for("the jobs' words", lambda: began(site), lambda found: len(found) == JOB_COUNT)
    return infos


def began(site: Site) -> list[int]:
    path = site.work / "began"
    return [int(word) for word in path.read_text().split()] if path.exists() else []


def reboot(site: Site, disk: PowerCutDisk, *, seed: int = 0) -> set[AttemptKey]:
    """The power was cut: start again with another boot id; returns what the worker still knows."""
    site.power_off()
    disk.restore()
    site.prefix = with_boot_id([], boot_id=new_boot_id(site.root, rng=random.Random(seed)))
    return known(site.start_worker())


def known(hello: WorkerHello) -> set[AttemptKey]:
    return {attempt.key for attempt in hello.attempts}


def test_every_attempt_that_began_is_known_after_a_power_cut(tmp_path: Path) -> None:
    with power_cut_disk(tmp_path / "disk") as disk, a_site(tmp_path, disk) as site:
        site.start_worker()
        infos = running(site)
        disk.cut()
        site.controller.acknowledges = False
        assert reboot(site, disk) == {info.key for info in infos}
        ends = [site.controller.end_of(info.key) for info in infos]
        assert {(end.exit_code, end.reason) for end in ends} == {(None, EndReason.HOST_LOST)}
        site.controller.tell(*(Start(info) for info in infos))
        assert site.controller.run(site.shell("exit 0")).exit_code == 0
        assert sorted(began(site)) == sorted(info.key.job_id for info in infos)


def test_attempts_are_lost_when_nothing_is_synced(tmp_path: Path) -> None:
    """The negative control: with the switch that skips every sync the test above must fail."""
    with power_cut_disk(tmp_path / "disk") as disk, a_site(tmp_path, disk) as site:
        site.environ["XCE_TEST_SKIP_FSYNC"] = "1"
        site.start_worker()
        infos = running(site)
        disk.cut()
        assert reboot(site, disk) < {info.key for info in infos}
        assert "DURABILITY_IS_OFF" in site.log.read_text()


@pytest.mark.parametrize("count", range(1, 9))
def test_the_power_may_go_at_every_sync(tmp_path: Path, count: int) -> None:
    with power_cut_disk(tmp_path / "disk") as disk, a_site(tmp_path, disk) as site:
        site.start_worker()
        disk.cut_at_sync(count)
        while not site.has_worker_ended():
            info = site.shell("echo $XCE_JOB_ID >> began")
            with contextlib.suppress(ConnectionClosed):
                if site.controller.is_linked:
                    site.controller.tell(Start(info))
                    wait_for_end(site, info)
        assert site.wait_for_worker() == FAILED
        found = reboot(site, disk, seed=count)
        told = {end.key for end in site.controller.heard(Ended)}
        assert set(began(site)) <= {key.job_id for key in found | told}
        assert len(began(site)) == len(set(began(site)))
        for key in found:
            site.controller.end_of(key)


def wait_for_end(site: Site, info: StartInfo) -> None:
    """Of the attempt, or of the worker."""
    wait_for("an end", lambda: site.has_worker_ended() or site.controller.heard(Ended, info.key), bool, limit_s=20.0)
