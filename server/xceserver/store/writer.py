"""The one writer: a thread with one connection that commits whatever has gathered, in one transaction."""

import os
import queue
import sqlite3
import threading
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from xcelib.states import FINAL
from xceserver.core.apply import Touched
from xceserver.core.events import AnyEvent
from xceserver.core.records import encode_hook
from xceserver.store.records import pack, pack_job

_EVENTS = msgspec.msgpack.Encoder(enc_hook=encode_hook)

Row = tuple[Any, ...]
Statement = tuple[str, list[Row]]

INSERT_EVENTS = "INSERT INTO events (seq, at, body) VALUES (?, ?, ?)"
UPSERT_JOB = (
    "INSERT INTO jobs (id, user, name, queue, app, submitted_at, ended_at, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (id) DO UPDATE SET ended_at = excluded.ended_at, body = excluded.body"
)
INSERT_SPEC = "INSERT INTO specs (job_id, body) VALUES (?, ?)"
UPSERT_ELEMENT = "INSERT OR REPLACE INTO elements (job_id, idx, is_final, body) VALUES (?, ?, ?, ?)"
UPSERT_HOST = "INSERT OR REPLACE INTO hosts (name, body) VALUES (?, ?)"
UPSERT_QUEUE = "INSERT OR REPLACE INTO queues (name, body) VALUES (?, ?)"
INSERT_GENERATION = "INSERT OR REPLACE INTO generations (number, body, document) VALUES (?, ?, ?)"
INSERT_ANSWER = "INSERT INTO answers (key, digest, at, body) VALUES (?, ?, ?, ?)"


class Transaction:
    """Rows to write together, made on the controller's thread: records are mutable, rows are not."""

    def __init__(self) -> None:
        self.statements: list[Statement] = []

    def add(self, sql: str, rows: list[Row]) -> None:
        if rows:
            self.statements.append((sql, rows))


def rows_of(touched: Touched, events: Iterable[AnyEvent], *, seq: int, at: float) -> Transaction:
    """The transaction for applied events: their log entry, and the record of each entity that they touched."""
    transaction = Transaction()
    transaction.add(INSERT_EVENTS, [(seq, at, _EVENTS.encode([_for_log(event) for event in events]))])
    transaction.add(
        UPSERT_JOB,
        [
            (j.id, j.needs.user, j.name, j.needs.queue, j.needs.app, j.submitted_at, j.ended_at, pack_job(j))
            for j in touched.jobs.values()
        ],
    )
    transaction.add(INSERT_SPEC, [(job_id, spec) for job_id, spec in touched.specs])
    transaction.add(
        UPSERT_ELEMENT,
        [(e.job_id, e.index, e.state in FINAL, pack(e)) for e in touched.elements.values()],
    )
    transaction.add(UPSERT_HOST, [(host.name, pack(host)) for host in touched.hosts.values()])
    transaction.add(UPSERT_QUEUE, [(admin.name, pack(admin)) for admin in touched.queues.values()])
    if touched.config is not None:
        generation, document = touched.config
        transaction.add(INSERT_GENERATION, [(generation.number, pack(generation), document)])
    return transaction


def _for_log(event: AnyEvent) -> AnyEvent:
    """The log does not repeat what has a row of its own: a job's spec, a configuration's document."""
    if hasattr(event, "spec"):
        return msgspec.structs.replace(event, spec=b"", revived=())
    if hasattr(event, "document"):
        return msgspec.structs.replace(event, document=b"")
    return event


class Writer:
    """Owns the writing connection. `commit` returns at once; `done` is called in this thread afterwards.

    The first failure is final: nothing is acknowledged after it, for a retry that succeeds would
    prove nothing (G1). `failed` is called once, in this thread.
    """

    def __init__(self, connection: sqlite3.Connection, *, failed: Callable[[BaseException], None]) -> None:
        self._connection = connection
        self._failed = failed
        self._waiting: queue.SimpleQueue[tuple[Transaction, Callable[[], None]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self.commit_count = 0
        self._thread.start()

    def commit(self, transaction: Transaction, done: Callable[[], None]) -> None:
        self._waiting.put((transaction, done))

    def close(self) -> None:
        """Commit what waits, then stop."""
        self._waiting.put(None)
        self._thread.join()

    def _run(self) -> None:
        is_open = True
        while is_open:
            batch = [self._waiting.get()]
            while not self._waiting.empty():
                batch.append(self._waiting.get())
            is_open = None not in batch
            work = [entry for entry in batch if entry is not None]
            if work:
                try:
                    self._write(work)
                except BaseException as error:  # whatever it is, the controller must hear of it and stop
                    self._failed(error)
                    return
                for _, done in work:
                    done()

    def _write(self, work: list[tuple[Transaction, Callable[[], None]]]) -> None:
        cursor = self._connection.cursor()
        cursor.execute("BEGIN IMMEDIATE")
        for transaction, _ in work:
            for sql, rows in transaction.statements:
                if len(rows) == 1:
                    cursor.execute(sql, rows[0])
                else:
                    cursor.executemany(sql, rows)
        cursor.execute("COMMIT")
        self.commit_count += 1


def set_durability(connection: sqlite3.Connection) -> None:
    """WAL with an fsync at every commit. The test switch is for the negative control of the power-cut test alone."""
    is_skipped = os.environ.get("XCE_TEST_SKIP_FSYNC") == "1"
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA synchronous = {'OFF' if is_skipped else 'FULL'}")
    connection.execute("PRAGMA wal_autocheckpoint = 4000")
