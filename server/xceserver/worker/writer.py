"""The journal's file: one thread writes, so that one sync serves all records that came during the last."""

import errno
import os
import threading
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from xceserver.worker import journal
from xceserver.worker.clocks import SystemClock
from xceserver.worker.durable import sync_folder, write_all
from xceserver.worker.journal import Record
from xceserver.worker.log import log
from xceserver.worker.pacer import Pacer

_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
_FULL_RETRY_S: Final = 0.5

Done = Callable[[], None]


class _Entry(NamedTuple):
    record: Record
    done: Done | None


class _Rewrite(NamedTuple):
    records: tuple[Record, ...]


class JournalWriter:
    """Appends in order. `done` is called through `deliver` once the record is on disk; never after a failure.

    A full disk is waited for. Any other failure, and the first failed sync above all, ends the writing for good:
    `failed` is delivered once, and nothing is acknowledged any more.
    """

    def __init__(
        self,
        path: str,
        *,
        sync: Callable[[int], None],
        deliver: Callable[[Done], object],
        failed: Callable[[OSError], None],
    ) -> None:
        self._path = path
        self._sync = sync
        self._deliver = deliver
        self._failed = failed
        self._clock = SystemClock()
        self._pacer = Pacer(now=self._clock.steady())
        self._changed = threading.Condition()
        self._queue: list[_Entry | _Rewrite] = []
        self.space_wait_count = 0  # how often a full disk was waited for
        self._lazy_since: float | None = None
        self._is_urgent = False
        self._is_closing = False
        self._file, self.size = _open_to_append(path)
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()

    def append(self, record: Record, *, done: Done | None = None, is_urgent: bool = False) -> None:
        """Queue a record. An urgent one is synced at once; others ride along, or follow within about 10 ms."""
        with self._changed:
            self._queue.append(_Entry(record, done))
            self._is_urgent |= is_urgent
            if self._lazy_since is None:
                self._lazy_since = self._clock.steady()
            self._changed.notify()

    def rewrite(self, records: Sequence[Record]) -> None:
        """Replace everything up to here by `records`, which tell the same: the file becomes short again."""
        with self._changed:
            self._queue.append(_Rewrite(tuple(records)))
            self._is_urgent = True
            self._changed.notify()

    def close(self) -> None:
        """Make durable what is queued, and end."""
        with self._changed:
            self._is_closing = True
            self._changed.notify()
        self._thread.join()
        os.close(self._file)

    # --- the thread ---------------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            while batch := self._take():
                self._commit(batch)
        except OSError as error:
            problem = error
            self._deliver(lambda: self._failed(problem))

    def _take(self) -> list[_Entry | _Rewrite]:
        """Wait until a batch is due; empty when all is done and the writer is closing."""
        with self._changed:
            while not self._is_due():
                self._changed.wait(self._wait_s())
            batch, self._queue = self._queue, []
            self._lazy_since, self._is_urgent = None, False
            return batch

    def _is_due(self) -> bool:
        return self._is_urgent or self._is_closing or self._wait_s() == 0.0

    def _wait_s(self) -> float | None:
        """Seconds until the queued lazy records are due; None where there are none."""
        if self._lazy_since is None:
            return None
        return self._pacer.wait_s(asked_at=self._lazy_since, now=self._clock.steady())

    def _commit(self, batch: list[_Entry | _Rewrite]) -> None:
        entries = [item for item in batch if isinstance(item, _Entry)]
        rewrites = [position for position, item in enumerate(batch) if isinstance(item, _Rewrite)]
        if rewrites:  # what stands before it is told by its records
            last = batch[rewrites[-1]]
            assert isinstance(last, _Rewrite)
            later = [item.record for item in batch[rewrites[-1] :] if isinstance(item, _Entry)]
            self._until_there_is_space(lambda: self._replace([*last.records, *later]))
        else:
            raw = b"".join(journal.encode(entry.record) for entry in entries)
            self._until_there_is_space(lambda: self._write(raw))
        for entry in entries:
            if entry.done is not None:
                self._deliver(entry.done)

    def _until_there_is_space(self, write: Callable[[], None]) -> None:
        """A full disk heals by itself (G12): what is accepted waits."""
        while True:
            try:
                return write()
            except OSError as error:
                if error.errno not in _FULL or self._is_closing:
                    raise
                self.space_wait_count += 1
                log("journal_waits_for_space", path=self._path)
            with self._changed:
                self._changed.wait(_FULL_RETRY_S)

    def _write(self, raw: bytes) -> None:
        try:
            write_all(self._file, raw)
        except OSError:
            os.ftruncate(self._file, self.size)  # no half record before the next one
            raise
        self._synced(self._file)
        self.size += len(raw)

    def _replace(self, records: Sequence[Record]) -> None:
        """A whole new file in the place of the old one, or the old one as it was."""
        temporary = f"{self._path}.new"
        raw = b"".join(map(journal.encode, records))
        fresh = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            write_all(fresh, raw)
            self._synced(fresh)
            os.rename(temporary, self._path)
        except OSError:
            os.close(fresh)
            raise
        os.close(self._file)
        self._file, self.size = fresh, len(raw)
        _sync_parent(self._path)

    def _synced(self, fd: int) -> None:
        """Sync; a failure is never tried again: a second try that succeeds proves nothing."""
        self._pacer.spent(now=self._clock.steady())
        try:
            self._sync(fd)
        except OSError as error:
            raise SyncFailed(error.errno, f"sync of {self._path} failed: {error.strerror}") from error


class SyncFailed(OSError):
    """Not even a full disk: what was not synced may be lost whatever the kernel says later."""

    def __init__(self, number: int | None, text: str) -> None:
        super().__init__(errno.EIO if number in _FULL else number, text)


def _open_to_append(path: str) -> tuple[int, int]:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    _sync_parent(path)
    return fd, os.fstat(fd).st_size


def _sync_parent(path: str) -> None:
    folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        sync_folder(folder)
    finally:
        os.close(folder)
