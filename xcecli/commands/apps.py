"""`xcecli apps`."""

import typer

from xcecli.kit.bridge import new_app
from xcecli.kit.deps import Deps
from xcecli.kit.flags import Json
from xcecli.kit.showing import app_lines

app = new_app("List application profiles.")


@app.command(epilog="Example: xcecli apps")
def apps(
    ctx: typer.Context,
    is_json: Json = False,
) -> None:
    """List application profiles."""
    deps: Deps = ctx.obj
    deps.is_json = is_json
    found = deps.client.apps()
    deps.show("apps/1", found, lambda: app_lines(found.apps, deps.io.width))
