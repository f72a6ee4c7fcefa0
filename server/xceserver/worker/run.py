"""Composition of the worker: the one entry that boot calls."""

import asyncio
import signal
import sys

from xcelib.errors import XceError
from xceserver.worker.agent import Agent
from xceserver.worker.link import dial
from xceserver.worker.options import WorkerOptions

__all__ = ["WorkerOptions", "run_worker"]


def run_worker(config: WorkerOptions) -> int:
    """Run the worker of this host until SIGTERM or SIGINT; its exit status. Jobs live on when it ends."""
    try:
        return asyncio.run(_run(config))
    except XceError as error:
        print(f"xceserver: error: {error.message}", file=sys.stderr)
        for hint in error.hints:
            print(f"hint: {hint}", file=sys.stderr)
        return int(error.exit_status)


async def _run(config: WorkerOptions) -> int:
    agent = Agent(config, dial=lambda: dial(str(config.socket)))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, agent.stop)
    return await agent.run()
