"""Until when the controller has heard of this worker: kept over a restart, so that a fence is not put off by one."""

import os
from typing import NamedTuple

from xceserver.worker.durable import read_file

_NAME = "heard"


class Heard(NamedTuple):
    """`at`: steady seconds of this boot. `fence_s`: cut off longer than that, re-runnable attempts are ended."""

    at: float
    fence_s: float


class HeardFile:
    """Not synced: after a power cut no attempt is left to fence."""

    def __init__(self, folder: int, *, boot_id: str) -> None:
        self._folder = folder
        self._boot_id = boot_id

    def read(self) -> Heard | None:
        """None where nothing is known of this boot."""
        words = (read_file(self._folder, _NAME) or b"").split()
        if len(words) != 3 or words[0] != self._boot_id.encode():
            return None
        try:
            return Heard(float(words[1]), float(words[2]))
        except ValueError:
            return None

    def write(self, heard: Heard) -> None:
        temporary = f".{_NAME}.new"
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
        try:
            fd = os.open(temporary, flags, 0o600, dir_fd=self._folder)
            try:
                os.write(fd, f"{self._boot_id} {heard.at:.3f} {heard.fence_s:.3f}\n".encode("ascii"))
            finally:
                os.close(fd)
            os.rename(temporary, _NAME, src_dir_fd=self._folder, dst_dir_fd=self._folder)
        except OSError:
            pass  # a full disk: the older moment stands, and fences earlier
