"""What makes bytes survive a power cut: sync, and records that replace a file as a whole."""

import os
from typing import Final

from xceserver.worker.frames import frame, read_frames

SKIP_FSYNC: Final = "XCE_TEST_SKIP_FSYNC"  # the power-cut test's negative control: with it, jobs must get lost


class Damaged(Exception):
    """A record's file does not hold one whole record."""


def is_sync_skipped() -> bool:
    return os.environ.get(SKIP_FSYNC) == "1"


def sync_file(fd: int) -> None:
    """The file's content is on disk when this returns."""
    if not is_sync_skipped():
        os.fdatasync(fd)


def sync_folder(fd: int) -> None:
    """The folder's names are on disk when this returns."""
    if not is_sync_skipped():
        os.fsync(fd)


def make_folder(path: str, *, mode: int) -> None:
    """Make a folder, its missing parents too, so that a power cut does not take it with all that is synced in it."""
    missing = []
    while not os.path.isdir(path):
        missing.append(path)
        path = os.path.dirname(path)
    for folder in reversed(missing):
        os.mkdir(folder, mode)
        _sync_at(os.path.dirname(folder))


def _sync_at(path: str) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        sync_folder(fd)
    finally:
        os.close(fd)


def write_record(folder: int, name: str, body: bytes) -> None:
    """Put one record into the folder (a descriptor), durably and as a whole: there or not there, never half."""
    temporary = f".{name}.new"
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
    try:
        write_all(fd, frame(body))
        sync_file(fd)
    finally:
        os.close(fd)
    os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    sync_folder(folder)


def read_record(folder: int, name: str) -> bytes | None:
    """The record's body, or None where there is none. Raises `Damaged`."""
    raw = read_file(folder, name)
    if raw is None:
        return None
    found = read_frames(raw)
    if len(found.bodies) != 1 or found.good_length != len(raw):
        raise Damaged(name)
    return found.bodies[0]


def read_file(folder: int, name: str) -> bytes | None:
    """The whole file, or None where there is none."""
    try:
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except FileNotFoundError:
        return None
    with open(fd, "rb") as file:
        return file.read()


def write_all(fd: int, content: bytes) -> None:
    """Write everything; a short write is gone on with."""
    view = memoryview(content)
    while view:
        view = view[os.write(fd, view) :]
