"""`xcecli why`."""

import msgspec
import typer

from xcecli.commands.elements import WAITING, check_elements_of, dispatched, narrowed
from xcecli.kit.bridge import new_app
from xcecli.kit.deps import Deps
from xcecli.kit.flags import Json, OneJob
from xcecli.kit.selectors import one_job
from xcecli.kit.showing import why_lines
from xcelib.ranges import IndexSet
from xcelib.wire import WhyReport

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
    job_id, index = one_job(deps, job)
    report = deps.client.why(job_id)
    if index is not None:
        report = _of_element(deps, report, index)
    deps.show("why/1", report, lambda: why_lines(report, index))


def _of_element(deps: Deps, report: WhyReport, index: int) -> WhyReport:
    """What waits for the same reasons as its job; what does not wait has none."""
    job_id, chosen = report.row.id, IndexSet.single(index)
    check_elements_of(deps.client, job_id, [index])
    row = narrowed(report.row, chosen, dispatched(deps.client, job_id, chosen))
    is_waiting = any(row.counts.get(state) for state in WAITING)
    return msgspec.structs.replace(report, row=row, reasons=report.reasons if is_waiting else ())
