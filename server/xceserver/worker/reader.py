"""Reading a chunk of output: kept by XCE, or a job's own file as its user."""

import os
import signal
import socket
import stat

from xceserver.peer import OutputChunk, ReadOutput
from xceserver.worker.accounts import become
from xceserver.worker.local import CHUNK_MAX, ENCODER, ReadAs

_TIME_MAX_S = 10  # a file on a server that does not answer costs this process, nobody else
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


def read_as(wanted: ReadAs, agent: str) -> int:
    """The life of a process forked for one chunk: connect, become the user, read, send."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_TIME_MAX_S)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as back:
        back.connect(agent)  # as the worker: the user may not
        become(wanted.account)
        back.send(ENCODER.encode(chunk_of(wanted.asked, wanted.path)))
    return 0


def chunk_of(asked: ReadOutput, path: str, *, within: int | None = None, is_own: bool = False) -> OutputChunk:
    """The chunk, or why there is none. `is_own`: XCE's own file, which is no link."""
    try:
        fd = os.open(path, _FLAGS | (os.O_NOFOLLOW if is_own else 0), dir_fd=within)
    except OSError as error:
        if is_own and isinstance(error, FileNotFoundError):
            return OutputChunk(asked.request, 0, b"", 0)  # nothing was written yet
        return OutputChunk(asked.request, 0, b"", 0, f"cannot open `{path}`: {error.strerror}")
    try:
        return _read(fd, asked, path)
    except OSError as error:
        return OutputChunk(asked.request, 0, b"", 0, f"cannot read `{path}`: {error.strerror}")
    finally:
        os.close(fd)


def _read(fd: int, asked: ReadOutput, path: str) -> OutputChunk:
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        return OutputChunk(asked.request, 0, b"", 0, f"`{path}` is not a regular file")
    size = status.st_size
    offset = max(0, size + asked.offset) if asked.offset < 0 else min(asked.offset, size)
    limit = max(0, min(asked.limit, CHUNK_MAX))
    return OutputChunk(asked.request, offset, os.pread(fd, limit, offset), size)
