"""Output kept by XCE: what tasks write into a pipe goes to a file, up to a cap."""

import errno
import os

from xceserver.worker.durable import write_all
from xceserver.worker.log import log

_CHUNK = 1 << 16
_CHUNKS_MAX = 64  # at one time: a fast writer does not keep the supervisor from its other work


class Pump:
    """One pipe and its file. Whatever happens to the file, the pipe is read on: a job never blocks on us."""

    def __init__(self, folder: int, name: str, *, cap: int) -> None:
        self.reader, self.writer = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(self.reader, False)
        self._folder = folder
        self._name = name
        self._file: int | None = None  # made for the first byte: many jobs write none
        self._left = cap
        self._cap = cap
        self._is_cut = False

    def pump(self) -> bool:
        """Take what is there now; False when nobody can write any more."""
        try:
            for _ in range(_CHUNKS_MAX):
                chunk = os.read(self.reader, _CHUNK)
                if not chunk:
                    return False
                self._keep(chunk)
        except BlockingIOError:
            pass
        return True

    def close_writer(self) -> None:
        """The tasks have their copies."""
        os.close(self.writer)

    def close(self) -> None:
        self.pump()
        os.close(self.reader)
        if self._file is not None:
            os.close(self._file)

    def _keep(self, chunk: bytes) -> None:
        if self._is_cut:
            return
        kept = chunk[: self._left]
        try:
            write_all(self._opened(), kept)
            self._left -= len(kept)
            if len(kept) < len(chunk):
                self._cut(f"output beyond {self._cap} bytes is not kept")
        except OSError as error:
            self._cut(f"output was lost: {os.strerror(error.errno or errno.EIO)}")

    def _opened(self) -> int:
        if self._file is None:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            self._file = os.open(self._name, flags, 0o600, dir_fd=self._folder)
        return self._file

    def _cut(self, why: str) -> None:
        self._is_cut = True
        log("output_cut", why=why)
        try:
            write_all(self._opened(), f"\n[xce: {why}]\n".encode())
        except OSError:
            pass  # the disk is full: the mark is lost with the rest
