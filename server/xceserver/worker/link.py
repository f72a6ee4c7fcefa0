"""The real link: a WebSocket on the controller's unix socket, frames of MessagePack."""

from collections.abc import AsyncIterator, Sequence
from typing import Final

import msgspec
from websockets.asyncio.client import ClientConnection, unix_connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from xceserver.peer import FromWorker, ToWorker
from xceserver.worker.session import Link, LinkLost

PATH: Final = "/xce/v1/peer/worker"
_FRAME_MAX: Final = 64 << 20  # many starts with a megabyte of script each
_DECODER: Final = msgspec.msgpack.Decoder(list[ToWorker])
_ENCODER: Final = msgspec.msgpack.Encoder()


class WebSocketLink:
    """See `session.Link`."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    async def send(self, messages: Sequence[FromWorker]) -> None:
        try:
            await self._connection.send(_ENCODER.encode(messages))
        except ConnectionClosed as error:
            raise LinkLost(str(error)) from error

    async def __aiter__(self) -> AsyncIterator[list[ToWorker]]:
        try:
            async for frame in self._connection:
                if isinstance(frame, str):
                    raise LinkLost("the controller sent text")
                yield _DECODER.decode(frame)
        except (ConnectionClosed, msgspec.DecodeError) as error:
            raise LinkLost(str(error)) from error

    async def round_trip(self) -> None:
        try:
            await (await self._connection.ping())
        except ConnectionClosed as error:
            raise LinkLost(str(error)) from error

    async def close(self) -> None:
        await self._connection.close()


async def dial(socket_path: str) -> Link:
    """Open a link to the controller that listens there. Raises `LinkLost`."""
    try:
        connection = await unix_connect(
            socket_path,
            f"ws://localhost{PATH}",
            max_size=_FRAME_MAX,
            compression=None,
            ping_interval=None,  # the session's heartbeats do it
            open_timeout=5,
            close_timeout=1,
        )
    except (OSError, WebSocketException) as error:
        raise LinkLost(str(error)) from error
    return WebSocketLink(connection)
