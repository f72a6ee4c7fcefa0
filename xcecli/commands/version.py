"""`xcecli version`."""

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed

import typer

from xcecli.kit.bridge import new_app
from xcecli.kit.deps import Deps
from xcecli.kit.flags import Json
from xcelib.errors import Unreachable

app = new_app("Print the versions of client and server.")


@app.command(epilog="Example: xcecli version")
def version(ctx: typer.Context, is_json: Json = False) -> None:
    """Print the versions of client and server."""
    deps: Deps = ctx.obj
    deps.is_json = is_json
    try:
        own = installed("xce")
    except PackageNotFoundError:
        own = "0+source"
    found: dict[str, str | None] = {"client": own, "server": None, "cluster": None}
    try:
        answer = deps.client.version()
        found |= {"server": answer["version"], "cluster": answer["cluster"]}
    except Unreachable as error:
        deps.io.note(f"xcecli: note: {error.message}")
    deps.show("version/1", found, lambda: [f"{name} {value}" for name, value in found.items() if value])
