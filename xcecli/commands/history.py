"""`xcecli history`."""

from typing import Annotated

import typer

from xcecli.commands.paging import collect
from xcecli.kit.bridge import new_app
from xcecli.kit.deps import Deps
from xcecli.kit.flags import Json
from xcecli.kit.showing import history_lines
from xcelib.wire import JobPage

app = new_app("List finished jobs, the newest first.")


@app.command(epilog="Example: xcecli history --limit 20")
def history(
    ctx: typer.Context,
    is_all: Annotated[bool, typer.Option("--all", "-a", help="Jobs of all users.")] = False,
    user: Annotated[str | None, typer.Option("--user", "-u", metavar="USER", help="Jobs of this user.")] = None,
    queue: Annotated[str | None, typer.Option("--queue", "-q", metavar="QUEUE", help="Jobs of this queue.")] = None,
    profile: Annotated[str | None, typer.Option("--app", "-A", metavar="PROFILE", help="Jobs of this profile.")] = None,
    name: Annotated[str | None, typer.Option("--name", metavar="NAME", help="Jobs of this name.")] = None,
    label: Annotated[str | None, typer.Option("--label", metavar="KEY=VALUE", help="Jobs with this label.")] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="At most so many.")] = 100,
    is_json: Json = False,
) -> None:
    """List finished jobs, the newest first."""
    deps: Deps = ctx.obj
    deps.is_json = is_json
    is_with_user = is_all or user is not None
    query = {
        "scope": "finished", "all": "true" if is_all else None, "user": user, "queue": queue, "app": profile,
        "name": name, "label": label,
    }  # fmt: skip
    rows, cursor = collect(deps.client, query, limit=limit)
    page = JobPage(jobs=tuple(rows), cursor=cursor)
    deps.show("jobs/1", page, lambda: history_lines(rows, width=deps.io.width, is_with_user=is_with_user))
    if cursor is not None and not deps.is_json:
        deps.io.note(f"xcecli: note: there are more than {limit} jobs; `--limit N` shows more")
