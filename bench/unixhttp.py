"""A client as thin as a benchmark needs: requests made beforehand, one connection, answers in order."""

import socket
from pathlib import Path
from types import TracebackType
from typing import Self


def request(method: str, path: str, *, body: bytes = b"", key: str = "") -> bytes:
    """The bytes of one request; `key` is its Idempotency-Key."""
    lines = [f"{method} {path} HTTP/1.1", "Host: bench", f"Content-Length: {len(body)}"]
    lines += ["Content-Type: application/json"] if body else []
    lines += [f"Idempotency-Key: {key}"] if key else []
    return "\r\n".join([*lines, "", ""]).encode() + body


class Link:
    """One connection to the API's socket."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(path))
        self._received = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    def send(self, raw: bytes) -> None:
        self._socket.sendall(raw)

    def receive(self) -> bytes:
        """The body of the next answer; a status that is not 2xx ends the benchmark."""
        while b"\r\n\r\n" not in self._received:
            self._more()
        head, _, rest = self._received.partition(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        while len(rest) < length:
            self._received = b""
            self._more()
            rest += self._received
        body, self._received = rest[:length], rest[length:]
        if not head.startswith(b"HTTP/1.1 2"):
            raise SystemExit(f"xce answered: {head.splitlines()[0].decode()}: {body.decode()}")
        return body

    def ask(self, raw: bytes) -> bytes:
        self.send(raw)
        return self.receive()

    def _more(self) -> None:
        chunk = self._socket.recv(1 << 16)
        if not chunk:
            raise SystemExit("xce closed the connection")
        self._received += chunk
