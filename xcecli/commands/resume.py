"""`xcecli resume`."""

import typer

from xcecli.commands.acting import act
from xcecli.kit.bridge import new_app
from xcecli.kit.deps import Deps
from xcecli.kit.flags import JobIds, Json, Yes

app = new_app("Release held jobs, continue suspended ones.")


@app.command(epilog="Example: xcecli resume 12")
def resume(
    ctx: typer.Context,
    jobs: JobIds,
    is_yes: Yes = False,
    is_json: Json = False,
) -> None:
    """Release held jobs, continue suspended ones."""
    deps: Deps = ctx.obj
    deps.is_json = is_json
    act(deps, "resume", jobs, is_yes=is_yes)
