"""What the agent, its launcher and the supervisors say to each other on one host.

Agent and launcher: frames on a socket pair (a script may have a megabyte). Supervisors: datagrams, which
need no connection, so that an agent that was restarted talks on as if nothing had happened.
"""

import msgspec

from xceserver.peer import AttemptKey, Ended, OutputChunk, ReadOutput, Resumed, Started, StartInfo, Suspended, Usage

HEAD = 4  # bytes of a frame's length
DATAGRAM_MAX = 160 << 10  # below the kernel's default send buffer
CHUNK_MAX = 128 << 10


class Account(msgspec.Struct, frozen=True):
    """As whom the processes of a job run. `is_own`: the worker's own account, nothing is changed."""

    name: str
    uid: int
    gid: int
    groups: tuple[int, ...]
    home: str
    shell: str
    is_own: bool


class OutputFiles(msgspec.Struct, frozen=True):
    """Where a job's output goes, and who may read its own files; "" is what is kept in the attempt's folder."""

    account: Account
    out: str
    err: str


# --- agent -> launcher ------------------------------------------------------------------------------------------


class Launch(msgspec.Struct, frozen=True, tag=True):
    """Start the attempt, if its folder was never made before."""

    info: StartInfo


class ReadAs(msgspec.Struct, frozen=True, tag=True):
    """Read a job's own file as its user; an `OutputChunk` comes back as a datagram."""

    asked: ReadOutput
    account: Account
    path: str


ToLauncher = Launch | ReadAs

# --- launcher -> agent ------------------------------------------------------------------------------------------


class Forked(msgspec.Struct, frozen=True, tag=True):
    key: AttemptKey
    pid: int


class NotForked(msgspec.Struct, frozen=True, tag=True):
    """No supervisor was started; `is_repeat`: the attempt was launched here before."""

    key: AttemptKey
    text: str
    is_repeat: bool = False


class Gone(msgspec.Struct, frozen=True, tag=True):
    """The supervisor is no more; `status` is what `waitpid` told."""

    key: AttemptKey
    status: int


FromLauncher = Forked | NotForked | Gone

# --- agent -> supervisor ----------------------------------------------------------------------------------------


class Query(msgspec.Struct, frozen=True, tag=True):
    """Say again what you are: an agent that was restarted asks."""


class Act(msgspec.Struct, frozen=True, tag=True):
    """`action` is that of `peer.Signal`."""

    action: str
    reason: str = ""
    text: str = ""


class Forget(msgspec.Struct, frozen=True, tag=True):
    """The end is in the agent's journal: exit."""


ToSupervisor = Query | Act | Forget

# --- supervisor -> agent ----------------------------------------------------------------------------------------


class Starting(msgspec.Struct, frozen=True, tag=True):
    """The answer to `Query` while the tasks are on their way."""

    key: AttemptKey


class Sampled(msgspec.Struct, frozen=True, tag=True):
    key: AttemptKey
    usage: Usage


FromSupervisor = Starting | Started | Suspended | Resumed | Sampled | Ended | OutputChunk

ENCODER = msgspec.msgpack.Encoder()
TO_LAUNCHER = msgspec.msgpack.Decoder(ToLauncher)
FROM_LAUNCHER = msgspec.msgpack.Decoder(FromLauncher)
TO_SUPERVISOR = msgspec.msgpack.Decoder(ToSupervisor)
FROM_SUPERVISOR = msgspec.msgpack.Decoder(FromSupervisor)


def framed(message: ToLauncher | FromLauncher) -> bytes:
    """A message as it goes over the socket pair."""
    body = ENCODER.encode(message)
    return len(body).to_bytes(HEAD, "big") + body
