"""`xceadmin`: the administrator's client."""

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
        return run_guarded("xceadmin", lambda: run(app, argv, program="xceadmin", obj=deps), io, is_json=is_json)
    finally:
        deps.close()


def entry() -> None:
    io = real_io()
    sys.exit(main(sys.argv[1:], io, connect_with(io)))


if __name__ == "__main__":
    entry()
