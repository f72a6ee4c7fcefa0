"""The scheduler's process: follows the controller over a WebSocket, plans, offers the plan."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
from websockets.asyncio.client import ClientConnection, unix_connect
from websockets.exceptions import WebSocketException

from xceserver.core import view
from xceserver.ports import Clock
from xceserver.sched.board import Board
from xceserver.sched.session import plan

PATH = "/xce/v1/peer/scheduler"
_DECODER = msgspec.msgpack.Decoder(list[view.Change])
_ENCODER = msgspec.msgpack.Encoder()


class Planner:
    """When to plan: after every change, but never while the last plan is unanswered.

    Pure but for the clock that it is given; the simulator drives it too.
    """

    def __init__(self, clock: Clock) -> None:
        self.board = Board()
        self._clock = clock
        self._number = 0
        self._answered = 0
        self._is_stale = False

    def take(self, changes: list[view.Change]) -> None:
        now = self._clock.wall()
        for change in changes:
            self.board.apply(change, now=now)
            match change:
                case view.Reset():
                    self._number = self._answered = 0
                    self._is_stale = True
                case view.Committed(plan=number):
                    self._answered = max(self._answered, number)
                case _:
                    self._is_stale = True

    def next_plan(self) -> view.Plan | None:
        """A plan with something in it, if there is one to make now."""
        if self.board.wake(now=self._clock.wall()):
            self._is_stale = True
        if not self._is_stale or self._answered < self._number:
            return None
        self._is_stale = False
        made = plan(self.board, number=self._number + 1)
        if not made.starts and not made.waits:
            return None
        self._number += 1
        return made

    @property
    def sleep_s(self) -> float | None:
        """How long nothing can change by itself."""
        begin = self.board.next_begin
        return None if begin is None else max(0.0, begin - self._clock.wall())


async def follow(connection: ClientConnection, planner: Planner, *, version: str) -> None:
    """Serve one link until it breaks."""
    hello = view.SchedulerHello(pid=os.getpid(), version=version)
    await connection.send(_ENCODER.encode([hello]))
    while True:
        try:
            frame = await asyncio.wait_for(connection.recv(decode=False), planner.sleep_s)
        except TimeoutError:
            pass
        else:
            planner.take(_DECODER.decode(frame))
        made = planner.next_plan()
        if made is not None:
            await connection.send(_ENCODER.encode([made]))


async def serve(socket: Path, clock: Clock, *, version: str, log: Callable[[str], None]) -> None:
    """Follow the controller for ever; a broken link is opened again with a whole new picture."""
    wait_s = 0.05
    while True:
        try:
            async with unix_connect(
                str(socket), f"ws://xce{PATH}", compression=None, max_size=None, ping_interval=None
            ) as connection:
                log("linked")
                wait_s = 0.05
                await follow(connection, Planner(clock), version=version)
        except (OSError, WebSocketException, TimeoutError) as error:
            log(f"link_lost error={type(error).__name__}")
        await asyncio.sleep(wait_s)
        wait_s = min(wait_s * 2, 2.0)


def run_scheduler(socket: Path, clock: Clock, *, version: str) -> int:
    """Run until SIGTERM."""
    import signal

    async def main() -> None:
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        await serve(socket, clock, version=version, log=lambda text: print(f"scheduler {text}", file=sys.stderr))

    try:
        asyncio.run(main())
    except asyncio.CancelledError:
        return 0
    return 0
