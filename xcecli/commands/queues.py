"""`xcecli queues`."""

import typer

from xcecli.kit.bridge import new_app
from xcecli.kit.deps import Deps
from xcecli.kit.flags import Json
from xcecli.kit.showing import queue_lines

app = new_app("List queues.")


@app.command(epilog="Example: xcecli queues")
def queues(
    ctx: typer.Context,
    is_json: Json = False,
) -> None:
    """List queues."""
    deps: Deps = ctx.obj
    deps.is_json = is_json
    found = deps.client.queues()
    deps.show("queues/1", found, lambda: queue_lines(found.queues, deps.io.width))
