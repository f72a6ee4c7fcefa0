"""`xcecli wait`."""

import typer

from xcecli.commands.waiting import exit_status, wait_for_elements, wait_for_end
from xcecli.kit.bridge import new_app
from xcecli.kit.deps import Deps
from xcecli.kit.flags import JobIds, Json
from xcecli.kit.guard import Ended
from xcecli.kit.selectors import select_jobs
from xcelib.ranges import parse_indexes
from xcelib.wire import JobPage, JobRow, JobSelection

app = new_app("Wait for jobs to end.")


@app.command(epilog="Examples: xcecli wait 12 && echo it went well | xcecli wait '12[3-7]'")
def wait(ctx: typer.Context, jobs: JobIds, is_json: Json = False) -> None:
    """Wait for jobs to end.

    The exit status is the job's, 128 and the signal where one ended it; of several jobs the first that is not 0.
    """
    deps: Deps = ctx.obj
    deps.is_json = is_json
    chosen = select_jobs(deps, jobs, verb="wait for", is_yes=True)
    rows = [_ended(deps, selection) for selection in chosen]
    if deps.is_json:
        deps.show("jobs/1", JobPage(jobs=tuple(rows)), list)
    raise Ended(next((status for status in map(exit_status, rows) if status), 0))


def _ended(deps: Deps, selection: JobSelection) -> JobRow:
    if selection.elements is None:
        return wait_for_end(deps, selection.id)
    return wait_for_elements(deps, selection.id, parse_indexes(selection.elements))
