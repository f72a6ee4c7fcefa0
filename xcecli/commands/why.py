"""`xcecli why`."""

import typer

from xcecli.kit.bridge import new_app
from xcecli.kit.deps import Deps
from xcecli.kit.flags import Json, OneJob
from xcecli.kit.selectors import one_job
from xcecli.kit.showing import why_lines

app = new_app("Say why a job waits.")


@app.command(epilog="Example: xcecli why 12")
def why(
    ctx: typer.Context,
    job: OneJob,
    is_json: Json = False,
) -> None:
    """Say why a job waits."""
    deps: Deps = ctx.obj
    deps.is_json = is_json
    job_id, _ = one_job(deps, job)
    report = deps.client.why(job_id)
    deps.show("why/1", report, lambda: why_lines(report))
