"""What the API needs of the controller: an interface owned by the one who uses it."""

from collections.abc import Callable
from typing import Any, Protocol

from xcelib.reasons import Reason
from xcelib.wire import Stream
from xceserver.core.commands import AnyCommand
from xceserver.core.records import Element, Job
from xceserver.core.state import ClusterState
from xceserver.core.view import Change, Plan
from xceserver.peer import AttemptKey, FromWorker, OutputChunk, ToWorker, WorkerHello


class History(Protocol):
    """Committed records, finished jobs among them."""

    def job(self, job_id: int) -> Job | None: ...

    def spec(self, job_id: int) -> bytes | None: ...

    def elements(self, job_id: int, *, after: int = -1, limit: int = 1000) -> list[Element]: ...

    def newest_named(self, user: str, name: str) -> Job | None: ...

    def ended_jobs(
        self,
        *,
        user: str | None,
        before: int | None,
        limit: int,
        name: str | None = None,
        queue: str | None = None,
        app: str | None = None,
    ) -> list[Job]: ...


class Desk(Protocol):
    """The controller as its visitors see it. All of it belongs to the event loop's thread."""

    @property
    def state(self) -> ClusterState:
        """To read, never to change; call `durable` before showing it to anyone."""
        ...

    @property
    def history(self) -> History:
        """For short look-ups on the loop."""
        ...

    @property
    def archive(self) -> History:
        """For long queries in another thread: they must not hold up the look-ups of starts."""
        ...

    @property
    def document(self) -> bytes:
        """The live configuration's canonical document; empty where none was ever applied."""
        ...

    @property
    def scheduler(self) -> tuple[int, str] | None:
        """(pid, version) of the linked scheduler."""
        ...

    def linked_hosts(self) -> frozenset[str]: ...

    def load(self, host: str) -> dict[str, float]: ...

    def reasons(self, job: Job) -> tuple[Reason, ...]: ...

    def reasons_as_of(self) -> float: ...

    async def durable(self) -> None:
        """Return when all that the state shows now is on disk."""
        ...

    async def ask(self, command: AnyCommand, *, key: str = "", digest: bytes = b"") -> Any:
        """The answer to a command, once it is durable. Raises `XceError`."""
        ...

    async def watch(self, job_id: int, *, seconds: float) -> None:
        """Return when the job's record changes, or after `seconds`."""
        ...

    async def read_output(self, host: str, key: AttemptKey, stream: Stream, *, offset: int, limit: int) -> OutputChunk:
        """Ask the host's worker for output. Raises `TryAgain` while it is not linked."""
        ...

    def open_worker(self, hello: WorkerHello, send: Callable[[ToWorker], None]) -> object:
        """A worker's link begins; returns what identifies it."""
        ...

    def worker_said(self, host: str, link: object, messages: list[FromWorker]) -> None: ...

    def close_worker(self, host: str, link: object) -> None: ...

    def open_scheduler(self, pid: int, version: str, send: Callable[[list[Change]], None]) -> object: ...

    def scheduler_said(self, link: object, plan: Plan) -> None: ...

    def close_scheduler(self, link: object) -> None: ...
