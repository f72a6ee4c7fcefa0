"""All processes below one: walking them, signalling them by proof, and what they use.

The root is a child subreaper that reaps nothing while it walks, so a descendant whose parent is the root,
or another descendant seen in the same walk, cannot be a stranger: pids of unreaped children are not given
to others, and a pidfd opened before the parent is checked again names the process that was checked (G9).
"""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from typing import Final, NamedTuple

_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_TICK_S: Final = 1.0 / os.sysconf("SC_CLK_TCK")
_SETTLING_WALKS_MAX: Final = 20


class Sample(NamedTuple):
    """The living descendants: cpu seconds with that of their reaped children, resident bytes, their number."""

    cpu_s: float
    memory: int
    process_count: int


def walk(root: int) -> Iterator[int]:
    """Every descendant's pid, parents before children."""
    ahead = children(root)
    while ahead:
        pid = ahead.pop()
        yield pid
        ahead.extend(children(pid))


def children(pid: int) -> list[int]:
    """The children of all threads of a process; none where it is gone."""
    found: list[int] = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError):
                found += map(int, _read(f"/proc/{pid}/task/{thread}/children").split())
    return found


def signal_all(root: int, number: int) -> int:
    """Send a signal to every descendant once; returns how many got it."""
    seen = {root}
    count = 0
    for pid in walk(root):
        seen.add(pid)
        count += _signal(pid, number, parents=seen)
    return count


def _signal(pid: int, number: int, *, parents: set[int]) -> bool:
    try:
        proof = os.pidfd_open(pid)
    except OSError:
        return False
    try:
        if _parent(pid) not in parents:
            return False
        signal.pidfd_send_signal(proof, number)
    except OSError:
        return False  # gone, or not ours to signal (a program of another user's: setuid)
    finally:
        os.close(proof)
    return True


def signal_until_settled(root: int, number: int) -> None:
    """Signal again until a walk finds nobody new: also what was forked while the signals went out."""
    seen: set[int] = set()
    for _ in range(_SETTLING_WALKS_MAX):
        found = set(walk(root))
        if found <= seen:
            return
        seen |= found
        signal_all(root, number)


def sample(root: int) -> Sample:
    """Look at all descendants once."""
    ticks = pages = count = 0
    for pid in walk(root):
        with suppress(OSError, ValueError):
            fields = stat_fields(_read(f"/proc/{pid}/stat"))
            ticks += sum(map(int, fields[11:15]))  # utime, stime, and those of its reaped children
            pages += int(fields[21])
            count += 1
    return Sample(ticks * _TICK_S, pages * _PAGE, count)


def proportional_memory(root: int) -> int:
    """Resident bytes with shared pages divided among those who share them: dear to read, and fair."""
    total = 0
    for pid in walk(root):
        with suppress(OSError, ValueError):
            for text in _read(f"/proc/{pid}/smaps_rollup").splitlines():
                if text.startswith(b"Pss:"):
                    total += int(text.split()[1]) << 10
    return total


def start_time(pid: int) -> int | None:
    """When the process started, in ticks since boot: with the pid and the boot id it names one process for ever."""
    with suppress(OSError, ValueError):
        return int(stat_fields(_read(f"/proc/{pid}/stat"))[19])
    return None


def stat_fields(raw: bytes) -> list[bytes]:
    """The fields of a stat file from the state on; a process may be named `a) R 1 (b`."""
    return raw[raw.rindex(b")") + 2 :].split()


def _parent(pid: int) -> int | None:
    with suppress(OSError, ValueError):
        return int(stat_fields(_read(f"/proc/{pid}/stat"))[1])
    return None


def _read(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        chunks = []
        while chunk := os.read(fd, 1 << 16):
            chunks.append(chunk)
        return b"".join(chunks)
    finally:
        os.close(fd)
