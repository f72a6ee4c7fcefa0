"""A disk whose power a test can cut: only what was fsynced is there afterwards (see `powercut_tree`)."""

import contextlib
import ctypes
import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
_CONTROL: Final = "user.powercut"
_ANSWER_LIMIT_S: Final = 20.0
_MNT_FORCE, _MNT_DETACH = 1, 2


class PowerCutDisk:
    """The handle of one mounted disk; made by `power_cut_disk`."""

    def __init__(self, path: Path, server: subprocess.Popen[str]) -> None:
        self.path = path
        self._server = server
        self._await_line()

    def cut(self, *, seed: int | None = None) -> None:
        """The power goes, between two operations: from now on every operation fails with EIO.

        Without `seed` nothing unsynced survives. With one, each unsynced 512-byte sector survives or not
        by chance, as on a disk that wrote some of its cache in an order of its own.
        """
        self._control(powered=False, seed=seed)

    def cut_at_sync(self, count: int, *, seed: int | None = None) -> None:
        """The power goes when the `count`-th sync from now is on the disk, before its caller hears of it."""
        self._control(syncs_until_cut=count, seed=seed)

    def restore(self) -> None:
        """The power is back: what was kept is mounted again. End the processes that used the disk before.

        One that was left over holds dead descriptors (ENOTCONN), never the new files.
        """
        _unmount(self.path)
        self._await_line()

    def settle(self) -> None:
        """Make everything durable as it stands, like `sync` of the whole disk."""
        self._control(settle=True)

    def set_capacity(self, size_bytes: int) -> None:
        """From now on growth beyond `size_bytes` fails with ENOSPC."""
        self._control(capacity=size_bytes)

    def sync_counts(self) -> dict[str, int]:
        """How many syncs of files (`fsync`) and folders (`fsyncdir`) were asked for so far."""
        return self._control()

    def close(self) -> None:
        """Unmount and end the server; never fails because of what the test left open."""
        _end(self._server, self.path)

    def _control(self, **request: object) -> dict[str, int]:
        os.setxattr(self.path, _CONTROL, json.dumps(request).encode())
        return self._await_line()

    def _await_line(self) -> dict[str, int]:
        stdout = self._server.stdout
        assert stdout is not None
        if not select.select([stdout], [], [], _ANSWER_LIMIT_S)[0]:
            raise AssertionError(f"the power-cut disk did not answer within {_ANSWER_LIMIT_S} s")
        line = stdout.readline()
        assert line, f"the power-cut disk ended with status {self._server.wait()}; is fuse3 installed?"
        answer: dict[str, int] = json.loads(line)
        return answer


@contextlib.contextmanager
def power_cut_disk(path: Path, *, lying: bool = False) -> Iterator[PowerCutDisk]:
    """Mount an empty disk on the new folder `path`.

    `lying` is the negative control of every durability test: fsync answers at once and keeps nothing, so a
    test that still passes on such a disk proves nothing.
    """
    path.mkdir()
    command = [sys.executable, "-m", "tests.kit.powercut_server", str(path), *(["--lying"] if lying else [])]
    environment = os.environ | {"FUSE_LIBRARY_NAME": "fuse3"}  # mfusepy takes libfuse 2 where both are there
    server = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    )
    try:
        disk = PowerCutDisk(path, server)
    except BaseException:  # also a timeout of the test's: nothing may stay mounted
        _end(server, path)
        raise
    try:
        yield disk
    finally:
        disk.close()


def _end(server: subprocess.Popen[str], path: Path) -> None:
    _unmount(path)
    server.terminate()
    try:
        server.wait(timeout=5)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
    _unmount(path)  # it may have mounted again in between
    assert server.stdout is not None
    server.stdout.close()


def _unmount(path: Path) -> None:
    """Abort the connection and detach the mount, whoever still uses it; nothing to unmount is fine."""
    if os.getuid() == 0:
        ctypes.CDLL(None, use_errno=True).umount2(os.fsencode(path), _MNT_FORCE | _MNT_DETACH)
    else:
        command = ["fusermount3", "-u", "-z", "-q", str(path)]
        subprocess.run(command, check=False, stderr=subprocess.DEVNULL)
