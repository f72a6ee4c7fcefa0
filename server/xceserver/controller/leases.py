"""Who is alive: leases of hosts, and the grace of those that are lost. Pure; times are steady seconds."""

from collections.abc import Iterator

import msgspec

from xceserver.core.commands import HostGraceExpired, HostLeaseExpired


class _Lease(msgspec.Struct):
    renewed_at: float
    lost_at: float | None = None


class Leases:
    """Every host that was ever up has a lease. After a restart of the controller each begins anew."""

    def __init__(self, hosts: dict[str, bool], *, now: float) -> None:
        """`hosts`: name to whether it is up."""
        self._leases = {name: _Lease(now, None if is_up else now) for name, is_up in hosts.items()}

    def renew(self, host: str, *, now: float) -> None:
        lease = self._leases.get(host)
        if lease is None:
            self._leases[host] = _Lease(now)
        else:
            lease.renewed_at, lease.lost_at = now, None

    def due(self, *, now: float, lease_s: float, grace_s: float) -> Iterator[HostLeaseExpired | HostGraceExpired]:
        """The hosts whose lease, or whose grace after it, is over; each is told once."""
        for host, lease in self._leases.items():
            if lease.lost_at is None and now - lease.renewed_at > lease_s:
                lease.lost_at = now
                yield HostLeaseExpired(host)
            elif lease.lost_at is not None and lease.lost_at >= 0 and now - lease.lost_at > grace_s:
                lease.lost_at = -1.0  # told
                yield HostGraceExpired(host)
