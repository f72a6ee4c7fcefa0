"""`xcecli explain`."""

import typer

from xcecli.commands.elements import check_elements_of
from xcecli.kit.bridge import new_app
from xcecli.kit.deps import Deps
from xcecli.kit.flags import Json, OneJob
from xcecli.kit.selectors import one_job
from xcecli.kit.showing import explain_lines

app = new_app("Show every effective value of a job and where it comes from.")


@app.command(epilog="Example: xcecli explain 12")
def explain(
    ctx: typer.Context,
    job: OneJob,
    is_json: Json = False,
) -> None:
    """Show every effective value of a job and where it comes from."""
    deps: Deps = ctx.obj
    deps.is_json = is_json
    job_id, index = one_job(deps, job)
    if index is not None:  # all elements of an array have the same values
        check_elements_of(deps.client, job_id, [index])
    table = deps.client.explain(job_id)
    deps.show("explain/1", table, lambda: explain_lines(table, deps.io.width))
