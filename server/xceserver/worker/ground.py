"""What an agent stands on: its lock, its socket, and the journal as it is found."""

import fcntl
import os
import socket
from contextlib import suppress
from typing import Final

from xcelib.errors import Refused
from xceserver.worker import journal
from xceserver.worker.durable import read_file
from xceserver.worker.folder import LOST_AND_FOUND, address, open_folder
from xceserver.worker.log import log
from xceserver.worker.options import WorkerOptions

JOURNAL: Final = "journal"
_LOCK: Final = "agent.lock"


def hold_lock(options: WorkerOptions) -> int:
    """One agent a state folder: the lock's descriptor. Raises `Refused`."""
    lock = os.open(f"{options.state}/{_LOCK}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise Refused(
            f"another worker of host `{options.host}` runs on the state folder `{options.state}`",
            code="worker_runs",
            hints=["stop it first, or give this one its own state folder"],
        ) from None
    return lock


def bind_agent_socket(path: str) -> socket.socket:
    """The address of all supervisors; only the worker's own user may send there."""
    folder = open_folder(os.path.dirname(path))
    name = os.path.basename(path)
    datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
    old = os.umask(0o177)
    try:
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)
        datagrams.bind(address(folder, name))
    finally:
        os.umask(old)
        os.close(folder)
    return datagrams


def load_journal(state: int, *, path: str) -> journal.Loaded:
    """Read the journal in the folder `state`, which is at `path`; what is damaged goes to lost+found and is named."""
    loaded = journal.load(read_file(state, JOURNAL) or b"")
    if loaded.damages:
        os.makedirs(f"{path}/{LOST_AND_FOUND}", mode=0o700, exist_ok=True)
    for damage in loaded.damages:
        kept = f"{path}/{LOST_AND_FOUND}/{JOURNAL}-{damage.offset}"
        with open(kept, "wb") as file:
            file.write(damage.raw)
        log("journal_damaged", offset=damage.offset, length=len(damage.raw), kept=kept)
    return loaded
