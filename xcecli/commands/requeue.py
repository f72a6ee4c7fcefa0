"""`xcecli requeue`."""

import typer

from xcecli.commands.acting import act
from xcecli.kit.bridge import new_app
from xcecli.kit.deps import Deps
from xcecli.kit.flags import JobIds, Json, Why, Yes

app = new_app("End running jobs and let them wait again.")


@app.command(epilog='Example: xcecli requeue 12 --why "bad host"')
def requeue(
    ctx: typer.Context,
    jobs: JobIds,
    why: Why = "",
    is_yes: Yes = False,
    is_json: Json = False,
) -> None:
    """End running jobs and let them wait again."""
    deps: Deps = ctx.obj
    deps.is_json = is_json
    act(deps, "requeue", jobs, is_yes=is_yes, why=why)
