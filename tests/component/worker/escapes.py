"""Twelve ways in which a process tries to outlive its job (85-reliability, F24).

python escapes.py WAY FILE      makes the escape, appends a line to FILE once it is made, and returns
"""

import ctypes
import os
import select
import signal
import sys
from collections.abc import Callable
from typing import Final, NoReturn

_PR_SET_NAME: Final = 15


def _last_for_ever() -> NoReturn:
    while True:
        signal.pause()


def _fork(*steps: Callable[[], object]) -> int:
    """A child that takes these steps and then lives for ever."""
    pid = os.fork()
    if pid == 0:
        try:
            for step in steps:
                step()
            _last_for_ever()
        finally:
            os._exit(0)
    return pid


def _leave() -> None:
    os._exit(0)


def _wait_for_stop(pid: int) -> None:
    os.waitpid(pid, os.WUNTRACED)


def _setsid() -> None:
    _fork(os.setsid)


def _double_fork() -> None:
    os.waitpid(_fork(os.setsid, _fork, _leave), 0)


def _nohup() -> None:
    _fork(lambda: [signal.signal(number, signal.SIG_IGN) for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)])


def _ignored_term() -> None:
    _fork(lambda: signal.signal(signal.SIGTERM, signal.SIG_IGN))


def _stopped() -> None:
    _wait_for_stop(_fork(lambda: os.kill(os.getpid(), signal.SIGSTOP)))


def _zombie_parent() -> None:
    """A child that ends beside one that lives, and a parent that never waits."""
    _fork(lambda: _fork(_leave), _fork)


def _reparented() -> None:
    os.waitpid(_fork(_fork, _leave), 0)


def _renamed() -> None:
    _fork(lambda: ctypes.CDLL(None).prctl(_PR_SET_NAME, b"a) R 1 (b", 0, 0, 0))


def _new_group() -> None:
    _fork(lambda: os.setpgid(0, 0))


def _new_pid_namespace() -> None:
    words = ["unshare", "--pid", "--fork", "--mount-proc", "tail", "-f", "/dev/null"]
    _fork(lambda: os.execvp(words[0], words))


def _closed_streams() -> None:
    _fork(os.setsid, lambda: os.closerange(0, 256))


def _forking_daemon() -> None:
    """A new process every 10 ms, whose parent ends: the tree never stands still."""

    def hand_on() -> None:
        while True:
            select.select([], [], [], 0.01)
            if os.fork():
                os._exit(0)
            os.setsid()

    _fork(hand_on)


WAYS: Final = {
    "setsid": _setsid,
    "double_fork": _double_fork,
    "nohup": _nohup,
    "ignored_term": _ignored_term,
    "stopped": _stopped,
    "zombie_parent": _zombie_parent,
    "reparented": _reparented,
    "renamed": _renamed,
    "new_group": _new_group,
    "new_pid_namespace": _new_pid_namespace,
    "closed_streams": _closed_streams,
    "forking_daemon": _forking_daemon,
}


def main(way: str, file: str) -> None:
    WAYS[way]()
    with open(file, "a", encoding="ascii") as made:
        made.write(f"{way}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
