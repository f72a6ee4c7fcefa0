"""The power-cut disk through the kernel: what only a real mount can show. Its rules are in unit tests."""

import contextlib
import fcntl
import mmap
import os
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit.powercut import PowerCutDisk, power_cut_disk

pytestmark = pytest.mark.needs("fuse3")
WRITER = Path(__file__).with_name("sqlite_writer.py")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[PowerCutDisk]:
    with power_cut_disk(tmp_path / "disk") as disk:
        yield disk


def write_synced(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def cut_and_restore(disk: PowerCutDisk, *, seed: int | None = None) -> None:
    disk.cut(seed=seed)
    disk.restore()


def test_what_was_synced_survives_and_the_rest_is_gone(disk: PowerCutDisk) -> None:
    write_synced(disk.path / "kept", b"kept")
    sync_folder(disk.path)
    with (disk.path / "kept").open("ab") as file:
        file.write(b" and lost")
    write_synced(disk.path / "no-entry", b"lost")
    cut_and_restore(disk)
    assert {path.name: path.read_bytes() for path in disk.path.iterdir()} == {"kept": b"kept"}


def test_every_operation_fails_when_the_power_is_off(disk: PowerCutDisk) -> None:
    with (disk.path / "file").open("wb", buffering=0) as file:
        disk.cut()
        with pytest.raises(OSError, match="Input/output error"):
            file.write(b"x")
        with pytest.raises(OSError, match="Input/output error"):
            os.fsync(file.fileno())
        with pytest.raises(OSError, match="Input/output error"):
            os.listdir(disk.path)
    disk.restore()
    assert os.listdir(disk.path) == []


def test_a_replacement_is_all_or_nothing_when_the_power_is_cut(disk: PowerCutDisk) -> None:
    target, fresh = disk.path / "file", disk.path / "file.new"
    write_synced(target, b"old")
    sync_folder(disk.path)
    write_synced(fresh, b"new")
    fresh.rename(target)
    assert target.read_bytes() == b"new"
    cut_and_restore(disk)
    assert target.read_bytes() == b"old"
    write_synced(fresh, b"new")
    fresh.rename(target)
    sync_folder(disk.path)
    cut_and_restore(disk)
    assert (target.read_bytes(), fresh.exists()) == (b"new", False)


def test_a_replacement_loses_the_bytes_when_the_new_file_was_not_synced(disk: PowerCutDisk) -> None:
    write_synced(disk.path / "file", b"old")
    (disk.path / "file.new").write_bytes(b"new")
    (disk.path / "file.new").rename(disk.path / "file")
    sync_folder(disk.path)
    cut_and_restore(disk)
    assert (disk.path / "file").read_bytes() == b""


def test_folders_and_removals_follow_their_parent_when_it_is_synced(disk: PowerCutDisk) -> None:
    (disk.path / "a" / "b").mkdir(parents=True)
    (disk.path / "gone").mkdir()
    sync_folder(disk.path)
    (disk.path / "gone").rmdir()
    cut_and_restore(disk)
    assert sorted(path.name for path in disk.path.rglob("*")) == ["a", "gone"]


def test_settled_means_everything_survives(disk: PowerCutDisk) -> None:
    (disk.path / "a").mkdir()
    (disk.path / "a" / "file").write_bytes(b"x")
    (disk.path / "a" / "link").symlink_to("file")
    (disk.path / "a" / "hard").hardlink_to(disk.path / "a" / "file")
    disk.settle()
    cut_and_restore(disk)
    assert (disk.path / "a" / "link").read_bytes() == b"x"
    assert (disk.path / "a" / "hard").stat().st_nlink == 2


def test_a_write_on_a_synchronous_descriptor_survives(disk: PowerCutDisk) -> None:
    (disk.path / "file").touch()
    sync_folder(disk.path)
    descriptor = os.open(disk.path / "file", os.O_WRONLY | os.O_APPEND | os.O_DSYNC)
    os.write(descriptor, b"mark\n")
    os.close(descriptor)
    cut_and_restore(disk)
    assert (disk.path / "file").read_bytes() == b"mark\n"


def test_a_shared_mapping_survives_when_it_was_flushed(disk: PowerCutDisk) -> None:
    write_synced(disk.path / "file", bytes(8192))
    sync_folder(disk.path)
    with (disk.path / "file").open("r+b") as file, mmap.mmap(file.fileno(), 8192) as mapping:
        mapping[0:4] = b"kept"
        mapping.flush()
        assert (disk.path / "file").read_bytes()[:4] == b"kept"
    cut_and_restore(disk)
    assert (disk.path / "file").read_bytes()[:4] == b"kept"


def test_a_sync_is_kept_but_not_told_when_the_power_goes_in_it(disk: PowerCutDisk) -> None:
    (disk.path / "file").write_bytes(b"")
    disk.settle()
    disk.cut_at_sync(2)
    with (disk.path / "file").open("wb", buffering=0) as file:
        file.write(b"one")
        os.fsync(file.fileno())
        file.write(b"two")
        with pytest.raises(OSError, match="Input/output error"):
            os.fsync(file.fileno())
    disk.restore()
    assert (disk.path / "file").read_bytes() == b"onetwo"


def test_chance_decides_over_unsynced_sectors_when_the_cut_has_a_seed(disk: PowerCutDisk) -> None:
    write_synced(disk.path / "file", b"old" * 4096)
    sync_folder(disk.path)
    with (disk.path / "file").open("r+b") as file:
        file.write(b"new" * 4096)
    cut_and_restore(disk, seed=7)
    body = (disk.path / "file").read_bytes()
    assert len(body) == 3 * 4096
    assert b"newnew" in body
    assert b"oldold" in body


def test_locks_hold_between_processes(disk: PowerCutDisk) -> None:
    (disk.path / "lock").touch()
    with (disk.path / "lock").open("r+b") as file:
        for kind in ("flock", "lockf"):
            getattr(fcntl, kind)(file, fcntl.LOCK_EX)
            attempt = f"import fcntl, sys; fcntl.{kind}(open(sys.argv[1], 'r+b'), fcntl.LOCK_EX | fcntl.LOCK_NB)"
            command = [sys.executable, "-S", "-c", attempt, str(disk.path / "lock")]
            held = subprocess.run(command, stderr=subprocess.PIPE, check=False)
            getattr(fcntl, kind)(file, fcntl.LOCK_UN)
            free = subprocess.run(command, stderr=subprocess.PIPE, check=False)
            assert (b"BlockingIOError" in held.stderr, free.returncode) == (True, 0), kind


def test_a_socket_is_served_from_the_disk(disk: PowerCutDisk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(disk.path)  # a socket's address is short, a test's folder may be long
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind("socket")
        server.listen()
        client.connect("socket")
        served, _ = server.accept()
        with served:
            served.sendall(b"hello")
        assert client.recv(5) == b"hello"


def test_an_open_file_is_usable_when_it_has_no_name_left(disk: PowerCutDisk) -> None:
    with (disk.path / "file").open("w+b", buffering=0) as file:
        (disk.path / "file").unlink()
        assert os.listdir(disk.path) == []
        file.write(b"0123456789")
        file.truncate(4)
        assert os.fstat(file.fileno()).st_size == 4
        assert os.pread(file.fileno(), 10, 0) == b"0123"


def test_growth_is_refused_when_the_disk_is_full_and_heals_when_room_is_made(disk: PowerCutDisk) -> None:
    (disk.path / "big").write_bytes(bytes(60_000))
    disk.set_capacity(100_000)
    with pytest.raises(OSError, match="No space left"):
        (disk.path / "more").write_bytes(bytes(60_000))
    (disk.path / "big").unlink()
    (disk.path / "more").write_bytes(bytes(60_000))
    room = os.statvfs(disk.path)
    assert room.f_bavail * room.f_frsize <= 40_000


def test_it_takes_500_syncs_a_second(disk: PowerCutDisk) -> None:
    with (disk.path / "file").open("wb", buffering=0) as file:
        began = time.monotonic()
        for _ in range(500):
            file.write(b"x" * 100)
            os.fsync(file.fileno())
        assert time.monotonic() - began < 1.0
    assert disk.sync_counts()["fsync"] == 500


def test_the_mount_is_gone_at_the_end_though_a_file_is_open(tmp_path: Path) -> None:
    with power_cut_disk(tmp_path / "disk") as disk:
        left_open = os.open(disk.path / "file", os.O_CREAT | os.O_WRONLY)
    assert not os.path.ismount(tmp_path / "disk")
    with pytest.raises(OSError, match="not connected"):
        os.write(left_open, b"x")
    with contextlib.suppress(OSError):
        os.close(left_open)


def numbers_after_a_cut(disk: PowerCutDisk, *, synchronous: str) -> tuple[set[int], set[int]]:
    """Commit under load, cut, look; returns (acknowledged, found). The writer dies by the cut or by us."""
    database = disk.path / "numbers.db"
    command = [sys.executable, "-S", str(WRITER), str(database), synchronous]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as writer:
        assert writer.stdout is not None
        acknowledged = {int(writer.stdout.readline()) for _ in range(50)}
        disk.cut()
        writer.kill()
        acknowledged |= {int(line) for line in writer.stdout}
    disk.restore()
    return acknowledged, found_numbers(database)


def found_numbers(database: Path) -> set[int]:
    if not database.exists():
        return set()
    with contextlib.closing(sqlite3.connect(database)) as connection:
        assert connection.execute("pragma integrity_check").fetchone() == ("ok",)
        if not connection.execute("select 1 from sqlite_master where name = 'numbers'").fetchone():
            return set()
        return {value for (value,) in connection.execute("select value from numbers")}


def test_no_acknowledged_commit_is_lost_when_sqlite_syncs(disk: PowerCutDisk) -> None:
    acknowledged, found = numbers_after_a_cut(disk, synchronous="full")
    assert acknowledged <= found
    assert len(found - acknowledged) <= 1  # at most the one that was on its way


def test_commits_are_lost_when_sqlite_does_not_sync(disk: PowerCutDisk) -> None:
    acknowledged, found = numbers_after_a_cut(disk, synchronous="off")
    assert acknowledged - found


def test_commits_are_lost_when_the_disk_lies(tmp_path: Path) -> None:
    with power_cut_disk(tmp_path / "disk", lying=True) as disk:
        acknowledged, found = numbers_after_a_cut(disk, synchronous="full")
    assert acknowledged - found
