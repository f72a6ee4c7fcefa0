"""The core alone behind the API: what the controller's desk does, without disk, links and other processes."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import msgspec

from tests.kit.builders import Cluster
from xcelib.config.canonical import to_bytes
from xcelib.config.model import ClusterConfig
from xcelib.errors import TryAgain
from xcelib.reasons import Reason
from xcelib.wire import Stream
from xceserver.api.app import build_app
from xceserver.api.callers import Callers
from xceserver.api.handling import Site
from xceserver.api.presets import PresetFolder
from xceserver.core.commands import AnyCommand
from xceserver.core.events import JobSubmitted
from xceserver.core.reasons import Waits, pending_reasons
from xceserver.core.records import Element, Job
from xceserver.core.state import ClusterState
from xceserver.core.view import Change, Plan
from xceserver.peer import AttemptKey, FromWorker, OutputChunk, ToWorker, WorkerHello


class MemoryHistory:
    """What was committed, read from the events."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self.ended: dict[int, list[Element]] = {}  # the core forgets elements that are final; a test puts them here

    def job(self, job_id: int) -> Job | None:
        return self._cluster.state.jobs.get(job_id)

    def spec(self, job_id: int) -> bytes | None:
        events = (event for event in self._cluster.events if isinstance(event, JobSubmitted))
        return next((event.spec for event in events if event.job.id == job_id), None)

    def elements(self, job_id: int, *, after: int = -1, limit: int = 1000) -> list[Element]:
        job = self._cluster.state.jobs.get(job_id)
        found = {element.index: element for element in self.ended.get(job_id, [])}
        found |= (job.elements or {}) if job is not None else {}
        return [found[index] for index in sorted(found) if index > after][:limit]

    def newest_named(self, user: str, name: str) -> Job | None:
        jobs = reversed(self._cluster.state.jobs.values())
        return next((job for job in jobs if (job.needs.user, job.name) == (user, name)), None)

    def ended_jobs(self, *, user: str | None, before: int | None, limit: int, **wanted: str | None) -> list[Job]:
        ended = [job for job in reversed(self._cluster.state.jobs.values()) if job.ended_at is not None]
        return [job for job in ended if before is None or job.id < before][:limit]


class MemoryDesk:
    """`xceserver.api.desk.Desk` on a cluster in memory. `asked` are the commands, with their keys."""

    def __init__(self, config: ClusterConfig | None = None, *, presets: Path = Path("/nonexistent")) -> None:
        self.cluster = Cluster(config)
        self.history = self.archive = MemoryHistory(self.cluster)
        self.asked: list[tuple[AnyCommand, str, bytes]] = []
        self.output = b""
        self.scheduler: tuple[int, str] | None = (77, "0")
        self.is_linked = True
        self.on_watch: Callable[[], None] = lambda: None  # what happens while somebody watches a job
        self.app = build_app(
            Site(self, Callers(owner_uid=0), host="here", cluster_uuid="uuid-1", version="0"), PresetFolder(presets)
        )

    @property
    def state(self) -> ClusterState:
        return self.cluster.state

    @property
    def document(self) -> bytes:
        return to_bytes(self.state.config)

    def linked_hosts(self) -> frozenset[str]:
        return frozenset(self.state.hosts) if self.is_linked else frozenset()

    def load(self, host: str) -> dict[str, float]:
        return {"r1m": 0.5}

    def reasons(self, job: Job) -> tuple[Reason, ...]:
        is_scheduled = self.scheduler is not None
        return pending_reasons(self.state, job, Waits(), is_scheduled=is_scheduled, now=self.cluster.now)

    def reasons_as_of(self) -> float:
        return 0.0

    async def durable(self) -> None: ...

    async def ask(self, command: AnyCommand, *, key: str = "", digest: bytes = b"") -> Any:
        self.asked.append((command, key, digest))
        return self.cluster.do(command)

    async def watch(self, job_id: int, *, seconds: float) -> None:
        self.on_watch()

    async def read_output(self, host: str, key: AttemptKey, stream: Stream, *, offset: int, limit: int) -> OutputChunk:
        if not self.is_linked:
            raise TryAgain(f"host `{host}` is not linked", code="host_not_linked")
        size = len(self.output)
        start = max(0, size + offset) if offset < 0 else offset
        return OutputChunk(request=1, offset=start, data=self.output[start : start + limit], size=size)

    def open_worker(self, hello: WorkerHello, send: Callable[[ToWorker], None]) -> object:
        return object()

    def worker_said(self, host: str, link: object, messages: list[FromWorker]) -> None: ...

    def close_worker(self, host: str, link: object) -> None: ...

    def open_scheduler(self, pid: int, version: str, send: Callable[[list[Change]], None]) -> object:
        return object()

    def scheduler_said(self, link: object, plan: Plan) -> None: ...

    def close_scheduler(self, link: object) -> None: ...


def call(
    desk: MemoryDesk,
    method: str,
    path: str,
    body: Any = None,
    *,
    caller: str | None = "0:0",
    **headers: str,
) -> httpx.Response:
    """One request of a caller (`uid:gid`), with its answer. A body that is no bytes is sent as JSON."""

    async def send() -> httpx.Response:
        client: Any = (caller, 1) if caller is not None else None
        transport = httpx.ASGITransport(desk.app, client=client)
        async with httpx.AsyncClient(transport=transport, base_url="http://xce/xce/v1") as http:
            content = body if isinstance(body, bytes | None) else msgspec.json.encode(body)
            names = {name.replace("_", "-"): value for name, value in headers.items()}
            return await http.request(method, path, content=content, headers=names)

    return asyncio.run(send())
