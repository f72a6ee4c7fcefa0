"""`xceadmin queue list|open|close|activate|inactivate`."""

from typing import Annotated

import typer

from xcecli.kit.bridge import new_app
from xcecli.kit.deps import Deps
from xcecli.kit.flags import Json, Why
from xcecli.kit.showing import queue_lines

app = new_app("List, open, close, activate and inactivate queues.", is_group=True)

Name = Annotated[str, typer.Argument(metavar="QUEUE", help="The queue.")]


@app.command("list", epilog="Example: xceadmin queue list")
def list_queues(ctx: typer.Context, is_json: Json = False) -> None:
    """List queues with who closed them, and why."""
    deps: Deps = ctx.obj
    deps.is_json = is_json
    found = deps.client.queues()
    deps.show("queues/1", found, lambda: queue_lines(found.queues, deps.io.width))


def _set(ctx: typer.Context, name: str, action: str, words: str, why: str, is_json: bool) -> None:
    deps: Deps = ctx.obj
    deps.is_json = is_json
    note = deps.client.set_queue(name, action, why)
    deps.show("note/1", note, lambda: [f"queue {name} {words}"])


@app.command("open", epilog="Example: xceadmin queue open night")
def open_queue(ctx: typer.Context, queue: Name, why: Why = "", is_json: Json = False) -> None:
    """Take submits again."""
    _set(ctx, queue, "open", "is open: it takes jobs", why, is_json)


@app.command(epilog="Example: xceadmin queue close night --why 'maintenance on Friday'")
def close(ctx: typer.Context, queue: Name, why: Why = "", is_json: Json = False) -> None:
    """Refuse submits; what waits and runs goes on."""
    _set(ctx, queue, "close", "is closed: it takes no new jobs", why, is_json)


@app.command(epilog="Example: xceadmin queue activate night")
def activate(ctx: typer.Context, queue: Name, why: Why = "", is_json: Json = False) -> None:
    """Start jobs again."""
    _set(ctx, queue, "activate", "is active: it starts jobs", why, is_json)


@app.command(epilog="Example: xceadmin queue inactivate night --why 'licence server is down'")
def inactivate(ctx: typer.Context, queue: Name, why: Why = "", is_json: Json = False) -> None:
    """Start nothing more; submits are taken and wait."""
    _set(ctx, queue, "inactivate", "is inactive: it starts no jobs", why, is_json)
