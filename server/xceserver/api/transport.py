"""uvicorn on a unix socket, with the kernel's word on who calls (SO_PEERCRED) in `scope["client"]`."""

import asyncio
import socket
import struct
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

_CREDENTIALS = struct.Struct("3i")
SOCKET_PATH_MAX = 107  # bytes of sun_path without its NUL


def peer_of(transport: asyncio.BaseTransport) -> tuple[str, int] | None:
    """("uid:gid", pid) of the process at the other end of a unix socket; None for any other transport."""
    connection: socket.socket | None = transport.get_extra_info("socket")
    if connection is None or connection.family != socket.AF_UNIX:
        return None
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    pid, uid, gid = _CREDENTIALS.unpack(raw)
    return f"{uid}:{gid}", pid


class PeerHttp(HttpToolsProtocol):
    """HTTP whose `scope["client"]` is the peer's credentials."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.client = peer_of(transport)


class PeerWebSocket(WebSocketsSansIOProtocol):
    """WebSockets likewise."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.client = peer_of(transport)
