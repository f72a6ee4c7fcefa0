"""One process of a job: what it shall be, and how the child of a fork becomes it."""

import os
import resource
import signal
from typing import Final, NamedTuple, NoReturn

from xceserver.worker.accounts import become
from xceserver.worker.command import NOT_FOUND, run_command, why
from xceserver.worker.failure import ENCODER, Failure, StartFailed, bounded
from xceserver.worker.limits import Rlimit
from xceserver.worker.local import Account

DEFAULTED: Final = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)
_OOM_SCORE: Final = b"500"  # the kernel takes a job before it takes a daemon
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

    @property
    def needs_fork(self) -> bool:
        """Whether something must happen between fork and exec: another user, limits of its own."""
        return bool(self.rlimits) or not self.account.is_own


class Opened(NamedTuple):
    """Descriptors for 0, 1 and 2; those in `own` are the caller's to close."""

    stdin: int
    out: int
    err: int
    own: tuple[int, ...]


def enter(task: Task) -> Opened:
    """Stand where the task shall stand, and open its files, with the rights of the process that calls."""
    os.umask(task.umask)
    try:
        os.chdir(task.cwd)
    except (OSError, ValueError) as error:
        raise StartFailed(f"cannot change to the working directory `{task.cwd}`: {why(error)}") from error
    stdin = _open(task.streams.stdin, _OLD_FILE, "standard input")
    out = _stream(task.streams.out, "standard output")
    err = out if task.streams.err is None else _stream(task.streams.err, "standard error")
    own = {stdin, *(fd for fd, where in ((out, task.streams.out), (err, task.streams.err)) if isinstance(where, str))}
    return Opened(stdin, out, err, tuple(own))


def run(task: Task, status: int) -> NoReturn:
    """The forked child's: the command runs, or the failure is written to `status` (close-on-exec) and it ends."""
    try:
        _prepare(task)
        run_command(task.argv, task.env, os.execve)
    except StartFailed as error:
        os.write(status, ENCODER.encode(error.failure))
    except BaseException as error:  # a bug; but the child must never run on as a second supervisor
        os.write(status, ENCODER.encode(Failure(bounded(f"the task could not be prepared: {error!r}"))))
    finally:
        os._exit(NOT_FOUND)


def raise_oom_score(pid: int | str) -> None:
    """Let the kernel take this process first when memory runs out."""
    try:
        fd = os.open(f"/proc/{pid}/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return  # no such file in this container, or a process of another user's: the kernel chooses by size alone
    try:
        os.write(fd, _OOM_SCORE)
    except OSError:
        pass  # it stands higher already, and may not be lowered
    finally:
        os.close(fd)


def _prepare(task: Task) -> None:
    os.setsid()
    for number in DEFAULTED:
        signal.signal(number, signal.SIG_DFL)
    raise_oom_score("self")
    for limit in task.rlimits:
        _set_rlimit(limit)
    try:
        become(task.account)
    except OSError as error:
        raise StartFailed(f"cannot become user `{task.account.name}`: {error.strerror}") from error
    opened = enter(task)
    os.dup2(opened.stdin, 0)
    os.dup2(opened.out, 1)
    os.dup2(opened.err, 2)


def _set_rlimit(limit: Rlimit) -> None:
    """Set it, or refuse: a limit that is not enforced is not accepted."""
    try:
        resource.setrlimit(limit.number, (limit.soft, limit.hard))
    except (OSError, ValueError) as error:
        top = resource.getrlimit(limit.number)[1]
        raise StartFailed(
            f"limit `{limit.name}` cannot be set to {limit.soft}: this worker may give at most {top}"
        ) from error


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
        raise StartFailed(f"cannot open `{path}` for {what}: {why(error)}") from error
    os.set_blocking(fd, True)
    return fd


def _make_parents(path: str) -> None:
    """The folders above the file, as the user; what cannot be made is told when the file is opened."""
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    except (OSError, ValueError):
        pass
