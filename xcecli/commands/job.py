"""`xcecli job`."""

import typer

from xcecli.kit.bridge import new_app
from xcecli.kit.deps import Deps
from xcecli.kit.flags import Json, OneJob
from xcecli.kit.selectors import one_job
from xcecli.kit.showing import detail_lines

app = new_app("Show everything about a job.")


@app.command(epilog="Examples: xcecli job 12 | xcecli job last --json")
def job(
    ctx: typer.Context,
    job: OneJob,
    is_json: Json = False,
) -> None:
    """Show everything about a job."""
    deps: Deps = ctx.obj
    deps.is_json = is_json
    job_id, _ = one_job(deps, job)
    detail = deps.client.job(job_id)
    deps.show("job/1", detail, lambda: detail_lines(detail, deps.io.width))
