"""The power goes under load (F3): what was acknowledged is known afterwards, and nothing runs twice.

State and spool lie on a disk that forgets what was not fsynced; each start after a cut sees another boot id, as
after a reboot. The negative control skips fsync: there the same cut must lose jobs, or the test proves nothing.
"""

import contextlib
import random
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit.daemons import Daemons, Load
from tests.kit.mounts import new_boot_id, with_boot_id
from tests.kit.oracle import Element, doubles, read_marks, reruns
from tests.kit.powercut import PowerCutDisk, power_cut_disk
from xcelib.errors import XceError

pytestmark = [
    pytest.mark.system,
    pytest.mark.needs("fuse3", "root"),
    pytest.mark.filterwarnings("ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning"),
]
SEED = 20261201
CUTS = 30


@contextlib.contextmanager
def a_cluster_on(folder: Path, disk: PowerCutDisk, environ: dict[str, str] | None = None) -> Iterator[Daemons]:
    """A cluster whose durable folders lie on the disk; sockets, logs and the oracle do not."""
    top = folder / "top"
    top.mkdir()
    for name in ("state", "spool"):
        (disk.path / name).mkdir(mode=0o711)
        (top / name).symlink_to(disk.path / name)
    disk.settle()
    with Daemons(top, environ=environ) as daemons:
        daemons.configure()
        yield daemons


def power_cut(daemons: Daemons, disk: PowerCutDisk, *, seed: int | None) -> None:
    """The power goes and comes back; everything that ran is gone."""
    disk.cut(seed=seed)
    daemons.kill_all()
    disk.restore()


def known(daemons: Daemons) -> set[Element]:
    """Every job that the cluster knows of."""
    rows = daemons.ask("GET", "/jobs?all=true&scope=both&limit=1000")[1]["jobs"]
    newest = max((row["id"] for row in rows), default=0)
    found = {Element(row["id"]) for row in rows}
    for job_id in range(1, newest + 1):
        if Element(job_id) not in found and daemons.ask("GET", f"/jobs/{job_id}")[0] == 200:
            found.add(Element(job_id))
    return found


def test_30_power_cuts_lose_no_acknowledged_job_and_start_none_twice() -> None:
    rng = random.Random(SEED)
    folder = Path(tempfile.mkdtemp(prefix="xce-power-"))
    acknowledged: set[Element] = set()
    moment = threading.Event()
    with power_cut_disk(folder / "disk") as disk, a_cluster_on(folder, disk) as daemons:
        for number in range(CUTS):
            daemons.up(with_boot_id([], boot_id=new_boot_id(folder, rng=rng)))
            with Load(daemons, pause_s=0.005) as load:
                moment.wait(rng.uniform(0.1, 0.6))
                disk.cut(seed=None if number % 2 else rng.getrandbits(32))
            acknowledged |= load.acknowledged
            daemons.kill_all()
            disk.restore()
        daemons.up(with_boot_id([], boot_id=new_boot_id(folder, rng=rng)))
        daemons.await_rest()
        marks = read_marks(daemons.oracle)
        assert len(acknowledged) > CUTS
        assert acknowledged - known(daemons) == set()
        assert (doubles(marks), reruns(marks)) == (set(), set())


def test_the_same_cut_loses_jobs_when_fsync_is_skipped() -> None:
    rng = random.Random(SEED)
    folder = Path(tempfile.mkdtemp(prefix="xce-power-"))
    skipping = {"XCE_TEST_SKIP_FSYNC": "1"}
    with power_cut_disk(folder / "disk") as disk, a_cluster_on(folder, disk, skipping) as daemons:
        daemons.up(with_boot_id([], boot_id=new_boot_id(folder, rng=rng)))
        client = daemons.client()
        acknowledged = {daemons.submit("true", client=client, hold=True) for _ in range(20)}
        power_cut(daemons, disk, seed=None)
        try:
            daemons.up(with_boot_id([], boot_id=new_boot_id(folder, rng=rng)))
            lost = acknowledged - known(daemons)
        except (AssertionError, XceError):
            lost = acknowledged  # what is left of the database cannot even be opened
        assert lost
