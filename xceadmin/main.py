"""`xceadmin`: the administrator's client."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from xcecli.kit.bridge import Table, lazy_group, new_app
from xcecli.kit.io import Io, real_io
from xcecli.kit.program import Connect, run_program

COMMANDS: Table = {
    "config": ("xceadmin.commands.config", "Check, build, show and apply configuration."),
    "host": ("xceadmin.commands.host", "List, drain, close and open hosts."),
    "queue": ("xceadmin.commands.queue", "List, open, close, activate and inactivate queues."),
    "explain": ("xceadmin.commands.explain", "Tell the longer story of a configuration fault."),
}

app = new_app("Administer a cluster.", is_group=True)


@app.callback(cls=lazy_group(COMMANDS))
def options(
    ctx: typer.Context,
    server: Annotated[
        str | None, typer.Option("--server", metavar="ADDRESS", help="The server, as `unix:PATH`.")
    ] = None,
) -> None:
    """Administer a cluster: its configuration, hosts and queues."""
    ctx.obj.server = server


def main(argv: Sequence[str], io: Io, connect: Connect | None = None) -> int:
    """One run; returns the exit status."""
    return run_program("xceadmin", app, argv, io, connect)


def entry() -> None:
    sys.exit(main(sys.argv[1:], real_io()))


if __name__ == "__main__":
    entry()
