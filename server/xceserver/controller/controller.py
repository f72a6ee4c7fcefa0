"""The controller's heart: commands in, in one order; durable events; then effects, changes and answers.

No asyncio, no sockets, no clock of its own: the server's loop drives it, and the simulator drives the
same class. The order is the contract: decide, apply, queue the transaction; and only when the store
says that it is on disk: effects, followers, answer, watchers.
"""

from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from xcelib.errors import Refused, XceError
from xcelib.merge import Rejection
from xceserver.controller.startinfo import start_info
from xceserver.core import commands as cmd
from xceserver.core import events as ev
from xceserver.core.apply import Touched, apply_all
from xceserver.core.decide import Rules, consequences
from xceserver.core.effects import Answered, Effect, StartAttempt, Tell, effects_of
from xceserver.core.reasons import Waits
from xceserver.core.state import ClusterState
from xceserver.core.view import BucketGone, Change, Committed, Wait, changes, whole
from xceserver.peer import Start, ToWorker
from xceserver.ports import Clock, Store
from xceserver.store.writer import INSERT_ANSWER, rows_of

Reply = Callable[[Any], None]  # an answer, or the exception that stands for none

ANSWER_ENCODER = msgspec.json.Encoder()


class Followers(Protocol):
    """Who hears what was committed."""

    def tell_worker(self, host: str, message: ToWorker) -> None:
        """Send to the host's worker if it is linked; when it is not, its next hello brings both sides together."""
        ...

    def tell_scheduler(self, news: list[Change]) -> None: ...

    def job_moved(self, job_id: int) -> None:
        """The job's record changed; whoever watches it looks again."""
        ...


class Request(msgspec.Struct, frozen=True):
    """What makes a repeated request recognisable: the caller's key, and a digest of what was asked."""

    key: str
    digest: bytes


class _Unseen(msgspec.Struct):
    """What a transaction lets out once it is durable."""

    effects: list[Effect]
    news: list[Change]
    job_ids: list[int]
    replies: list[Reply]
    answer: Any
    key: str = ""


class Controller:
    """Owns the state. Every public method is to be called from one thread."""

    def __init__(
        self,
        state: ClusterState,
        document: bytes,
        *,
        store: Store,
        followers: Followers,
        clock: Clock,
        last_seq: int,
    ) -> None:
        self.state = state
        self.document = document
        self.waits = Waits()
        self._rules = Rules(state.config)
        self._store = store
        self._followers = followers
        self._clock = clock
        self._seq = last_seq
        self._version = 0
        self._answered_plan = 0
        self._known_buckets: set[int] = set()
        self._is_followed = False
        self._open_keys: dict[str, tuple[bytes, list[Reply]]] = {}
        self._queued = 0  # transactions given to the store, and how many of them are on disk: in order, so counts do
        self._durable = 0
        self._evictable = deque((0, job_id) for job_id in state.finished)  # (transaction, job)
        state.finished.clear()
        self._barrier: deque[tuple[int, Callable[[], None]]] = deque()

    # --- commands -------------------------------------------------------------------------------------------

    def handle(self, command: cmd.AnyCommand, reply: Reply, request: Request | None = None) -> None:
        """Decide the command and make it durable; `reply` gets the answer, or the `XceError` that refuses it.

        With a `request`, a repeat gets the first answer (G2), also after a restart.
        """
        if request is not None and self._is_repeat(request, reply):
            return
        now = self._clock.wall()
        try:
            decision = self._rules.decide(self.state, command, now=now)
        except XceError as error:
            reply(error)
            return
        except Exception as error:  # a bug in a rule; rules change nothing, so only its asker hears of it
            reply(error)
            return
        effects = [*decision.effects]
        for effect in decision.effects:
            if isinstance(effect, Answered):
                self._answered_plan = effect.plan
        if isinstance(command, cmd.AdmitPlan):
            self.waits.take(command.plan.waits, at=now)
        if not decision.events:
            unseen = _Unseen(effects, [], [], [reply], decision.answer)
            self.when_durable(lambda: self._let_out(unseen))
            return
        self._transact(decision.events, effects, reply, decision.answer, request, now=now)

    def _is_repeat(self, request: Request, reply: Reply) -> bool:
        waiting = self._open_keys.get(request.key)
        stored = None if waiting is not None else self._store.answer(request.key)
        digest = waiting[0] if waiting is not None else (stored[0] if stored is not None else None)
        if digest is None:
            return False
        if digest != request.digest:
            reply(
                Refused(
                    "this Idempotency-Key was used for another request",
                    code="idempotency_conflict",
                    hints=["make a new key for each new request"],
                )
            )
        elif waiting is not None:
            waiting[1].append(reply)
        elif stored is not None:
            reply(msgspec.Raw(stored[1]))
        return True

    def _transact(
        self,
        events: tuple[ev.AnyEvent, ...],
        effects: list[Effect],
        reply: Reply,
        answer: Any,
        request: Request | None,
        *,
        now: float,
    ) -> None:
        touched = Touched()
        applied = self._apply(events, touched, now=now)
        for event in applied:
            effects.extend(effects_of(self.state, event))
        transaction = rows_of(touched, applied, seq=self._seq + 1, at=now)
        self._seq += len(applied)
        replies = [reply]
        if request is not None:
            self._open_keys[request.key] = (request.digest, replies)
            body = ANSWER_ENCODER.encode(answer)
            transaction.add(INSERT_ANSWER, [(request.key, request.digest, now, body)])
        news = list(changes(self.state, touched, self._known_buckets)) if self._is_followed else []
        self._queued += 1
        self._evictable.extend((self._queued, job_id) for job_id in self.state.finished)
        self.state.finished.clear()
        unseen = _Unseen(effects, news, list(touched.jobs), replies, answer, request.key if request else "")
        self._store.commit(transaction, lambda: self._committed(unseen))

    def _apply(self, events: tuple[ev.AnyEvent, ...], touched: Touched, *, now: float) -> list[ev.AnyEvent]:
        """Apply the events and all that follows from them; returns the whole in order."""
        applied: list[ev.AnyEvent] = []
        todo = list(events)
        while todo:
            apply_all(self.state, todo, touched)
            applied.extend(todo)
            todo = list(consequences(self.state, touched, now=now))
        if self.state.config is not self._rules.config:
            self._rules = Rules(self.state.config)
            assert touched.config is not None
            self.document = touched.config[1]
        return applied

    # --- after the commit -------------------------------------------------------------------------------------

    def _committed(self, unseen: _Unseen) -> None:
        self._durable += 1
        if unseen.key:
            self._open_keys.pop(unseen.key, None)
        self._evict(unseen)
        self._let_out(unseen)
        while self._barrier and self._barrier[0][0] <= self._durable:
            self._barrier.popleft()[1]()

    def _let_out(self, unseen: _Unseen) -> None:
        for effect in unseen.effects:
            self._carry_out(effect)
        is_answer = any(isinstance(effect, Answered) for effect in unseen.effects)
        if self._is_followed and (unseen.news or is_answer):
            self._version += 1
            news = [*unseen.news, Committed(version=self._version, plan=self._answered_plan)]
            self._followers.tell_scheduler(news)
        for job_id in unseen.job_ids:
            self._followers.job_moved(job_id)
        for reply in unseen.replies:
            reply(unseen.answer)

    def _carry_out(self, effect: Effect) -> None:
        match effect:
            case StartAttempt(host=host):
                self._start(host, effect)
            case Tell(host=host, message=message):
                self._followers.tell_worker(host, message)

    def _start(self, host: str, effect: StartAttempt) -> None:
        element = self.state.element(effect.key)
        if element is None:
            return  # ended in the meantime
        raw = self._store.spec(effect.key.job_id)
        assert raw is not None, f"job {effect.key.job_id} is committed without its spec"
        info = start_info(self.state, self.state.jobs[effect.key.job_id], element, raw)
        if isinstance(info, Rejection):
            self.handle(cmd.RefuseStart(effect.key, info.message), lambda _: None)
        else:
            self._followers.tell_worker(host, Start(info))

    def _evict(self, unseen: _Unseen) -> None:
        """Forget final jobs that are on disk and that nobody depends on."""
        kept: list[tuple[int, int]] = []
        while self._evictable and self._evictable[0][0] <= self._durable:
            number, job_id = self._evictable.popleft()
            if self.state.dependents.get(job_id):
                kept.append((number, job_id))
                continue
            bucket = self.state.bucket(self.state.jobs[job_id])
            self.state.evict(job_id)
            if not bucket.job_count:
                self.waits.drop(bucket.id)
                self._known_buckets.discard(bucket.id)
                unseen.news.append(BucketGone(id=bucket.id))
        self._evictable.extendleft(reversed(kept))

    # --- followers and readers ----------------------------------------------------------------------------------

    def when_durable(self, resume: Callable[[], None]) -> None:
        """Call back when all that the state shows now is on disk: what readers see can not be lost."""
        if not self.is_durable:
            self._barrier.append((self._queued, resume))
        else:
            resume()

    @property
    def is_durable(self) -> bool:
        """Whether all that the state shows is on disk."""
        return self._durable == self._queued

    def follow(self) -> None:
        """A scheduler begins: send it everything, then every change."""
        self._is_followed = True
        self._known_buckets = {bucket.id for bucket in self.state.buckets.values()}
        self._answered_plan = 0
        self._version += 1
        news = [*whole(self.state, self.document), Committed(version=self._version, plan=0)]
        self._followers.tell_scheduler(news)

    def unfollow(self) -> None:
        self._is_followed = False
        self.waits.clear()

    @property
    def is_followed(self) -> bool:
        return self._is_followed


__all__ = ["Controller", "Followers", "Reply", "Request", "Wait"]
