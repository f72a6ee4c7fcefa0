"""`xcecli hosts`."""

import typer

from xcecli.kit.bridge import new_app
from xcecli.kit.deps import Deps
from xcecli.kit.flags import Json
from xcecli.kit.showing import host_lines

app = new_app("List hosts.")


@app.command(epilog="Example: xcecli hosts")
def hosts(
    ctx: typer.Context,
    is_json: Json = False,
) -> None:
    """List hosts."""
    deps: Deps = ctx.obj
    deps.is_json = is_json
    found = deps.client.hosts()
    deps.show("hosts/1", found, lambda: host_lines(found.hosts, deps.io.width))
