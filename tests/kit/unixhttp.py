"""One HTTP request over a unix socket, with nothing between: no retries, no pools."""

import http.client
import socket
from pathlib import Path


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: Path, *, timeout_s: float) -> None:
        super().__init__("xce", timeout=timeout_s)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


def ask(
    path: Path,
    method: str,
    url: str,
    body: bytes | None = None,
    headers: dict[str, str] | None = None,
    *,
    timeout_s: float = 30.0,
) -> tuple[int, bytes]:
    """(status, body). Raises OSError where nobody listens or nobody answers."""
    connection = _UnixConnection(path, timeout_s=timeout_s)
    try:
        connection.request(method, url, body, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read()
    except http.client.HTTPException as error:
        raise OSError(str(error)) from error
    finally:
        connection.close()
