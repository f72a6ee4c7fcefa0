"""What is read back is what was kept; damage is named, never guessed at."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit.builders import ANN, ROOT, Cluster, some
from xcelib.jobspec import ArraySpec
from xceserver.core import commands as cmd
from xceserver.core.apply import Touched, apply_all
from xceserver.core.decide import consequences
from xceserver.core.state import ClusterState
from xceserver.sim.cluster import _records
from xceserver.sim.disk import NAME, SimDisk
from xceserver.store.database import DamagedStore, Reader, recover
from xceserver.store.records import DamagedRecord, pack, unpack_job
from xceserver.store.writer import rows_of


class Kept(Cluster):
    """The core with a disk: every command's transaction is written."""

    def __init__(self) -> None:
        self.disk = SimDisk()
        self.seq = 0
        super().__init__()

    def do(self, command: cmd.AnyCommand) -> object:
        self.now += 1.0
        decision = self.rules.decide(self.state, command, now=self.now)
        touched = Touched()
        applied, todo = [], list(decision.events)
        while todo:
            apply_all(self.state, todo, touched)
            applied += todo
            todo = list(consequences(self.state, touched, now=self.now))
        self.events += applied
        if applied:
            self.disk.write(rows_of(touched, applied, seq=self.seq + 1, at=self.now))
            self.seq += len(applied)
        return decision.answer


@pytest.fixture
def kept() -> Iterator[Kept]:
    cluster = Kept()
    yield cluster
    cluster.disk.close()


def test_recovery_reads_what_was_live(kept: Kept) -> None:
    array = kept.submit(array=ArraySpec(ranges=((1, 9, 2),), limit=3), labels={"k": "v"})
    kept.start(array, count=2)
    first = kept.submit(hold=True)
    kept.submit(depends=f"done({first})")
    kept.run(kept.submit())
    kept.do(cmd.SetHost(actor=ROOT, host="h1", state="closed", why="x"))
    recovered, _ = recover(kept.disk.connection, NAME)
    assert _records(recovered) == _records(kept.state)
    assert recovered.next_job_id == kept.state.next_job_id


def test_the_records_are_the_fold_of_the_events(kept: Kept) -> None:
    array = kept.submit(array=ArraySpec(ranges=((1, 4, 1),)), requeue_exit_codes=(3,), max_requeue=1)
    key = kept.start(array, count=2)
    kept.end(key, exit_code=3)
    kept.submit(depends=f"ended({array})")
    kept.do(cmd.Kill(actor=ANN, selections=(cmd.Selection(array, some(4)),)))
    kept.do(cmd.HostLeaseExpired("h1"))
    folded = ClusterState(kept.state.config)
    apply_all(folded, kept.events, Touched())
    assert _records(folded) == _records(kept.state)
    assert _records(recover(kept.disk.connection, NAME)[0]) == _records(folded)


def test_a_finished_job_that_others_wait_for_is_read_again(kept: Kept) -> None:
    first, second = kept.submit(), kept.submit(hold=True)
    third = kept.submit(depends=f"done({first}) && done({second})")
    kept.run(first)
    recovered, _ = recover(kept.disk.connection, NAME)
    assert recovered.jobs[first].is_final
    assert recovered.dependents[first] == {third}


def test_a_spec_is_kept_beside_its_job(kept: Kept) -> None:
    job_id = kept.submit("echo", "hello")
    raw = Reader(kept.disk.connection, NAME).spec(job_id)
    assert raw is not None
    assert b"hello" in raw


@pytest.mark.parametrize("table", ["jobs", "elements", "hosts"])
def test_damage_of_a_record_is_named(kept: Kept, table: str) -> None:
    kept.start(kept.submit())
    key = {"jobs": "id", "elements": "job_id", "hosts": "name"}[table]
    (name, body), *_ = kept.disk.connection.execute(f"SELECT {key}, body FROM {table}").fetchall()
    broken = bytes([*body[:-1], body[-1] ^ 1])
    kept.disk.connection.execute(f"UPDATE {table} SET body = ? WHERE {key} = ?", (broken, name))
    with pytest.raises(DamagedStore, match=str(name)):
        recover(kept.disk.connection, Path("x.db"))


@pytest.mark.parametrize("raw", [b"", b"\0" * 64, b"\0\0\0\0"])
def test_an_empty_or_zeroed_record_is_never_valid(raw: bytes) -> None:
    with pytest.raises(DamagedRecord):
        unpack_job(raw)


def test_every_flipped_bit_of_a_record_is_found(kept: Kept) -> None:
    job = kept.state.jobs[kept.submit()]
    raw = pack(job)
    for position in range(len(raw) * 8):
        broken = bytearray(raw)
        broken[position // 8] ^= 1 << position % 8
        with pytest.raises(DamagedRecord):
            unpack_job(bytes(broken))


def test_a_job_id_is_never_given_twice_even_when_old_jobs_are_deleted(kept: Kept) -> None:
    last = kept.submit(actor=ANN)
    kept.run(last)
    kept.disk.connection.execute("INSERT OR REPLACE INTO meta VALUES ('last_job_id', ?)", (str(last),))
    kept.disk.connection.execute("DELETE FROM jobs")
    recovered, _ = recover(kept.disk.connection, NAME)
    assert recovered.next_job_id == last + 1


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    from xceserver.store.database import open_database

    path = tmp_path / "xce.db"
    path.write_bytes(b"not a database, not at all" * 100)
    with pytest.raises(DamagedStore, match=r"xce\.db"):
        open_database(path, cluster_uuid=lambda: "u")
    assert path.read_bytes().startswith(b"not a database")


def test_a_database_of_a_newer_format_is_refused(tmp_path: Path) -> None:
    from xcelib.errors import XceError
    from xceserver.store.database import open_database

    path = tmp_path / "xce.db"
    open_database(path, cluster_uuid=lambda: "u").close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE meta SET value = '99' WHERE key = 'format'")
    connection.close()
    with pytest.raises(XceError, match="format 99"):
        open_database(path, cluster_uuid=lambda: "u")
