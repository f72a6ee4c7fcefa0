"""`xcecli job`."""

import typer

from xcecli.commands.elements import check_elements, dispatched, state_of
from xcecli.kit.bridge import new_app
from xcecli.kit.deps import Deps
from xcecli.kit.flags import Json, OneJob
from xcecli.kit.selectors import one_job
from xcecli.kit.showing import detail_lines, element_lines
from xcelib.ranges import IndexSet
from xcelib.wire import ElementRow

app = new_app("Show everything about a job, or about one of its elements.")


@app.command(epilog="Examples: xcecli job 12 | xcecli job '12[3]' | xcecli job last --json")
def job(
    ctx: typer.Context,
    job: OneJob,
    is_json: Json = False,
) -> None:
    """Show everything about a job, or about one of its elements."""
    deps: Deps = ctx.obj
    deps.is_json = is_json
    job_id, index = one_job(deps, job)
    detail = deps.client.job(job_id)
    if index is None:
        deps.show("job/1", detail, lambda: detail_lines(detail, deps.io.width))
        return
    check_elements(job_id, detail.spec.array, [index])
    found = dispatched(deps.client, job_id, IndexSet.single(index)).get(index)
    element = found or ElementRow(index=index, state=state_of(detail.row, None))
    deps.show("element/1", {"job": job_id, "element": element}, lambda: element_lines(detail, element, deps.io.width))
