"""A supervisor's way to its agent: datagrams that wait here while the agent is busy or away."""

import socket
from typing import Final

from xceserver.worker.local import ENCODER, FromSupervisor

_WAITING_MAX: Final = 64


class Mailbox:
    """Sends in order. The agent's socket is reached by path at every new connection: agents come and go."""

    def __init__(self, agent: str) -> None:
        self._agent = agent
        self._socket: socket.socket | None = None
        self._waiting: list[bytes] = []

    @property
    def is_waiting(self) -> bool:
        return bool(self._waiting)

    def post(self, message: FromSupervisor) -> None:
        """Send now, or as soon as `flush` finds the agent. Of very many the oldest are dropped: an agent that
        comes back asks."""
        self._waiting = [*self._waiting[-_WAITING_MAX:], ENCODER.encode(message)]
        self.flush()

    def flush(self) -> None:
        """Send what waits, as far as the agent takes it."""
        while self._waiting and self._sent(self._waiting[0]):
            del self._waiting[0]

    def _sent(self, datagram: bytes) -> bool:
        try:
            if self._socket is None:
                self._socket = _connected(self._agent)
            self._socket.send(datagram)
        except BlockingIOError:
            return False  # its queue is full
        except OSError:
            self._disconnect()  # it is away; its successor binds the same path
            return False
        return True

    def close(self) -> None:
        self._disconnect()

    def _disconnect(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None


def _connected(address: str) -> socket.socket:
    fresh = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
    try:
        fresh.connect(address)
    except OSError:
        fresh.close()
        raise
    return fresh
