"""A controller of the tests' own: the other end of the worker's real link, which keeps all that it hears."""

import threading
from pathlib import Path
from types import TracebackType
from typing import Final, Literal, TypeVar

import msgspec
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, unix_serve

from tests.kit.waiting import wait_for
from xceserver.peer import (
    AttemptKey,
    Declined,
    EndAck,
    Ended,
    FromWorker,
    OutputChunk,
    ReadOutput,
    Signal,
    Start,
    StartInfo,
    ToWorker,
    Welcome,
    WorkerHello,
)

_DECODER: Final = msgspec.msgpack.Decoder(list[FromWorker])
_FRAME_MAX: Final = 64 << 20
M = TypeVar("M", bound=FromWorker)


class Controller:
    """Serves one worker on a unix socket. While `acknowledges`, each end is acknowledged as it comes."""

    def __init__(self, path: Path, *, lease_s: float = 6.0, rerun_fence_s: float = 3600.0) -> None:
        self._path = path
        self._welcome = Welcome(lease_s, rerun_fence_s)
        self._lock = threading.Lock()
        self._heard: list[FromWorker] = []
        self._links: list[ServerConnection] = []
        self._requests = 0
        self.acknowledges = True
        self.open()

    def __enter__(self) -> "Controller":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def open(self) -> None:
        """Listen (again)."""
        self._path.unlink(missing_ok=True)
        self._server = unix_serve(self._serve, str(self._path), max_size=_FRAME_MAX, compression=None)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self) -> None:
        """Hang up and listen no more: what a controller that died looks like."""
        self._server.shutdown()
        for link in self._open_links():
            link.close()
        self._thread.join()
        wait_for("links to end", self._open_links, lambda links: not links)

    def drop_links(self) -> None:
        """Hang up, and take the next link."""
        for link in self._open_links():
            link.close()

    # --- what the worker says ------------------------------------------------------------------------------------

    def heard(self, kind: type[M], key: AttemptKey | None = None) -> list[M]:
        """All messages of a kind, in order; with `key` those about that attempt."""
        with self._lock:
            found = [message for message in self._heard if isinstance(message, kind)]
        return [message for message in found if key is None or getattr(message, "key", None) == key]

    def wait(self, kind: type[M], key: AttemptKey | None = None, *, count: int = 1, limit_s: float = 10.0) -> M:
        """The `count`th message of a kind (about an attempt)."""
        what = f"message {count} {kind.__name__} about {key}"
        return wait_for(what, lambda: self.heard(kind, key), lambda found: len(found) >= count, limit_s=limit_s)[
            count - 1
        ]

    def end_of(self, key: AttemptKey, *, limit_s: float = 10.0) -> Ended:
        """The attempt's one end."""
        return self.wait(Ended, key, limit_s=limit_s)

    @property
    def is_linked(self) -> bool:
        return bool(self._open_links())

    # --- what it is told -----------------------------------------------------------------------------------------

    def tell(self, *messages: ToWorker) -> None:
        """Say it on the newest link, once there is one."""
        links = wait_for("a link", self._open_links, bool)
        links[-1].send(msgspec.msgpack.encode(messages))

    def run(self, info: StartInfo, *, limit_s: float = 10.0) -> Ended:
        """Start an attempt and wait for its end."""
        self.tell(Start(info))
        return self.end_of(info.key, limit_s=limit_s)

    def kill(
        self, key: AttemptKey, action: Literal["kill", "force", "stop", "resume"] = "kill", reason: str = ""
    ) -> None:
        is_end = action in ("kill", "force")
        self.tell(Signal(key, action, reason or ("TERM_OWNER" if is_end else "")))

    def read(
        self, key: AttemptKey, stream: Literal["out", "err"] = "out", *, offset: int = 0, limit: int = 1 << 16
    ) -> OutputChunk:
        """What the attempt wrote."""
        self._requests += 1
        request = self._requests
        self.tell(ReadOutput(request, key, stream, offset, limit))

        def chunks() -> list[OutputChunk]:
            return [chunk for chunk in self.heard(OutputChunk) if chunk.request == request]

        return wait_for("output", chunks, bool)[0]

    # --- the link ------------------------------------------------------------------------------------------------

    def _open_links(self) -> list[ServerConnection]:
        with self._lock:
            return list(self._links)

    def _serve(self, link: ServerConnection) -> None:
        assert link.request is not None
        assert link.request.path == "/xce/v1/peer/worker", link.request.path
        try:
            for frame in link:
                assert isinstance(frame, bytes)
                self._hear(link, _DECODER.decode(frame))
        except ConnectionClosed:
            pass  # a worker that was killed says no goodbye
        finally:
            with self._lock:
                self._links = [other for other in self._links if other is not link]

    def _hear(self, link: ServerConnection, messages: list[FromWorker]) -> None:
        for message in messages:
            if isinstance(message, WorkerHello):
                link.send(msgspec.msgpack.encode([self._welcome]))
                with self._lock:
                    self._links.append(link)
        with self._lock:
            self._heard += messages
        ended = tuple(message.key for message in messages if isinstance(message, Ended | Declined))
        if ended and self.acknowledges:
            link.send(msgspec.msgpack.encode([EndAck(ended)]))
