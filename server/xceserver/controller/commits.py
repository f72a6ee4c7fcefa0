"""When to commit: at once for whoever waits, a little later for the rest.

A submit waits for its fsync, and is committed at once. What nobody waits for (ends, dispatches) goes
along with the next such commit, or alone while fsyncs are few: a token bucket lets about 60 a second
through, and nothing waits longer than `DELAY_S`. So at 100 jobs a second a job costs one fsync, not three.
"""

from collections.abc import Callable, Sequence

from xceserver.ports import Clock
from xceserver.store.writer import Row, Transaction, Writer

RATE_PER_S = 60.0
BURST = 20.0
DELAY_S = 0.020

CallLater = Callable[[float, Callable[[], None]], object]


class Budget:
    """A token bucket; `take` may run it into debt, which is paid before anything else goes early."""

    def __init__(self, *, now: float) -> None:
        self._tokens = BURST
        self._filled_at = now

    def take(self, *, now: float) -> None:
        self._fill(now)
        self._tokens = max(self._tokens - 1.0, -BURST)

    def has_token(self, *, now: float) -> bool:
        self._fill(now)
        return self._tokens >= 1.0

    def _fill(self, now: float) -> None:
        self._tokens = min(BURST, self._tokens + (now - self._filled_at) * RATE_PER_S)
        self._filled_at = now


class Committer:
    """Gathers transactions and hands them to the writer thread; `done` comes back on the loop's thread."""

    def __init__(
        self,
        writer: Writer,
        *,
        clock: Clock,
        call_later: CallLater,
        call_soon_threadsafe: Callable[..., object],
    ) -> None:
        self._writer = writer
        self._clock = clock
        self._call_later = call_later
        self._call_soon_threadsafe = call_soon_threadsafe
        self._budget = Budget(now=clock.steady())
        self._gathered: list[tuple[Transaction, Callable[[], None]]] = []
        self._oldest_at = 0.0
        self._is_timed = False
        self.is_urgent = False  # set while the commands of someone who waits are handled

    def commit(self, transaction: Transaction, done: Callable[[], None]) -> None:
        if not self._gathered:
            self._oldest_at = self._clock.steady()
        self._gathered.append((transaction, done))

    def settle(self) -> None:
        """Called after each round of commands: commit now, or see to it that it happens soon."""
        if not self._gathered:
            self.is_urgent = False
            return
        if self.is_urgent or self._budget.has_token(now=self._clock.steady()):
            self.flush()
        elif not self._is_timed:
            self._is_timed = True
            self._call_later(DELAY_S, self._due)

    def _due(self) -> None:
        """What was gathered when the timer was set may have gone along with another commit since."""
        self._is_timed = False
        left_s = self._oldest_at + DELAY_S - self._clock.steady()
        if self._gathered and left_s > 0.0:
            self._is_timed = True
            self._call_later(left_s, self._due)
        else:
            self.flush()

    def flush(self) -> None:
        """One commit, one fsync, for all that has gathered."""
        self.is_urgent = False
        if not self._gathered:
            return
        self._budget.take(now=self._clock.steady())
        batch, self._gathered = self._gathered, []
        together = merged([transaction for transaction, _ in batch])
        callbacks = [done for _, done in batch]

        def done() -> None:
            self._call_soon_threadsafe(_call_all, callbacks)

        self._writer.commit(together, done)


def merged(transactions: Sequence[Transaction]) -> Transaction:
    """All rows as one transaction, each statement once: rows of one table keep their order, and tables do not
    depend on each other inside a commit."""
    rows: dict[str, list[Row]] = {}
    for transaction in transactions:
        for sql, more in transaction.statements:
            rows.setdefault(sql, []).extend(more)
    together = Transaction()
    together.statements = list(rows.items())
    return together


def _call_all(callbacks: list[Callable[[], None]]) -> None:
    for callback in callbacks:
        callback()
