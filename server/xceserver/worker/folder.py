"""An attempt's folder in the spool: its names, its lock, its sockets' addresses.

<spool>/<job>.<index>.<attempt>/   from the launch until the end is acknowledged
    lock      flocked by the supervisor for as long as it lives; its content is the boot id,
              and `begun` once user code may have run
    ctl       datagram socket: what the agent tells the supervisor
    end       the end, written only by a supervisor whose agent does not answer
    files     where the job's own output files are
    out       kept output
    script, hosts, dir    what the job sees: its script, its host file, its private folder
<spool>/one-host   the host file of all attempts that have one task, here
<spool>/done/<job>.<index>.<attempt>/   afterwards: what `logs` reads
"""

import errno
import fcntl
import itertools
import os
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from xceserver.peer import AttemptKey

LOCK: Final = "lock"
CTL: Final = "ctl"
ONE_HOST_FILE: Final = "one-host"
END: Final = "end"
FILES: Final = "files"
OUT: Final = "out"
SCRIPT: Final = "script"
HOST_FILE: Final = "hosts"
PRIVATE: Final = "dir"
DONE: Final = "done"
LOST_AND_FOUND: Final = "lost+found"
COOKIE: Final = "XCE_ATTEMPT_COOKIE"

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NAME = re.compile(r"(\d{1,18})\.(\d{1,7})\.(\d{1,9})\Z", re.ASCII)


def key_of(name: str) -> AttemptKey | None:
    """The attempt that a folder's name tells, or None for a name of something else."""
    match = _NAME.match(name)
    return AttemptKey(*map(int, match.groups())) if match else None


def open_folder(path: str, *, within: int | None = None) -> int:
    """A descriptor of the folder itself, never of one that a link leads to. Raises `OSError`."""
    return os.open(path, _FOLDER, dir_fd=within)


def cookie_of(folder: int, key: AttemptKey) -> str:
    """What every process of the attempt has in its environment: unique on the machine while the folder lives."""
    status = os.fstat(folder)
    return f"{status.st_dev:x}.{status.st_ino:x}.{key}"


def address(folder: int, name: str) -> str:
    """A path to a socket in the folder that fits into `sun_path` however long the folder's own path is."""
    return f"/proc/self/fd/{folder}/{name}"


def make_folder(spool: int, key: AttemptKey, *, boot_id: str, mode: int) -> tuple[int, int]:
    """Make and lock the folder of a new attempt: the gate that lets each attempt through once (G3).

    Returns descriptors of the folder and of its lock. Raises `FileExistsError` where it was made before.
    """
    name = str(key)
    if os.access(f"{DONE}/{name}", os.F_OK, dir_fd=spool, follow_symlinks=False):
        raise FileExistsError(name)
    os.mkdir(name, 0o700, dir_fd=spool)
    folder = open_folder(name, within=spool)
    if mode != 0o700:
        os.fchmod(folder, mode)
    lock = os.open(LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
    fcntl.flock(lock, fcntl.LOCK_EX)
    os.write(lock, boot_id.encode("ascii"))
    return folder, lock


def mark_begun(lock: int) -> None:
    """From now on user code may run."""
    os.write(lock, b" begun")


class LockWords(NamedTuple):
    """What the lock's file says; `boot_id` None where it says nothing."""

    boot_id: str | None
    has_begun: bool


def lock_words(raw: bytes | None) -> LockWords:
    words = (raw or b"").decode("ascii", "replace").split()
    return LockWords(words[0] if words else None, words[1:] == ["begun"])


def is_lock_held(folder: int) -> bool:
    """Whether a supervisor lives there: nothing else holds the lock, and its death releases it."""
    try:
        lock = os.open(LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


def remove_tree(folder: int, name: str) -> None:
    """Remove what `name` is, with all that is in it; follows no link, and what is gone already is no failure.

    A job may have dug deeper than a stack or a table of descriptors: what lies deeper is moved up first.
    """
    if _is_removed(folder, name):
        return
    top = _open_unsealed(folder, name)
    names = map(".up{}".format, itertools.count())
    try:
        while entries := os.listdir(top):
            for entry in entries:
                if not _is_removed(top, entry):
                    _move_up(top, entry, names)
    finally:
        os.close(top)
    os.rmdir(name, dir_fd=folder)


def _is_removed(folder: int, name: str) -> bool:
    """Remove a file, a link or an empty folder; False for a folder with something in it."""
    try:
        os.rmdir(name, dir_fd=folder)
    except FileNotFoundError:
        return True
    except NotADirectoryError:
        os.unlink(name, dir_fd=folder)
    except OSError as error:
        if error.errno != errno.ENOTEMPTY:
            raise
        return False
    return True


def _move_up(top: int, name: str, names: Iterator[str]) -> None:
    """Empty a folder and remove it: its files go, its folders come to lie beside it."""
    inner = _open_unsealed(top, name)
    try:
        for entry in os.listdir(inner):
            if not _is_removed(inner, entry):
                os.close(_open_unsealed(inner, entry))  # only one that may be written may be moved
                _rename_to_free(inner, entry, top, names)
    finally:
        os.close(inner)
    os.rmdir(name, dir_fd=top)


def _rename_to_free(inner: int, entry: str, top: int, names: Iterator[str]) -> None:
    while True:
        try:
            os.rename(entry, next(names), src_dir_fd=inner, dst_dir_fd=top)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                raise
            continue  # the job has used this name
        return


def _open_unsealed(folder: int, name: str) -> int:
    """Open a folder for reading and writing in it, whatever its owner forbade."""
    pinned = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        os.chmod(f"/proc/self/fd/{pinned}", 0o700)
        return os.open(f"/proc/self/fd/{pinned}", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    finally:
        os.close(pinned)
