"""`xcecli kill`."""

from typing import Annotated

import typer

from xcecli.commands.acting import act
from xcecli.kit.bridge import new_app
from xcecli.kit.deps import Deps
from xcecli.kit.flags import JobIds, Json, Why, Yes

app = new_app("End jobs, whether they wait or run.")


@app.command(
    epilog="Examples: xcecli kill 12 | xcecli kill '12[3-7]' | xcecli kill name:fit-* --yes --why \"wrong input\""
)
def kill(
    ctx: typer.Context,
    jobs: JobIds,
    why: Why = "",
    force: Annotated[bool, typer.Option("--force", help="SIGKILL at once; on a lost host end the record.")] = False,
    is_yes: Yes = False,
    is_json: Json = False,
) -> None:
    """End jobs, whether they wait or run."""
    deps: Deps = ctx.obj
    deps.is_json = is_json
    act(deps, "kill", jobs, is_yes=is_yes, why=why, force=force)
