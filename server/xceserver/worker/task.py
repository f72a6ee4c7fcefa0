"""What the child of a supervisor does between fork and exec: it becomes the job's user and runs the command."""

import errno
import os
import resource
import signal
from collections.abc import Sequence
from typing import Final, NamedTuple, NoReturn

from xceserver.worker.accounts import become
from xceserver.worker.failure import ENCODER, Failure, StartFailed, bounded
from xceserver.worker.limits import Rlimit
from xceserver.worker.local import Account

NOT_FOUND: Final = 127
NOT_EXECUTABLE: Final = 126
_OOM_SCORE_RAISE: Final = 500  # the kernel takes a job before it takes a daemon
_OOM_SCORE_MAX: Final = 1000
_DEFAULTED: Final = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)
_OLD_FILE: Final = os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC
_NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC


class Streams(NamedTuple):
    """Paths, absolute and expanded, or a descriptor to take over; `err` None is the same as `out`."""

    stdin: str
    out: str | int
    err: str | int | None


class Task(NamedTuple):
    """One process to be: everything is decided, nothing is looked up any more."""

    argv: tuple[str, ...]
    env: dict[str, str]
    cwd: str
    umask: int
    rlimits: list[Rlimit]
    account: Account
    streams: Streams


def run(task: Task, status: int) -> NoReturn:
    """Never returns: the command runs, or the failure is written to `status` (close-on-exec) and the child ends."""
    try:
        _prepare(task)
        _execute(task)
    except StartFailed as error:
        os.write(status, ENCODER.encode(error.failure))
    except BaseException as error:  # a bug; but the child must never run on as a second supervisor
        os.write(status, ENCODER.encode(Failure(bounded(f"the task could not be prepared: {error!r}"))))
    finally:
        os._exit(NOT_FOUND)


def _prepare(task: Task) -> None:
    os.setsid()
    for number in _DEFAULTED:
        signal.signal(number, signal.SIG_DFL)
    _raise_oom_score()
    for limit in task.rlimits:
        _set_rlimit(limit)
    try:
        become(task.account)
    except OSError as error:
        raise StartFailed(f"cannot become user `{task.account.name}`: {error.strerror}") from error
    os.umask(task.umask)
    try:
        os.chdir(task.cwd)
    except (OSError, ValueError) as error:
        raise StartFailed(f"cannot change to the working directory `{task.cwd}`: {_why(error)}") from error
    _open_streams(task.streams)


def _raise_oom_score() -> None:
    path = "/proc/self/oom_score_adj"
    try:
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return  # no such file in this container: the kernel chooses by size alone
    with open(fd, "r+b", buffering=0) as file:
        now = int(file.read(16))
        file.write(b"%d" % min(_OOM_SCORE_MAX, now + _OOM_SCORE_RAISE))


def _set_rlimit(limit: Rlimit) -> None:
    """Set it, or refuse: a limit that is not enforced is not accepted."""
    try:
        resource.setrlimit(limit.number, (limit.soft, limit.hard))
    except (OSError, ValueError) as error:
        top = resource.getrlimit(limit.number)[1]
        raise StartFailed(
            f"limit `{limit.name}` cannot be set to {limit.soft}: this worker may give at most {top}"
        ) from error


def _open_streams(streams: Streams) -> None:
    os.dup2(_open(streams.stdin, _OLD_FILE, "standard input"), 0)
    os.dup2(_stream(streams.out, "standard output"), 1)
    os.dup2(1 if streams.err is None else _stream(streams.err, "standard error"), 2)


def _stream(where: str | int, what: str) -> int:
    if isinstance(where, int):
        return where
    _make_parents(where)
    return _open(where, _NEW_FILE, what)


def _open(path: str, flags: int, what: str) -> int:
    """Open without waiting: a pipe with nobody at its other end would hold the attempt for ever (G20)."""
    try:
        fd = os.open(path, flags, 0o666)
    except (OSError, ValueError) as error:
        raise StartFailed(f"cannot open `{path}` for {what}: {_why(error)}") from error
    os.set_blocking(fd, True)
    return fd


def _make_parents(path: str) -> None:
    """The folders above the file, as the user; what cannot be made is told when the file is opened."""
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder, exist_ok=True)
    except (OSError, ValueError):
        pass


def _execute(task: Task) -> NoReturn:
    command = task.argv[0]
    denied: OSError | None = None
    try:
        env = {os.fsencode(name): os.fsencode(value) for name, value in task.env.items()}
        argv = [os.fsencode(word) for word in task.argv]
        for path in _candidates(command, task.env.get("PATH", "")):
            denied = _exec(path, argv, env) or denied
    except ValueError as error:  # NUL, `=` in a name, a lone surrogate
        raise StartFailed(f"the command or its environment cannot be passed on: {error}") from error
    if denied is None:
        raise StartFailed(f"command `{command}` not found", exit_code=NOT_FOUND)
    raise StartFailed(f"command `{command}` cannot be executed: {_why(denied)}", exit_code=NOT_EXECUTABLE)


def _candidates(command: str, search: str) -> Sequence[bytes]:
    """Where the command may be, as execvp(3) looks for it; an empty entry of PATH is the working directory."""
    if "/" in command:
        return [os.fsencode(command)]
    if not command:
        return []
    return [os.path.join(os.fsencode(folder or "."), os.fsencode(command)) for folder in search.split(":")]


def _exec(path: bytes, argv: list[bytes], env: dict[bytes, bytes]) -> OSError | None:
    """Replace the process. Returns why a file that is there cannot run, or None where there is none.

    A text file without `#!` is run by the shell, as execvp(3) does it.
    """
    try:
        try:
            os.execve(path, argv, env)
        except OSError as error:
            if error.errno != errno.ENOEXEC:
                raise
            os.execve(b"/bin/sh", [b"sh", path, *argv[1:]], env)
    except (FileNotFoundError, NotADirectoryError) as error:
        return error if os.path.exists(path) else None  # a file that is there lacks its interpreter
    except OSError as error:
        return error


def _why(error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError) and os.path.exists(error.filename or ""):
        return "the interpreter that its first line names does not exist"
    if isinstance(error, OSError) and error.errno == errno.ENXIO:
        return "it is a pipe that nobody reads"
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
