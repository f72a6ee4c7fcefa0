"""Processes of attempts whose supervisor is dead: found by the cookie in their environment, ended by proof."""

import os
import signal
from collections.abc import Collection
from contextlib import suppress

from xceserver.worker import descendants
from xceserver.worker.folder import COOKIE


def kill_leftovers(cookies: Collection[str]) -> set[str]:
    """Kill every process that carries one of the cookies, with its descendants; returns the cookies still seen.

    Call it until it returns nothing several times: what was forked meanwhile, or could not die yet, is seen later,
    and a process that hands on to a new one every few milliseconds may be missed by one look.
    """
    wanted = {f"{COOKIE}={cookie}".encode(): cookie for cookie in cookies}
    seen: set[str] = set()
    for pid in _processes():
        cookie = _carried(pid, wanted)
        if cookie is not None:
            seen.add(cookie)
            descendants.signal_all(pid, signal.SIGKILL)
            _kill(pid, wanted)
    return seen


def _processes() -> list[int]:
    """The newest first: those that live for a moment only are still there when they are looked at."""
    own = os.getpid()
    return sorted((int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != own), reverse=True)


def _carried(pid: int, wanted: dict[bytes, str]) -> str | None:
    """Which of the cookies the process carries; a zombie carries none any more."""
    with suppress(OSError):
        with open(f"/proc/{pid}/environ", "rb", buffering=0) as file:
            raw = file.read()
        return next((wanted[entry] for entry in raw.split(b"\0") if entry in wanted), None)
    return None


def _kill(pid: int, wanted: dict[bytes, str]) -> None:
    """The cookie is read again while the process is pinned: a reused pid is never signalled (G9)."""
    with suppress(OSError):
        pinned = os.pidfd_open(pid)
        try:
            if _carried(pid, wanted) is not None:
                signal.pidfd_send_signal(pinned, signal.SIGKILL)
        finally:
            os.close(pinned)
