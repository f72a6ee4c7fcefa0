"""`xceadmin host list|drain|close|open`."""

from typing import Annotated

import typer

from xcecli.kit.bridge import new_app
from xcecli.kit.deps import Deps
from xcecli.kit.flags import Json, Why
from xcecli.kit.showing import host_lines

app = new_app("List, drain, close and open hosts.", is_group=True)

Name = Annotated[str, typer.Argument(metavar="HOST", help="The host.")]


@app.command("list", epilog="Example: xceadmin host list")
def list_hosts(ctx: typer.Context, is_json: Json = False) -> None:
    """List hosts with who closed them, and why."""
    deps: Deps = ctx.obj
    deps.is_json = is_json
    found = deps.client.hosts()
    deps.show("hosts/1", found, lambda: host_lines(found.hosts, deps.io.width))


def _set(ctx: typer.Context, name: str, action: str, words: str, why: str, is_json: bool) -> None:
    deps: Deps = ctx.obj
    deps.is_json = is_json
    note = deps.client.set_host(name, action, why)
    deps.show("note/1", note, lambda: [f"host {name} {words}"])


@app.command(epilog="Example: xceadmin host drain node7 --why 'new memory'")
def drain(ctx: typer.Context, host: Name, why: Why = "", is_json: Json = False) -> None:
    """Start nothing more on a host, so that it becomes empty."""
    _set(ctx, host, "drain", "is drained: it starts nothing more, what runs goes on", why, is_json)


@app.command(epilog="Example: xceadmin host close node7 --why 'strange errors'")
def close(ctx: typer.Context, host: Name, why: Why = "", is_json: Json = False) -> None:
    """Start nothing more on a host."""
    _set(ctx, host, "close", "is closed: it starts nothing more, what runs goes on", why, is_json)


@app.command("open", epilog="Example: xceadmin host open node7")
def open_host(ctx: typer.Context, host: Name, why: Why = "", is_json: Json = False) -> None:
    """Let a host start jobs again."""
    _set(ctx, host, "open", "is open", why, is_json)
