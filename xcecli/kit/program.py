"""One run of a client's program: what `xcecli` and `xceadmin` share."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

import typer

from xcecli.kit.bridge import run
from xcecli.kit.deps import Deps
from xcecli.kit.guard import run_guarded
from xcecli.kit.io import Io

if TYPE_CHECKING:
    from xcecli.kit.client import XceClient

Connect = Callable[[str | None], "XceClient"]


def connect_with(io: Io) -> Connect:
    """How to reach the server that the flag, or else the environment, names."""

    def connect(flag: str | None) -> "XceClient":
        from xcecli.kit.client import connect as open_client  # late: httpx is for those who use the network
        from xcecli.kit.settings import find_server

        return open_client(find_server(flag, io.environ))

    return connect


def run_program(program: str, app: typer.Typer, argv: Sequence[str], io: Io, connect: Connect | None = None) -> int:
    """Parse, call, show; returns the exit status. Tests pass a `connect` of their own."""
    deps = Deps(io, connect or connect_with(io), lambda: datetime.now().astimezone(), argv)
    try:
        body = partial(run, app, argv, program=program, obj=deps)
        return run_guarded(program, body, io, wants_json=lambda: deps.wants_json)
    finally:
        deps.close()
