"""Finding the server (50-jobs-and-api)."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from xcelib.errors import Unreachable, Usage

SOCKET = Path("run") / "xce.sock"
SYSTEM_TOP = Path("/var/lib/xce")


class Address(NamedTuple):
    """Where a server listens, and which setting said so."""

    socket: Path
    origin: str

    def __str__(self) -> str:
        return f"unix:{self.socket}"


def find_server(
    flag: str | None, environ: Mapping[str, str], *, uid: int | None = None, system_top: Path = SYSTEM_TOP
) -> Address:
    """`--server`, `XCE_SERVER`, `XCE_TOP`, the socket of the caller's own cluster, then `/var/lib/xce`.

    `uid` None is who runs this.
    """
    if flag:
        return _parse(flag, "--server")
    if environ.get("XCE_SERVER"):
        return _parse(environ["XCE_SERVER"], "XCE_SERVER")
    if environ.get("XCE_TOP"):
        return Address(Path(environ["XCE_TOP"]).absolute() / SOCKET, "XCE_TOP")
    own = own_top(environ, uid=os.getuid() if uid is None else uid, system_top=system_top) / SOCKET
    system = system_top / SOCKET
    if not own.exists() and system.exists():
        return Address(system, "the system's cluster")
    if not own.exists():
        raise Unreachable(
            f"no cluster runs here: neither `{own}` nor `{system}` exists",
            hints=["start one with `xceserver up`", "or name one with `--server unix:PATH`, XCE_SERVER or XCE_TOP"],
        )
    return Address(own, "your own cluster")


def own_top(environ: Mapping[str, str], *, uid: int, system_top: Path = SYSTEM_TOP) -> Path:
    """The TopDir that `xceserver up` takes for this user."""
    if uid == 0:
        return system_top
    data = environ.get("XDG_DATA_HOME") or f"{environ.get('HOME', '/')}/.local/share"
    return Path(data) / "xce"


def _parse(text: str, origin: str) -> Address:
    if text.startswith("unix:") and len(text) > len("unix:"):
        return Address(Path(text.removeprefix("unix:").removeprefix("//")).absolute(), origin)
    if text.startswith(("http://", "https://")):
        raise Usage(
            f"{origin}: `{text}`: servers over the network are not supported yet",
            code="not_supported_yet",
            hints=["name a socket of this machine as `unix:PATH`"],
        )
    raise Usage(f"{origin}: `{text}` is no address", code="bad_address", hints=["write it as `unix:PATH`"])
