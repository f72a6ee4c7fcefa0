"""What became of an attempt whose supervisor does not speak: adopted where it lives, ended where it is dead."""

import asyncio
from typing import Final

from xceserver.peer import AttemptKey
from xceserver.ports import Clock
from xceserver.worker.attempt import Attempt
from xceserver.worker.attempts import Attempts
from xceserver.worker.leftovers import kill_leftovers
from xceserver.worker.recovery import Facts, judge
from xceserver.worker.spool import Spool

_AGAIN_S: Final = 0.02
_CLEAN_LOOKS: Final = 5  # that show nothing, one after the other, before nothing is believed to be left


class Inquest:
    """Takes attempts one after the other; all that wait at one time share one look at the processes."""

    def __init__(self, attempts: Attempts, spool: Spool, *, boot_id: str, clock: Clock) -> None:
        self._attempts = attempts
        self._spool = spool
        self._boot_id = boot_id
        self._clock = clock
        self._waiting: dict[AttemptKey, None] = {}
        self._has_work = asyncio.Event()
        self._is_idle = asyncio.Event()
        self._is_idle.set()

    def add(self, key: AttemptKey) -> None:
        self._waiting[key] = None
        self._has_work.set()
        self._is_idle.clear()

    async def settled(self) -> None:
        """Return once nothing waits: what can be known is known."""
        await self._is_idle.wait()

    async def run(self) -> None:
        """Work until cancelled."""
        while True:
            await self._has_work.wait()
            self._has_work.clear()
            keys, self._waiting = list(self._waiting), {}
            dead = [key for key in keys if not self._is_settled_at_once(key)]
            if dead:
                await self._end(dead)
            if not self._waiting:
                self._is_idle.set()

    def _is_settled_at_once(self, key: AttemptKey) -> bool:
        """Adopted, launched again, or over already."""
        attempt = self._attempts.get(key)
        if attempt is None or attempt.is_over:
            return True
        facts = self._facts(attempt)
        if facts.folder == "live":
            self._attempts.adopt(attempt)
            return True
        if facts.folder == "none" and attempt.info is not None:
            self._attempts.relaunch(attempt)  # its intent is durable, and no launcher made its folder
            return True
        return False

    async def _end(self, keys: list[AttemptKey]) -> None:
        """No process of the dead may live when their ends are told (G8)."""
        cookies = {cookie: key for key in keys if (cookie := self._spool.cookie(key)) is not None}
        clean_looks = 0
        while cookies and clean_looks < _CLEAN_LOOKS:
            clean_looks = 0 if kill_leftovers(cookies) else clean_looks + 1
            await asyncio.sleep(_AGAIN_S)
        for key in keys:
            attempt = self._attempts.get(key)
            if attempt is None or attempt.is_over:
                continue
            facts = self._facts(attempt)
            end = judge(facts, now=self._clock.wall())
            assert end is not None, "a dead supervisor does not come to life"
            self._attempts.conclude(key, end)
            if facts.is_end_damaged:
                self._spool.set_aside(key)

    def _facts(self, attempt: Attempt) -> Facts:
        intended_at = attempt.intent.boot_id if attempt.intent is not None else None
        return self._spool.facts(attempt.key, boot_id=self._boot_id, intent_boot_id=intended_at)
