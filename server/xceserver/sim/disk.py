"""The controller's disk: a real SQLite in memory; what was not committed when the power went is gone."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from random import Random

from xceserver.sim.clock import SimClock
from xceserver.store.database import Reader
from xceserver.store.schema import FORMAT, TABLES
from xceserver.store.writer import Transaction

NAME = Path("simulated")


class SimDisk:
    """What is durable. It outlives the controllers that write to it."""

    def __init__(self) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.connection.executescript(TABLES)
        self.connection.execute("INSERT INTO meta VALUES ('format', ?)", (str(FORMAT),))

    def close(self) -> None:
        self.connection.close()

    def write(self, transaction: Transaction) -> None:
        self.connection.execute("BEGIN")
        for sql, rows in transaction.statements:
            self.connection.executemany(sql, rows)
        self.connection.execute("COMMIT")


class SimStore:
    """One controller's way to the disk: transactions wait for their turn, and are dropped by a crash."""

    def __init__(self, disk: SimDisk, *, clock: SimClock, rng: Random) -> None:
        self._disk = disk
        self._clock = clock
        self._rng = rng
        self._waiting: list[tuple[Transaction, Callable[[], None]]] = []
        self._is_armed = False
        self._is_dead = False
        self._reader = Reader(disk.connection, NAME)
        self.spec = self._reader.spec
        self.answer = self._reader.answer

    def commit(self, transaction: Transaction, done: Callable[[], None]) -> None:
        self._waiting.append((transaction, done))
        if not self._is_armed:
            self._is_armed = True
            self._clock.call_later(self._rng.choice((0.0002, 0.001, 0.02)), self._flush)

    def crash(self) -> None:
        """Power off: what waits was never acknowledged, and is lost."""
        self._is_dead = True
        self._waiting.clear()

    def _flush(self) -> None:
        self._is_armed = False
        if self._is_dead:
            return
        batch, self._waiting = self._waiting, []
        for transaction, _ in batch:
            self._disk.write(transaction)
        for _, done in batch:
            if not self._is_dead:
                done()
