"""The controller's process: recover, serve, stop cleanly."""

import asyncio
import os
import platform
import signal
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
import uvloop

from xcelib.config.canonical import content_hash, from_bytes, to_bytes
from xcelib.config.check import check
from xcelib.config.model import ClusterConfig
from xcelib.errors import BadConfiguration, XceError
from xceserver.api.app import build_app
from xceserver.api.callers import Callers
from xceserver.api.handling import Site
from xceserver.api.presets import PresetFolder
from xceserver.api.transport import PeerHttp, PeerWebSocket
from xceserver.boot.clock import SystemClock
from xceserver.boot.heap import heap_at_rest
from xceserver.boot.topdir import TopDir, lock, refuse_what_is_not_read
from xceserver.boot.version import VERSION
from xceserver.controller.commits import Committer
from xceserver.controller.controller import Controller
from xceserver.controller.desk import ControllerDesk
from xceserver.controller.retention import Retention
from xceserver.core.commands import ApplyConfig
from xceserver.core.records import Actor
from xceserver.store.database import Reader, open_database, recover
from xceserver.store.writer import Writer

FRAME_MAX = 256 << 20
RESERVE_BYTES = 64 << 20
RESERVE_SHARE = 0.05
STORAGE_LOOK_S = 1.0
SWITCH_S = 0.0002  # the loop and the writer's thread take turns: 5 ms, the default, would be added to a commit
EXIT_BUG = 70  # EX_SOFTWARE
EXIT_STORE_FAILED = 74  # EX_IOERR


class Storage:
    """Whether the disk of the state is nearly full: less than 64 MiB or 5 %, whichever is less (G12)."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.is_full = False

    def look(self) -> None:
        status = os.statvfs(self._path)
        free = status.f_bavail * status.f_frsize
        self.is_full = free < min(RESERVE_BYTES, RESERVE_SHARE * status.f_blocks * status.f_frsize)


class _StoreAndReader:
    """The store's two sides as the controller's one port."""

    def __init__(self, committer: Committer, reader: Reader) -> None:
        self.commit = committer.commit
        self.spec = reader.spec
        self.answer = reader.answer


def refuse_bad(config: ClusterConfig) -> None:
    """A controller never starts with a configuration that names what does not exist (exit 78)."""
    faults = [finding.as_fault() for finding in check(config) if finding.severity == "error"]
    if faults:
        first = "; ".join(f"{fault.path}: {fault.message}" for fault in faults[:5])
        raise BadConfiguration(
            f"the stored configuration has {len(faults)} error(s): {first}",
            hints=["it was written by another version or damaged; apply a right one before the start"],
            faults=faults,
        )


def run_controller(top: TopDir) -> int:
    """Serve until SIGTERM. Everything answered by then is on disk."""
    sys.setswitchinterval(SWITCH_S)
    refuse_what_is_not_read(top)
    lock(top.state / "controller.lock", what="a controller")
    connection = open_database(top.database, cluster_uuid=lambda: str(uuid.uuid4()))
    with heap_at_rest():
        state, document = recover(connection, top.database)
    refuse_bad(state.config)
    reader = Reader(connection, top.database)
    last_seq, cluster_uuid = reader.last_seq(), reader.meta("cluster_uuid") or ""
    clock = SystemClock()
    storage = Storage(top.state)
    storage.look()
    reading, archive = Reader.open(top.database), Reader.open(top.database)
    desk = ControllerDesk(
        clock=clock,
        history=reading,
        archive=archive,
        storage_is_full=lambda: storage.is_full,
        die=lambda: os._exit(EXIT_BUG),
    )

    async def main() -> None:
        loop = asyncio.get_running_loop()
        writer = Writer(connection, failed=_store_failed)
        committer = Committer(
            writer, clock=clock, call_later=loop.call_later, call_soon_threadsafe=loop.call_soon_threadsafe
        )
        port = _StoreAndReader(committer, reading)
        controller = Controller(
            state,
            document or to_bytes(state.config),
            store=port,
            followers=desk,
            clock=clock,
            last_seq=last_seq,
        )
        desk.attach(controller, committer)
        if not controller.state.generation.number:
            _apply_first(top, controller)
            committer.flush()
        site = Site(
            desk,
            Callers(owner_uid=os.stat(top.path).st_uid),
            host=platform.node(),
            cluster_uuid=cluster_uuid,
            version=VERSION,
        )
        server = _server(top, build_app(site, PresetFolder(top.config / "presets")))
        loop.add_signal_handler(signal.SIGTERM, server.stop)
        retention = Retention(writer, clock=clock, keep_s=lambda: float(state.config.history.keep_s))
        timers = [
            asyncio.create_task(_every(STORAGE_LOOK_S, storage.look)),
            asyncio.create_task(_every(0.25, desk.tick)),
            asyncio.create_task(_every(60.0, retention.sweep)),
        ]
        try:
            await server.serve()
        finally:
            for timer in timers:
                timer.cancel()
            committer.flush()
            await asyncio.to_thread(writer.close)

    uvloop.run(main())
    reading.close()
    archive.close()
    connection.close()
    return 0


def _apply_first(top: TopDir, controller: Controller) -> None:
    """Make the configuration that `up` built the first generation (10-config)."""
    try:
        document = top.first_configuration.read_bytes()
    except FileNotFoundError:
        return
    config = from_bytes(document)
    owner = Actor(user="xce", uid=os.stat(top.path).st_uid, role="admin")
    command = ApplyConfig(
        actor=owner, document=document, config=config, hash=content_hash(config), message="the first, built by `up`"
    )

    def reply(answer: object) -> None:
        if isinstance(answer, XceError):
            raise answer

    controller.handle(command, reply)


def _server(top: TopDir, app: object) -> "_OwnerServer":
    path = top.socket
    path.unlink(missing_ok=True)
    config = uvicorn.Config(
        app,  # type: ignore[arg-type]
        uds=str(path),
        http=PeerHttp,
        ws=PeerWebSocket,
        ws_max_size=FRAME_MAX,
        ws_ping_interval=None,
        ws_per_message_deflate=False,
        lifespan="off",
        log_config=None,
        proxy_headers=False,
        access_log=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=2,
        h11_max_incomplete_event_size=16 << 10,
    )
    server = _OwnerServer(config)
    server.socket_mode = 0o666 if os.stat(top.path).st_uid == 0 else 0o600
    return server


class _OwnerServer(uvicorn.Server):
    """uvicorn opens a unix socket to everyone; ours is the owner's alone, unless the cluster is root's.

    It would also end the process by the signal that stopped it; ours has transactions to finish first.
    """

    socket_mode = 0o600

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    def stop(self) -> None:
        self.should_exit = True

    async def startup(self, sockets: "list[object] | None" = None) -> None:  # type: ignore[override]
        old = os.umask(0o177)
        try:
            await super().startup(sockets=None)
        finally:
            os.umask(old)
        assert self.config.uds is not None
        os.chmod(self.config.uds, self.socket_mode)


async def _every(seconds: float, act: "object") -> None:
    assert callable(act)
    while True:
        await asyncio.sleep(seconds)
        act()


def _store_failed(error: BaseException) -> None:
    """Called in the writer's thread: nothing may be acknowledged from here on (G1)."""
    print(f"controller store_failed error={error!r}: stopping", file=sys.stderr, flush=True)
    os._exit(EXIT_STORE_FAILED)


def ignore_interrupt() -> None:
    """Ctrl-C on a terminal goes to the whole group; `up` decides who stops when."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
