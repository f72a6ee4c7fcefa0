"""`xcecli`: builds the dependencies, runs guarded, exits."""

import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from xcecli.kit.bridge import Table, lazy_group, new_app, run
from xcecli.kit.deps import Deps
from xcecli.kit.guard import run_guarded
from xcecli.kit.io import Io, real_io

if TYPE_CHECKING:
    from xcecli.kit.client import XceClient

COMMANDS: Table = {
    "submit": ("xcecli.commands.submit", "Submit a job."),
    "jobs": ("xcecli.commands.jobs", "List jobs."),
    "job": ("xcecli.commands.job", "Show everything about a job."),
    "logs": ("xcecli.commands.logs", "Print or follow what a job wrote."),
    "wait": ("xcecli.commands.wait", "Wait for jobs to end."),
    "kill": ("xcecli.commands.kill", "End jobs, whether they wait or run."),
    "stop": ("xcecli.commands.stop", "Hold waiting jobs, suspend running ones."),
    "resume": ("xcecli.commands.resume", "Release held jobs, continue suspended ones."),
    "requeue": ("xcecli.commands.requeue", "End running jobs and let them wait again."),
    "why": ("xcecli.commands.why", "Say why a job waits."),
    "explain": ("xcecli.commands.explain", "Show every effective value of a job and where it comes from."),
    "history": ("xcecli.commands.history", "List finished jobs."),
    "queues": ("xcecli.commands.queues", "List queues."),
    "apps": ("xcecli.commands.apps", "List application profiles."),
    "hosts": ("xcecli.commands.hosts", "List hosts."),
    "preset": ("xcecli.commands.preset", "Keep, pull and show presets."),
    "lint": ("xcecli.commands.lint", "Check the directives of a script."),
    "version": ("xcecli.commands.version", "Print the versions of client and server."),
}

app = new_app("Submit jobs, watch them, and ask why.", is_group=True)


@app.callback(cls=lazy_group(COMMANDS))
def options(
    ctx: typer.Context,
    server: Annotated[
        str | None,
        typer.Option(
            "--server", metavar="ADDRESS", help="The server, as `unix:PATH` (default: XCE_SERVER, XCE_TOP, your own)."
        ),
    ] = None,
) -> None:
    """Submit jobs, watch them, and ask why.

    Start a cluster on this machine with `xceserver up`, then: xcecli submit -- sleep 10
    """
    ctx.obj.server = server


def connect_with(io: Io) -> "Callable[[str | None], XceClient]":
    """How to reach the server that the environment and the flag name."""

    def connect(flag: str | None) -> "XceClient":
        from xcecli.kit.client import connect as open_client
        from xcecli.kit.settings import find_server

        return open_client(find_server(flag, io.environ))

    return connect


def main(argv: Sequence[str], io: Io, connect: "Callable[[str | None], XceClient]") -> int:
    """One run; returns the exit status."""
    deps = Deps(io, connect, lambda: datetime.now().astimezone(), argv)
    try:
        is_json = "--json" in argv
        return run_guarded("xcecli", lambda: run(app, argv, program="xcecli", obj=deps), io, is_json=is_json)
    finally:
        deps.close()


def entry() -> None:
    io = real_io()
    sys.exit(main(sys.argv[1:], io, connect_with(io)))


if __name__ == "__main__":
    entry()
