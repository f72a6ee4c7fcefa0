"""`xcecli stop`."""

import typer

from xcecli.commands.acting import act
from xcecli.kit.bridge import new_app
from xcecli.kit.deps import Deps
from xcecli.kit.flags import JobIds, Json, Why, Yes

app = new_app("Hold waiting jobs, suspend running ones.")


@app.command(epilog='Examples: xcecli stop 12 | xcecli stop 12-20 --yes --why "disk is full"')
def stop(
    ctx: typer.Context,
    jobs: JobIds,
    why: Why = "",
    is_yes: Yes = False,
    is_json: Json = False,
) -> None:
    """Hold waiting jobs, suspend running ones."""
    deps: Deps = ctx.obj
    deps.is_json = is_json
    act(deps, "stop", jobs, is_yes=is_yes, why=why)
