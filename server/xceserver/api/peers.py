"""The WebSocket links of the peers: workers and the scheduler."""

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from xceserver.api.handling import Site
from xceserver.core.view import Change, FromScheduler, Plan, SchedulerHello
from xceserver.peer import FromWorker, ToWorker, WorkerHello

_FROM_WORKER = msgspec.msgpack.Decoder(list[FromWorker])
_FROM_SCHEDULER = msgspec.msgpack.Decoder(list[FromScheduler])
_ENCODER = msgspec.msgpack.Encoder()
POLICY_VIOLATION = 1008
UNSENT_MAX = 200_000  # messages; a peer that does not read is cut off and says hello again


def routes(site: Site) -> list[WebSocketRoute]:
    peers = _Peers(site)
    return [
        WebSocketRoute("/xce/v1/peer/worker", peers.worker),
        WebSocketRoute("/xce/v1/peer/scheduler", peers.scheduler),
    ]


class _Outbox:
    """Messages on their way out: gathered while one frame is being sent, so frames grow under load."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._unsent: list[Any] = []
        self._wake = asyncio.Event()
        self.task = asyncio.create_task(self._run())

    def put(self, message: Any) -> None:
        self._unsent.append(message)
        self._wake.set()

    def put_all(self, messages: list[Any]) -> None:
        self._unsent.extend(messages)
        self._wake.set()

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            if len(self._unsent) > UNSENT_MAX and self._socket.client_state.name != "CONNECTED":
                return
            batch, self._unsent = self._unsent, []
            try:
                await self._socket.send_bytes(_ENCODER.encode(batch))
            except (WebSocketDisconnect, RuntimeError):
                return  # the link is gone; its reader says so


class _Peers:
    def __init__(self, site: Site) -> None:
        self.desk = site.desk
        self.callers = site.callers

    async def _serve(
        self, socket: WebSocket, hear: Callable[[bytes, _Outbox], None], close: Callable[[], None]
    ) -> None:
        if not self.callers.is_peer(socket.scope):
            await socket.close(POLICY_VIOLATION, "only the cluster's own daemons may link here")
            return
        await socket.accept()
        outbox = _Outbox(socket)
        try:
            while True:
                hear(await socket.receive_bytes(), outbox)
        except (WebSocketDisconnect, msgspec.MsgspecError, KeyError, _Impolite) as error:
            if not isinstance(error, WebSocketDisconnect):
                await socket.close(POLICY_VIOLATION, f"not understood: {error}"[:120])
        finally:
            outbox.task.cancel()
            close()

    async def worker(self, socket: WebSocket) -> None:
        link: list[Any] = []
        host = ""

        def hear(frame: bytes, outbox: _Outbox) -> None:
            nonlocal host
            messages: list[FromWorker] = _FROM_WORKER.decode(frame)
            if not link:
                if not messages or not isinstance(messages[0], WorkerHello):
                    raise _Impolite("a worker says hello first")
                host = messages[0].host
                send: Callable[[ToWorker], None] = outbox.put
                link.append(self.desk.open_worker(messages[0], send))
                del messages[0]
            if messages:
                self.desk.worker_said(host, link[0], messages)

        def close() -> None:
            if link:
                self.desk.close_worker(host, link[0])

        await self._serve(socket, hear, close)

    async def scheduler(self, socket: WebSocket) -> None:
        link: list[Any] = []

        def hear(frame: bytes, outbox: _Outbox) -> None:
            for message in _FROM_SCHEDULER.decode(frame):
                match message:
                    case SchedulerHello(pid=pid, version=version):
                        send: Callable[[list[Change]], None] = outbox.put_all
                        link.append(self.desk.open_scheduler(pid, version, send))
                    case Plan() if link:
                        self.desk.scheduler_said(link[-1], message)
                    case _:
                        raise _Impolite("a scheduler says hello first")

        def close() -> None:
            for each in link:
                self.desk.close_scheduler(each)

        await self._serve(socket, hear, close)


class _Impolite(Exception):
    """A peer that does not keep to the protocol."""
