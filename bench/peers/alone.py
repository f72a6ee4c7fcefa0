"""A peer's surroundings: namespaces of its own, so that its daemons reach nothing else and end with it."""

import fcntl
import socket
import struct
from pathlib import Path
from typing import Final

_SIOCSIFFLAGS: Final = 0x8914
_SIOCSIFADDR: Final = 0x8916
_IFF_UP: Final = 1


def alone(python: Path, module: str, *arguments: str) -> list[str]:
    """The argument vector that runs a module as the first process of its own network and pid namespaces.

    When that process ends, in whatever way, the kernel ends all that it started. Needs root.
    """
    namespaces = ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc", "--"]
    return [*namespaces, str(python), "-m", module, *arguments]


def raise_loopback() -> None:
    """Switch on the loopback device, which is down in a new network namespace.

    It gets 127.0.0.2 as well: on a machine with nothing but 127.0.0.1 Slurm's getaddrinfo (AI_ADDRCONFIG)
    finds no address at all.
    """
    address = struct.pack("16sHH4s8x", b"lo:1", socket.AF_INET, 0, socket.inet_aton("127.0.0.2"))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", _IFF_UP))
        fcntl.ioctl(any_socket, _SIOCSIFADDR, address)
