"""What an attempt used: exact for processes that were reaped, sampled for those that live."""

import resource

from xceserver.peer import Usage
from xceserver.worker.descendants import Sample

_BLOCK = 512  # the unit of ru_inblock and ru_oublock on Linux
_KIB = 1024
_FORK_GROWTH_KIB = 2048


class Meter:
    """Adds up; the figures never fall."""

    def __init__(self) -> None:
        self._own_rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        self._reaped_cpu_s = 0.0
        self._cpu_s = 0.0
        self._max_rss = 0
        self._read = 0
        self._written = 0

    @property
    def cpu_s(self) -> float:
        return max(self._cpu_s, self._reaped_cpu_s)

    def reaped(self, used: resource.struct_rusage) -> None:
        """A child ended; its own reaped children are in its figures."""
        self._reaped_cpu_s += used.ru_utime + used.ru_stime
        if used.ru_maxrss > self._own_rss + _FORK_GROWTH_KIB:  # up to that it is the fork's, before its exec
            self._max_rss = max(self._max_rss, used.ru_maxrss * _KIB)
        self._read += used.ru_inblock * _BLOCK
        self._written += used.ru_oublock * _BLOCK

    def sampled(self, seen: Sample) -> None:
        self._cpu_s = max(self._cpu_s, self._reaped_cpu_s + seen.cpu_s)
        self._max_rss = max(self._max_rss, seen.memory)

    def usage(self, *, wall_s: float, is_final: bool = False) -> Usage:
        """`is_final`: everything was reaped, so that the kernel's exact figure takes the place of sampled ones."""
        return Usage(
            cpu_s=round(self._reaped_cpu_s if is_final else self.cpu_s, 3),
            max_rss=self._max_rss,
            read_bytes=self._read,
            written_bytes=self._written,
            wall_s=round(wall_s, 3),
        )
