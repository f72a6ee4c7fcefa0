"""The agent's talk with the controller, over one link after the other."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any, Final, Protocol

from xceserver.peer import FromWorker, Heartbeat, ToWorker, Welcome, WorkerHello
from xceserver.ports import Clock
from xceserver.worker.log import log

_BATCH_MAX: Final = 200
_BACKOFF_MIN_S: Final = 0.1
_BACKOFF_MAX_S: Final = 5.0
_FIRST_LEASE_S: Final = 10.0  # until the first Welcome


class LinkLost(Exception):
    """The link cannot be opened, or is broken."""


class Link(Protocol):
    """One open connection. Every method raises `LinkLost` when it is broken."""

    async def send(self, messages: Sequence[FromWorker]) -> None:
        """Send the messages as one frame."""
        ...

    def __aiter__(self) -> AsyncIterator[list[ToWorker]]:
        """The frames that arrive, until the link ends."""
        ...

    async def round_trip(self) -> None:
        """Return once the other side has what was sent before."""
        ...

    async def close(self) -> None: ...


Dial = Callable[[], Awaitable[Link]]


class Session:
    """Hello, then everything that may not have been heard, then news; heartbeats at a third of the lease.

    `heard_at` is the steady time up to which the controller is known to have heard of this worker.
    """

    def __init__(
        self,
        dial: Dial,
        *,
        hello: Callable[[], WorkerHello],
        after_hello: Callable[[], list[FromWorker]],
        received: Callable[[ToWorker], None],
        heartbeat: Callable[[], Heartbeat],
        heard: Callable[[float], None],
        clock: Clock,
        rng: random.Random,
    ) -> None:
        """`heard` is told each new steady moment up to which the controller has heard of us."""
        self._dial = dial
        self._hello = hello
        self._after_hello = after_hello
        self._received = received
        self._heartbeat = heartbeat
        self._heard = heard
        self._clock = clock
        self._rng = rng
        self._outbox: list[FromWorker] | None = None
        self._has_mail = asyncio.Event()
        self._welcomed = asyncio.Event()
        self._lease_s = _FIRST_LEASE_S

    @property
    def is_linked(self) -> bool:
        return self._outbox is not None

    def report(self, message: FromWorker) -> None:
        """Send with the next frame. Without a link it is dropped: the next hello is followed by all that counts."""
        if self._outbox is not None:
            self._outbox.append(message)
            self._has_mail.set()

    async def run(self) -> None:
        """Link, talk, link again, until cancelled."""
        wait_s = _BACKOFF_MIN_S
        while True:
            try:
                link = await self._dial()
            except LinkLost:
                await asyncio.sleep(wait_s * self._rng.uniform(0.5, 1.0))
                wait_s = min(wait_s * 2, _BACKOFF_MAX_S)
                continue
            wait_s = _BACKOFF_MIN_S
            try:
                await self._talk(link)
            except LinkLost as error:
                log("link_lost", why=error)
                await asyncio.sleep(wait_s * self._rng.uniform(0.5, 1.0))
            finally:
                self._outbox = None
                await link.close()

    async def _talk(self, link: Link) -> None:
        self._welcomed.clear()
        await link.send([self._hello()])
        self._outbox = self._after_hello()
        self._has_mail.set()
        log("linked")
        await _first_of(self._receive(link), self._send(link), self._beat(link))

    async def _receive(self, link: Link) -> None:
        async for messages in link:
            for message in messages:
                if isinstance(message, Welcome):
                    self._lease_s = message.lease_s
                    self._welcomed.set()
                self._received(message)
        raise LinkLost("the controller closed the link")

    async def _send(self, link: Link) -> None:
        while self._outbox is not None:
            await self._has_mail.wait()
            batch = self._outbox[:_BATCH_MAX]
            del self._outbox[:_BATCH_MAX]
            if batch:
                await link.send(batch)
            else:
                self._has_mail.clear()

    async def _beat(self, link: Link) -> None:
        """Heartbeats; a link over which none is heard within a third of the lease is given up."""
        await self._welcomed.wait()
        while True:
            third_s = self._lease_s / 3
            sent_at = self._clock.steady()
            try:
                async with asyncio.timeout(third_s):
                    await link.send([self._heartbeat()])
                    await link.round_trip()
            except TimeoutError:
                raise LinkLost("the controller does not answer") from None
            self._heard(sent_at)
            await asyncio.sleep(max(0.0, sent_at + third_s - self._clock.steady()))


async def _first_of(*works: Coroutine[Any, Any, None]) -> None:
    """Run all until one ends, end the others, and raise what it raised."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError, LinkLost):
                await task
