"""Who calls: from the socket's credentials to an `Actor`."""

import pwd
from collections.abc import Mapping
from typing import Any

from xcelib.errors import NotPermitted
from xceserver.core.records import Actor

OVERFLOW_UIDS = frozenset({65534, 0xFFFFFFFF, -1})  # nobody, and what the kernel says of an unmapped user
_KNOWN_MAX = 10_000


class Callers:
    """Looks users up. On this machine root and the owner of the cluster are `admin` (50-jobs-and-api)."""

    def __init__(self, *, owner_uid: int) -> None:
        self._owner_uid = owner_uid
        self._known: dict[str, Actor] = {}

    def actor(self, scope: Mapping[str, Any]) -> Actor:
        """Raises `NotPermitted` for a caller without a name on this machine."""
        client = scope.get("client")
        if client is None:
            raise NotPermitted("the caller cannot be identified: connect through the unix socket")
        known = self._known.get(client[0])
        if known is None:
            if len(self._known) >= _KNOWN_MAX:
                self._known.clear()
            known = self._known[client[0]] = self._look_up(*map(int, client[0].split(":")))
        return known

    def _look_up(self, uid: int, gid: int) -> Actor:
        if uid in OVERFLOW_UIDS:
            raise NotPermitted(f"user id {uid} stands for nobody in particular and may not use the cluster")
        try:
            name = pwd.getpwuid(uid).pw_name
        except KeyError:
            raise NotPermitted(f"user id {uid} has no name on this machine") from None
        return Actor(user=name, uid=uid, gid=gid, role="admin" if uid in (0, self._owner_uid) else "user")

    def is_peer(self, scope: Mapping[str, Any]) -> bool:
        """Whether the caller may act as a worker or the scheduler: root, or the owner of the cluster."""
        client = scope.get("client")
        return client is not None and int(client[0].split(":")[0]) in (0, self._owner_uid)
