"""Opening, recovering and querying the database. Damage is refused with what to do, never recreated (G11)."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from xcelib.config.canonical import from_bytes
from xcelib.config.model import empty
from xcelib.errors import ExitStatus, XceError
from xceserver.core.records import Element, Generation, Host, Job, QueueAdmin
from xceserver.core.state import ClusterState, awaited
from xceserver.store.records import (
    DamagedRecord,
    unpack_element,
    unpack_generation,
    unpack_host,
    unpack_job,
    unpack_queue,
)
from xceserver.store.schema import FORMAT, TABLES
from xceserver.store.writer import set_durability

T = TypeVar("T")


class DamagedStore(XceError):
    code = "damaged_store"
    exit_status = ExitStatus.INTERNAL


def _damaged(path: Path, what: str) -> DamagedStore:
    return DamagedStore(
        f"the database `{path}` is damaged: {what}",
        hints=[
            "nothing was changed; look at it with `xceserver store check`",
            "restore a backup made with `xceserver store backup`, or move the folder away to start empty",
        ],
    )


def open_database(path: Path, *, cluster_uuid: Callable[[], str]) -> sqlite3.Connection:
    """The writing connection; makes a new database only where there is no file at all."""
    is_new = not path.exists()
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        set_durability(connection)
        if is_new:
            _create(connection, cluster_uuid())
        else:
            _check(connection, path)
    except sqlite3.DatabaseError as error:
        connection.close()
        raise _damaged(path, str(error)) from error
    except BaseException:  # raised again; only the connection must not stay open
        connection.close()
        raise
    return connection


def _create(connection: sqlite3.Connection, cluster_uuid: str) -> None:
    connection.execute("BEGIN IMMEDIATE")
    for statement in TABLES.split(";"):
        if statement.strip():
            connection.execute(statement)
    rows = [("format", str(FORMAT)), ("cluster_uuid", cluster_uuid)]
    connection.executemany("INSERT INTO meta VALUES (?, ?)", rows)
    connection.execute("COMMIT")


def _check(connection: sqlite3.Connection, path: Path) -> None:
    row = connection.execute("SELECT value FROM meta WHERE key = 'format'").fetchone()
    if row is None:
        raise _damaged(path, "it says no format")
    if int(row[0]) > FORMAT:
        raise XceError(
            f"the database `{path}` has format {row[0]}, this program knows up to {FORMAT}",
            code="newer_store",
            hints=["start a newer xceserver"],
        )


def recover(connection: sqlite3.Connection, path: Path) -> tuple[ClusterState, bytes]:
    """The state as of the last commit, read from the records; and the live configuration's document."""
    reader = Reader(connection, path)
    newest = reader.newest_generation()
    state = ClusterState(empty() if newest is None else from_bytes(newest[1]))
    if newest is not None:
        state.generation = newest[0]
    for host in reader.hosts():
        state.hosts[host.name] = host
    state.queues = {admin.name: admin for admin in reader.queues()}
    elements = reader.live_elements()
    for job in reader.live_jobs():
        job.elements = elements.pop(job.id, None)
        state.adopt_job(job)
    for job_id in sorted({other for job in list(state.jobs.values()) for other in awaited(job)} - state.jobs.keys()):
        finished = reader.job(job_id)
        if finished is None:
            raise _damaged(path, f"job {job_id}, which others depend on, is missing")
        state.revive(finished)
    if elements:
        raise _damaged(path, f"elements without a live job: {sorted(elements)[:5]}")
    state.next_job_id = max(state.next_job_id, reader.last_job_id() + 1)
    return state, newest[1] if newest is not None else b""


class Reader:
    """Queries over committed records. Each thread has its own."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    @classmethod
    def open(cls, path: Path) -> "Reader":
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None, check_same_thread=False)
        return cls(connection, path)

    def close(self) -> None:
        self._connection.close()

    def _records(
        self, what: str, unpack: Callable[[bytes], T], sql: str, values: tuple[object, ...] = ()
    ) -> Iterator[T]:
        """Decoded records of a query whose first column names the record and second is its body."""
        try:
            for name, raw in self._connection.execute(sql, values):
                try:
                    yield unpack(raw)
                except DamagedRecord as error:
                    raise _damaged(self._path, f"{what} {name}: {error}") from error
        except sqlite3.DatabaseError as error:
            raise _damaged(self._path, str(error)) from error

    def meta(self, key: str) -> str | None:
        row = self._connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def hosts(self) -> Iterator[Host]:
        return self._records("host", unpack_host, "SELECT name, body FROM hosts ORDER BY name")

    def queues(self) -> Iterator[QueueAdmin]:
        return self._records("queue", unpack_queue, "SELECT name, body FROM queues ORDER BY name")

    def live_jobs(self) -> Iterator[Job]:
        return self._records("job", unpack_job, "SELECT id, body FROM jobs WHERE ended_at IS NULL ORDER BY id")

    def live_elements(self) -> dict[int, dict[int, Element]]:
        found: dict[int, dict[int, Element]] = {}
        sql = "SELECT job_id, body FROM elements WHERE is_final = 0 ORDER BY job_id, idx"
        for element in self._records("element of job", unpack_element, sql):
            found.setdefault(element.job_id, {})[element.index] = element
        return found

    def last_job_id(self) -> int:
        row = self._connection.execute("SELECT max(id) FROM jobs").fetchone()
        kept = self._connection.execute("SELECT value FROM meta WHERE key = 'last_job_id'").fetchone()
        return max(row[0] or 0, int(kept[0]) if kept is not None else 0)

    def last_seq(self) -> int:
        row = self._connection.execute("SELECT max(seq) FROM events").fetchone()
        return int(row[0] or 0)

    def newest_generation(self) -> tuple[Generation, bytes] | None:
        sql = "SELECT number, body, document FROM generations ORDER BY number DESC LIMIT 1"
        row = self._connection.execute(sql).fetchone()
        if row is None:
            return None
        try:
            return unpack_generation(row[1]), row[2]
        except DamagedRecord as error:
            raise _damaged(self._path, f"configuration {row[0]}: {error}") from error

    def job(self, job_id: int) -> Job | None:
        return next(self._records("job", unpack_job, "SELECT id, body FROM jobs WHERE id = ?", (job_id,)), None)

    def newest_named(self, user: str, name: str) -> Job | None:
        sql = "SELECT id, body FROM jobs WHERE user = ? AND name = ? ORDER BY id DESC LIMIT 1"
        return next(self._records("job", unpack_job, sql, (user, name)), None)

    def spec(self, job_id: int) -> bytes | None:
        row = self._connection.execute("SELECT body FROM specs WHERE job_id = ?", (job_id,)).fetchone()
        return None if row is None else bytes(row[0])

    def elements(self, job_id: int, *, after: int = -1, limit: int = 1000) -> list[Element]:
        sql = "SELECT job_id, body FROM elements WHERE job_id = ? AND idx > ? ORDER BY idx LIMIT ?"
        return list(self._records("element of job", unpack_element, sql, (job_id, after, limit)))

    def ended_jobs(
        self,
        *,
        user: str | None,
        before: int | None,
        limit: int,
        name: str | None = None,
        queue: str | None = None,
        app: str | None = None,
    ) -> list[Job]:
        """Finished jobs, newest id first, below `before`."""
        wheres, values = ["ended_at IS NOT NULL"], list[object]()
        filters = (
            ("user = ?", user),
            ("id < ?", before),
            ("name = ?", name),
            ("queue = ?", queue),
            ("app = ?", app),
        )
        for where, value in filters:
            if value is not None:
                wheres.append(where)
                values.append(value)
        sql = f"SELECT id, body FROM jobs WHERE {' AND '.join(wheres)} ORDER BY id DESC LIMIT ?"
        return list(self._records("job", unpack_job, sql, (*values, limit)))

    def answer(self, key: str) -> tuple[bytes, bytes] | None:
        """The digest of the request that `key` stood for, and the answer it got."""
        row = self._connection.execute("SELECT digest, body FROM answers WHERE key = ?", (key,)).fetchone()
        return None if row is None else (bytes(row[0]), bytes(row[1]))
