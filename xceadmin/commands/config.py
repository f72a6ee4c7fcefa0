"""`xceadmin config check|build|show|apply`."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from xcecli.kit.bridge import new_app
from xcecli.kit.deps import Deps
from xcecli.kit.flags import Json
from xcecli.kit.guard import Ended
from xcecli.kit.settings import find_server
from xcelib.errors import ExitStatus, Unknown, Usage, XceError, did_you_mean

app = new_app("Check, build, show and apply configuration.", is_group=True)

Folder = Annotated[
    str | None, typer.Argument(metavar="[DIR]", help="Folder with the YAML files (default: the cluster's `config`).")
]
Strict = Annotated[bool, typer.Option("--strict", help="Warnings are errors.")]
Format = Annotated[str, typer.Option("--format", metavar="HOW", help="How faults are written: text, json or github.")]


def _folder(deps: Deps, given: str | None) -> Path:
    """The folder named, or that of the cluster which the environment names."""
    if given is not None:
        folder = (Path(deps.io.cwd) / given).absolute()
        if not folder.is_dir():
            raise Usage(f"`{given}` is no folder", code="no_folder")
        return folder
    return find_server(deps.server, deps.io.environ).socket.parent.parent / "config"


def _built(deps: Deps, folder: Path, *, is_strict: bool, how: str, show: Callable[[str], None]) -> Any:
    """The build's result; faults and warnings are shown, and faults end with exit status 1."""
    from xceadmin.config import report
    from xceadmin.config.build import build  # yaml is loaded here, and only here

    if how not in ("text", "json", "github"):
        raise Usage(
            f"there is no format `{how}`", code="bad_choice", hints=did_you_mean(how, ("text", "json", "github"))
        )
    result = build(folder, strict=is_strict)
    found = (*result.faults, *result.warnings)
    if how == "json":
        show(report.to_json(found).decode().rstrip("\n"))
    elif found:
        text = report.to_text(found, result.texts) if how == "text" else report.to_github(found)
        deps.io.note(text.rstrip("\n"))
    if result.config is None:
        raise Ended(ExitStatus.REFUSED)
    return result


@app.command(epilog="Examples: xceadmin config check | xceadmin config check ./config --format json")
def check(ctx: typer.Context, folder: Folder = None, is_strict: Strict = False, how: Format = "text") -> None:
    """Check the configuration: every fault of every file at once, with its place.

    Exit status 0, or 1 where there are errors.
    """
    deps: Deps = ctx.obj
    where = _folder(deps, folder)
    config = _built(deps, where, is_strict=is_strict, how=how, show=deps.io.say).config
    if how == "text":
        parts = (("queue", config.queues), ("profile", config.applications), ("host", config.hosts))
        counts = ", ".join(f"{len(part)} {name}{'' if len(part) == 1 else 's'}" for name, part in parts)
        deps.io.say(f"{where}: no errors ({counts})")


@app.command(epilog="Example: xceadmin config build ./config -o cluster.json")
def build(
    ctx: typer.Context,
    folder: Folder = None,
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="Where to write it.")] = None,
    is_strict: Strict = False,
    how: Format = "text",
) -> None:
    """Build the canonical document of a configuration: same meaning, same bytes.

    Faults and warnings go to standard error, as standard output may be the document.
    """
    from xcelib.config.canonical import to_bytes

    deps: Deps = ctx.obj
    result = _built(deps, _folder(deps, folder), is_strict=is_strict, how=how, show=deps.io.note)
    document = to_bytes(result.config)
    if output is None:
        deps.io.say(document.decode())
        return
    try:
        (Path(deps.io.cwd) / output).write_bytes(document)
    except OSError as error:
        raise XceError(f"cannot write `{output}`: {error.strerror}", code="cannot_write") from error


@app.command(epilog="Examples: xceadmin config show | xceadmin config show queues/normal/max")
def show(
    ctx: typer.Context,
    path: Annotated[str, typer.Argument(metavar="[PATH]", help="A place in it, such as `queues/normal`.")] = "",
) -> None:
    """Print the live configuration, or a part of it, as JSON."""
    deps: Deps = ctx.obj
    value: Any = msgspec.json.decode(deps.client.config_document())
    for step in filter(None, path.split("/")):
        known = list(value) if isinstance(value, dict) else []
        if step not in known:
            raise Unknown(
                f"the live configuration has no `{path}`", code="unknown_path", hints=did_you_mean(step, known)
            )
        value = value[step]
    deps.io.say(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


@app.command(epilog="Example: xceadmin config apply --message 'short queue for tests'")
def apply(
    ctx: typer.Context,
    folder: Folder = None,
    message: Annotated[
        str, typer.Option("--message", "-m", metavar="TEXT", help="Why; kept with the generation.")
    ] = "",
    expect: Annotated[str | None, typer.Option("--expect", metavar="HASH", help="Refuse if another is live.")] = None,
    is_strict: Strict = False,
    is_json: Json = False,
) -> None:
    """Build a configuration and make it live. Running jobs go on; pending ones follow it."""
    from xcelib.config.canonical import to_bytes

    deps: Deps = ctx.obj
    deps.is_json = is_json
    result = _built(deps, _folder(deps, folder), is_strict=is_strict, how="text", show=deps.io.note)
    before = deps.client.config()
    live = deps.client.apply_config(to_bytes(result.config), {"expect": expect, "message": message})
    changed = f"generation {live.generation} is live ({live.hash[:19]})"
    same = f"nothing changed: generation {live.generation} has this hash already"
    deps.show("config/1", live, lambda: [same if live.hash == before.hash else changed])
