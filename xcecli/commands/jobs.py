"""`xcecli jobs`."""

from typing import Annotated

import typer

from xcecli.commands.paging import collect
from xcecli.kit.bridge import new_app
from xcecli.kit.deps import Deps
from xcecli.kit.flags import Json
from xcecli.kit.showing import job_lines
from xcelib.wire import JobPage

app = new_app("List live jobs, yours unless told otherwise.")


@app.command(epilog="Examples: xcecli jobs | xcecli jobs -a --state PEND --queue night")
def jobs(
    ctx: typer.Context,
    is_all: Annotated[bool, typer.Option("--all", "-a", help="Jobs of all users.")] = False,
    user: Annotated[str | None, typer.Option("--user", "-u", metavar="USER", help="Jobs of this user.")] = None,
    state: Annotated[
        str | None, typer.Option("--state", "-s", metavar="STATE", help="Jobs with an element in this state.")
    ] = None,
    queue: Annotated[str | None, typer.Option("--queue", "-q", metavar="QUEUE", help="Jobs of this queue.")] = None,
    profile: Annotated[str | None, typer.Option("--app", "-A", metavar="PROFILE", help="Jobs of this profile.")] = None,
    name: Annotated[str | None, typer.Option("--name", metavar="NAME", help="Jobs of this name.")] = None,
    label: Annotated[str | None, typer.Option("--label", metavar="KEY=VALUE", help="Jobs with this label.")] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="At most so many.")] = 100,
    is_json: Json = False,
) -> None:
    """List live jobs, yours unless told otherwise."""
    deps: Deps = ctx.obj
    deps.is_json = is_json
    is_with_user = is_all or user is not None
    query = {
        "scope": "live", "all": "true" if is_all else None, "user": user, "state": state, "queue": queue, "app": profile,
        "name": name, "label": label,
    }  # fmt: skip
    rows, cursor = collect(deps.client, query, limit=limit)
    page = JobPage(jobs=tuple(rows), cursor=cursor)
    deps.show(
        "jobs/1",
        page,
        lambda: job_lines(rows, now=deps.now().timestamp(), width=deps.io.width, is_with_user=is_with_user),
    )
    if cursor is not None and not deps.is_json:
        deps.io.note(f"xcecli: note: there are more than {limit} jobs; `--limit N` shows more")
