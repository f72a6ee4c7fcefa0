"""What this host is and how busy it is, in the words of resource requirements."""

import os
import platform
from pathlib import Path
from typing import NamedTuple

BOOT_ID = "/proc/sys/kernel/random/boot_id"
_KIB = 1024


class Machine(NamedTuple):
    """Attributes and counters as `WorkerHello` carries them; sizes are bytes."""

    slots: int
    attributes: dict[str, str | int | float | bool]
    counters: dict[str, int]


def boot_id() -> str:
    """Names this boot of the host."""
    return Path(BOOT_ID).read_text(encoding="ascii").strip()


def detect(*, spool: str) -> Machine:
    """Look at the host once."""
    memory = _memory()
    topology = _topology(Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace"))
    cpu_count = len(os.sched_getaffinity(0))
    disk = os.statvfs(spool)
    attributes: dict[str, str | int | float | bool] = {
        "type": f"{platform.system().upper()}_{platform.machine().upper()}",
        "model": topology.model,
        "ncpus": cpu_count,
        "ncores": min(topology.cores or cpu_count, cpu_count),
        "nsockets": topology.sockets or 1,
        "maxmem": memory.get("MemTotal", 0),
        "maxswp": memory.get("SwapTotal", 0),
        "maxtmp": disk.f_blocks * disk.f_frsize,
    }
    counters = {
        "mem": memory.get("MemTotal", 0),
        "swp": memory.get("SwapTotal", 0),
        "tmp": disk.f_bavail * disk.f_frsize,
    }
    return Machine(cpu_count, attributes, counters)


def load(*, spool: str) -> dict[str, float]:
    """The load figures of a heartbeat."""
    r1m, _, r15m = os.getloadavg()
    memory = _memory()
    disk = os.statvfs(spool)
    return {
        "r1m": r1m,
        "r15m": r15m,
        "mem": float(memory.get("MemAvailable", 0)),
        "swp": float(memory.get("SwapFree", 0)),
        "tmp": float(disk.f_bavail * disk.f_frsize),
    }


class _Topology(NamedTuple):
    model: str
    sockets: int
    cores: int


def _topology(cpuinfo: str) -> _Topology:
    """Sockets and cores where the kernel tells them (x86); 0 where it does not."""
    model, sockets, cores = "unknown", set[str](), set[tuple[str, str]]()
    socket = ""
    for text in cpuinfo.splitlines():
        name, _, value = (part.strip() for part in text.partition(":"))
        match name:
            case "model name":
                model = value
            case "physical id":
                socket = value
                sockets.add(value)
            case "core id":
                cores.add((socket, value))
    return _Topology(model, len(sockets), len(cores))


def _memory() -> dict[str, int]:
    """`/proc/meminfo` in bytes."""
    found: dict[str, int] = {}
    for text in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        name, _, value = text.partition(":")
        words = value.split()
        if len(words) == 2:
            found[name] = int(words[0]) * _KIB
    return found
