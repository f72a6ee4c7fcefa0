"""The attempts' folders as the agent sees them: looking, judging, retiring, pruning, talking to supervisors."""

import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import msgspec

from xceserver.peer import AttemptKey, Ended, OutputChunk, ReadOutput
from xceserver.worker import folder
from xceserver.worker.durable import Damaged, read_file, read_record
from xceserver.worker.local import ENCODER, OutputFiles, ToSupervisor
from xceserver.worker.log import log
from xceserver.worker.reader import chunk_of
from xceserver.worker.recovery import Facts

_ENDS = msgspec.json.Decoder(Ended)
_FILES = msgspec.json.Decoder(OutputFiles)


class Spool:
    """One worker's spool folder; it is made where it is missing."""

    def __init__(self, path: str, *, mode: int) -> None:
        self.path = path
        os.makedirs(path, mode=mode, exist_ok=True)
        os.chmod(path, mode)  # whatever the umask made of it
        for name in (folder.DONE, folder.LOST_AND_FOUND):
            os.makedirs(f"{path}/{name}", mode=0o700, exist_ok=True)
        self._fd = folder.open_folder(path)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)

    def close(self) -> None:
        self._socket.close()
        os.close(self._fd)

    def found(self) -> list[AttemptKey]:
        """The attempts that have a folder and were not retired."""
        return [key for name in os.listdir(self._fd) if (key := folder.key_of(name)) is not None]

    def facts(self, key: AttemptKey, *, boot_id: str, intent_boot_id: str | None) -> Facts:
        """What folder and lock tell. `intent_boot_id`: from the journal, where the folder says nothing."""
        is_same = intent_boot_id in (None, boot_id)
        with self._opened(key) as at:
            if at is None:
                return Facts(key, "none", is_same)
            made_at, has_begun = folder.lock_words(read_file(at, folder.LOCK))
            is_same = made_at == boot_id if made_at else is_same
            if folder.is_lock_held(at):
                return Facts(key, "live", is_same)
            try:
                raw = read_record(at, folder.END)
                end = _ENDS.decode(raw) if raw is not None else None
            except (Damaged, msgspec.DecodeError):
                return Facts(key, "dead", is_same, has_begun, None, is_end_damaged=True)
            if end is not None and end.key != key:
                return Facts(key, "dead", is_same, has_begun, None, is_end_damaged=True)
            return Facts(key, "dead", is_same, has_begun, end)

    def is_live(self, key: AttemptKey) -> bool:
        """Whether the attempt's supervisor lives."""
        with self._opened(key) as at:
            return at is not None and folder.is_lock_held(at)

    def cookie(self, key: AttemptKey) -> str | None:
        with self._opened(key) as at:
            return None if at is None else folder.cookie_of(at, key)

    def was_retired(self, key: AttemptKey) -> bool:
        return os.access(f"{folder.DONE}/{key}", os.F_OK, dir_fd=self._fd, follow_symlinks=False)

    def tell(self, key: AttemptKey, message: ToSupervisor) -> bool:
        """Whether the attempt's supervisor has the message in its socket."""
        try:
            self._socket.sendto(ENCODER.encode(message), folder.address(self._fd, f"{key}/{folder.CTL}"))
        except OSError:
            return False  # its queue is full, or it is dead
        return True

    def retire(self, key: AttemptKey) -> None:
        """The attempt is over and acknowledged: keep what `logs` reads, remove the rest."""
        try:
            self._retire(key)
        except OSError as error:  # full or broken; the next start tries again
            log("folder_not_retired", key=key, error=error)

    def _retire(self, key: AttemptKey) -> None:
        with self._opened(key) as at:
            if at is None:
                return
            has_output = os.access(folder.FILES, os.F_OK, dir_fd=at) or _size(at, folder.OUT) > 0
            if has_output:
                for name in (folder.LOCK, folder.CTL, folder.END):
                    with suppress(FileNotFoundError):
                        os.unlink(name, dir_fd=at)
                os.utime(at)
                os.rename(str(key), f"{folder.DONE}/{key}", src_dir_fd=self._fd, dst_dir_fd=self._fd)
            else:
                folder.remove_tree(self._fd, str(key))

    def set_aside(self, key: AttemptKey) -> None:
        """A folder with a broken record: out of the way, for people to look at."""
        log("folder_lost_and_found", key=key, path=f"{self.path}/{folder.LOST_AND_FOUND}/{key}")
        target = f"{folder.LOST_AND_FOUND}/{key}"
        try:
            folder.remove_tree(self._fd, target)
            os.rename(str(key), target, src_dir_fd=self._fd, dst_dir_fd=self._fd)
        except OSError as error:  # it harms this attempt only
            log("folder_not_set_aside", key=key, error=error)

    def prune(self, *, older_than_s: float) -> int:
        """Remove the kept output of attempts that ended that long ago; returns how many."""
        done = folder.open_folder(folder.DONE, within=self._fd)
        try:
            limit = time.time() - older_than_s
            old = [name for name in os.listdir(done) if _changed_at(done, name) < limit]
            return sum(_is_pruned(done, name) for name in old)
        finally:
            os.close(done)

    def read(self, asked: ReadOutput, ask_as: Callable[[OutputFiles, str], None]) -> OutputChunk | None:
        """A chunk of kept output; None where `ask_as` was asked to read the job's own file as its user.

        An attempt that wrote nothing leaves nothing behind: its output is empty.
        """
        with self._opened(asked.key, and_done=True) as at:
            if at is None:
                return OutputChunk(asked.request, 0, b"", 0)
            files = self._files(at, asked.key)
            path = (files.err if asked.stream == "err" else files.out) if files is not None else ""
            if files is not None and path:
                ask_as(files, path)
                return None
            if asked.stream == "err":
                return OutputChunk(asked.request, 0, b"", 0, "its standard error goes to the same file as its output")
            return chunk_of(asked, folder.OUT, within=at, is_own=True)

    def _files(self, at: int, key: AttemptKey) -> OutputFiles | None:
        raw = read_file(at, folder.FILES)
        try:
            return None if raw is None else _FILES.decode(raw)
        except msgspec.DecodeError:
            log("files_record_damaged", key=key)
            return None

    @contextmanager
    def _opened(self, key: AttemptKey, *, and_done: bool = False) -> Iterator[int | None]:
        at = None
        for name in (str(key), f"{folder.DONE}/{key}") if and_done else (str(key),):
            with suppress(FileNotFoundError):
                at = folder.open_folder(name, within=self._fd)
                break
        try:
            yield at
        finally:
            if at is not None:
                os.close(at)


def _is_pruned(done: int, name: str) -> bool:
    try:
        folder.remove_tree(done, name)
    except OSError as error:  # the next time, or never: no reason to stop the worker
        log("kept_output_not_pruned", key=name, error=error)
        return False
    return True


def _size(at: int, name: str) -> int:
    try:
        return os.stat(name, dir_fd=at, follow_symlinks=False).st_size
    except FileNotFoundError:
        return 0


def _changed_at(at: int, name: str) -> float:
    try:
        return os.stat(name, dir_fd=at, follow_symlinks=False).st_mtime
    except FileNotFoundError:
        return float("inf")
