"""`xcecli`: builds the dependencies, runs guarded, exits."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from xcecli.kit.bridge import Table, lazy_group, new_app
from xcecli.kit.io import Io, real_io
from xcecli.kit.program import Connect, run_program

COMMANDS: Table = {
    "submit": ("xcecli.commands.submit", "Submit a job."),
    "jobs": ("xcecli.commands.jobs", "List live jobs, yours unless told otherwise."),
    "job": ("xcecli.commands.job", "Show everything about a job, or about one of its elements."),
    "logs": ("xcecli.commands.logs", "Print or follow what a job wrote."),
    "wait": ("xcecli.commands.wait", "Wait for jobs to end."),
    "kill": ("xcecli.commands.kill", "End jobs, whether they wait or run."),
    "stop": ("xcecli.commands.stop", "Hold waiting jobs, suspend running ones."),
    "resume": ("xcecli.commands.resume", "Release held jobs, continue suspended ones."),
    "requeue": ("xcecli.commands.requeue", "End running jobs and let them wait again."),
    "why": ("xcecli.commands.why", "Say why a job waits."),
    "explain": ("xcecli.commands.explain", "Show every effective value of a job and where it comes from."),
    "history": ("xcecli.commands.history", "List finished jobs, the newest first."),
    "queues": ("xcecli.commands.queues", "List queues."),
    "apps": ("xcecli.commands.apps", "List application profiles."),
    "hosts": ("xcecli.commands.hosts", "List hosts."),
    "preset": ("xcecli.commands.preset", "Keep, pull and show presets."),
    "lint": ("xcecli.commands.lint", "Check the directives of a script, as submit does."),
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


def main(argv: Sequence[str], io: Io, connect: Connect | None = None) -> int:
    """One run; returns the exit status."""
    return run_program("xcecli", app, argv, io, connect)


def entry() -> None:
    sys.exit(main(sys.argv[1:], real_io()))


if __name__ == "__main__":
    entry()
