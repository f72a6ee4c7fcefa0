"""Limits of an attempt on its host: the kernel's, and those that the supervisor watches. Pure."""

import math
import resource
from collections.abc import Mapping
from typing import Final, NamedTuple

from xcelib.states import EndReason

WATCHED: Final = frozenset({"run_time", "cpu_time", "memory"})
RLIMITS: Final[Mapping[str, int]] = {
    "processes": resource.RLIMIT_NPROC,
    "open_files": resource.RLIMIT_NOFILE,
    "file_size": resource.RLIMIT_FSIZE,
    "core_size": resource.RLIMIT_CORE,
    "stack": resource.RLIMIT_STACK,
}
KNOWN: Final = WATCHED | RLIMITS.keys()


class Rlimit(NamedTuple):
    name: str
    number: int
    soft: int
    hard: int


def rlimits(limits: Mapping[str, int], *, kill_grace_s: float) -> list[Rlimit]:
    """What each task sets for itself. A single process past `cpu_time` gets SIGXCPU, and SIGKILL after the grace."""
    rows = [Rlimit(name, number, limits[name], limits[name]) for name, number in RLIMITS.items() if name in limits]
    if "cpu_time" in limits:
        soft = limits["cpu_time"]
        rows.append(Rlimit("cpu_time", resource.RLIMIT_CPU, soft, soft + math.ceil(kill_grace_s) + 1))
    return rows


class RunClock:
    """How long the attempt has run, suspension not counted. Times are steady seconds."""

    def __init__(self) -> None:
        self._since: float | None = None
        self._before_s = 0.0

    def go(self, *, now: float) -> None:
        if self._since is None:
            self._since = now

    def hold(self, *, now: float) -> None:
        self._before_s = self.ran_s(now=now)
        self._since = None

    def ran_s(self, *, now: float) -> float:
        return self._before_s + (0.0 if self._since is None else now - self._since)


class Watch:
    """Which watched limit is passed, and when the next look is due."""

    def __init__(self, limits: Mapping[str, int], *, tasks: int) -> None:
        """`memory` is per task: the limit on the host is its multiple."""
        self._run_s = limits.get("run_time")
        self._cpu_s = limits.get("cpu_time")
        self.memory = limits["memory"] * tasks if "memory" in limits else None
        self.needs_sampling = self._cpu_s is not None or self.memory is not None

    def run_left_s(self, ran_s: float) -> float | None:
        """Seconds until the run limit, below 0 when it is passed; None without one."""
        return None if self._run_s is None else self._run_s - ran_s

    def passed(self, *, cpu_s: float, memory: int) -> tuple[EndReason, str] | None:
        """Whether a sample is over a limit: the reason and a text for people."""
        if self._cpu_s is not None and cpu_s >= self._cpu_s:
            return EndReason.CPULIMIT, f"it used {cpu_s:.1f} s of cpu time, its limit is {self._cpu_s} s"
        if self.memory is not None and memory > self.memory:
            return EndReason.MEMLIMIT, f"it used {memory} bytes of memory, its limit is {self.memory} on this host"
        return None

    def run_text(self) -> str:
        return f"it ran longer than its run limit of {self._run_s} s"
