"""`xcecli preset list|show|pull|save`."""

from datetime import UTC
from typing import Annotated, Any

import typer

from xcecli.kit.asking import confirm
from xcecli.kit.bridge import new_app, with_options
from xcecli.kit.deps import Deps
from xcecli.kit.flags import Json
from xcecli.kit.text import harmless, table
from xcecli.presets.store import PresetStore, parse_preset, preset_folder
from xcelib.errors import Refused, Usage, XceError
from xcelib.options.table import BY_NAME, named
from xcelib.options.values import Values, parse_words, to_words, value_text
from xcelib.presets import Preset, acting_options, is_preset_name
from xcelib.secrets import looks_secret_name, looks_secret_value
from xcelib.wire import Answer

app = new_app("Keep, pull and show presets.", is_group=True)

Remote = Annotated[bool, typer.Option("--remote", help="Those of the site.")]
Force = Annotated[bool, typer.Option("--force", help="Replace one of the same name; the old one is kept as .bak.1.")]


class Row(Answer, frozen=True, kw_only=True):
    name: str
    description: str = ""
    hash: str = ""
    state: str = ""


def _store(deps: Deps) -> PresetStore:
    return PresetStore(preset_folder(deps.io.environ))


@app.command("list", epilog="Examples: xcecli preset list | xcecli preset list --remote")
def list_presets(ctx: typer.Context, is_remote: Remote = False, is_json: Json = False) -> None:
    """List your presets, or those that the site offers."""
    deps: Deps = ctx.obj
    deps.is_json = is_json
    if is_remote:
        rows = [
            Row(name=each.name, description=each.description, hash=each.hash) for each in deps.client.presets().presets
        ]
    else:
        rows = [_row(_store(deps), name) for name in _store(deps).names()]
    deps.show("presets/1", {"presets": rows}, lambda: _lines(rows, deps.io.width))


def _row(store: PresetStore, name: str) -> Row:
    try:
        preset = store.load(name)
    except Usage as error:
        return Row(name=name, description=error.message, state="broken")
    if preset.origin is None:
        return Row(name=name, description=preset.description, hash=preset.hash, state="own")
    state = "pulled" if preset.origin.get("hash") == preset.hash else "edited"
    return Row(name=name, description=preset.description, hash=preset.hash, state=state)


def _lines(rows: list[Row], width: int) -> list[str]:
    cells = [[row.name, row.state or "-", row.description or "-"] for row in rows]
    return table(["NAME", "STATE", "DESCRIPTION"], cells, width=width) if cells else []


@app.command("show", epilog="Examples: xcecli preset show small | xcecli preset show fluent-small --remote")
def show(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The preset.")],
    is_remote: Remote = False,
    is_json: Json = False,
) -> None:
    """Show a preset, and the options that it stands for."""
    deps: Deps = ctx.obj
    deps.is_json = is_json
    if is_remote:
        found = deps.client.preset(name)
        preset = parse_preset(found.text, where=f"the site's {name}")
    else:
        preset = _store(deps).load(name)
    value = {"name": name, "description": preset.description, "hash": preset.hash, "options": preset.options}
    deps.show(
        "preset/1", value | ({"origin": _plain(preset.origin)} if preset.origin else {}), lambda: _shown(name, preset)
    )


def _plain(origin: dict[str, Any]) -> dict[str, str]:
    return {key: str(value) for key, value in origin.items()}


def _shown(name: str, preset: Preset) -> list[str]:
    import shlex

    words = [word for option, value in preset.values.items() for word in to_words(BY_NAME[option], value)]
    lines = [f"{name}  {preset.description}".rstrip(), f"hash      {preset.hash}"]
    if preset.origin is not None:
        lines += [f"{key:<9} {value}" for key, value in preset.origin.items()]
    return [*lines, "options   " + shlex.join(words)]


@app.command("pull", epilog="Examples: xcecli preset pull fluent-small | xcecli preset pull fluent-small --as mine")
def pull(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The site's preset.")],
    new_name: Annotated[str | None, typer.Option("--as", metavar="NEW", help="Keep it under another name.")] = None,
    is_forced: Force = False,
    is_yes: Annotated[bool, typer.Option("--yes", "-y", help="Take it, whatever it runs or writes.")] = False,
    is_json: Json = False,
) -> None:
    """Copy a preset from the site.

    One of yours with that name is replaced only if it was pulled from the same preset and not changed since.
    One that runs or writes something is named, and asked about on a terminal.
    """
    deps: Deps = ctx.obj
    deps.is_json = is_json
    found = deps.client.preset(name)
    preset = parse_preset(found.text, where=f"the site's {name}")
    origin = {
        "cluster": found.cluster,
        "name": name,
        "hash": preset.hash,
        "pulled": deps.now().astimezone(UTC).replace(microsecond=0),
    }
    document = {"description": preset.description, "options": preset.options, "origin": origin}
    target = new_name or name
    store = _store(deps)
    store.path(target)  # a wrong name is said before anything is asked
    if acting := acting_options(preset):
        _ask_about(deps, name, acting, is_yes=is_yes)
    is_replaceable = is_forced or _is_unchanged_copy(store, target, found.cluster, name)
    try:
        path = store.save(target, document, is_forced=is_replaceable)
    except Refused as error:
        raise Refused(
            f"your preset `{target}` is your own, or was changed since it was pulled", code=error.code,
            hints=["keep both with `--as NEW`", "replace it with `--force`"],
        ) from error  # fmt: skip
    _warn_of_secrets(deps, preset)
    deps.show(
        "pulled/1", {"name": target, "path": str(path), "hash": preset.hash}, lambda: [f"pulled {name} as {path}"]
    )


def _ask_about(deps: Deps, name: str, acting: list[str], *, is_yes: bool) -> None:
    text = f"the preset `{name}` runs or writes something: {', '.join(acting)}"
    if is_yes:
        deps.io.note(harmless(f"xcecli: note: {text}"))
        return
    look = f"look at it with `xcecli preset show {name} --remote`"
    elsewhere = Usage(text, code="needs_yes", hints=[look, "take it with `--yes`"])
    confirm(deps, harmless(f"{text}. Take it?"), elsewhere=elsewhere)


def _is_unchanged_copy(store: PresetStore, target: str, cluster: str, name: str) -> bool:
    if not is_preset_name(target) or target not in store.names():
        return False
    try:
        own = store.load(target)
    except XceError:
        return False
    origin = own.origin or {}
    return (origin.get("cluster"), origin.get("name"), origin.get("hash")) == (cluster, name, own.hash)


def _save(
    ctx: typer.Context,
    given: dict[str, list[str] | bool],
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the preset.")],
    description: Annotated[str, typer.Option("--description", metavar="TEXT", help="What it is for.")] = "",
    is_forced: Force = False,
    is_json: Json = False,
) -> None:
    """Keep submit options as a preset."""
    deps: Deps = ctx.obj
    deps.is_json = is_json
    values: Values = {
        option: value if isinstance(value, bool) else parse_words(BY_NAME[option], value, now=deps.now())
        for option, value in given.items()
    }
    if not values:
        raise Usage("there are no options to keep", hints=["give submit options: xcecli preset save small --memory 2G"])
    _refuse_without_value(values.get("env", {}))
    options = {option: _written(option, value, given[option]) for option, value in values.items()}
    document = {**({"description": description} if description else {}), "options": options}
    path = _store(deps).save(name, document, is_forced=is_forced)
    _warn_of_secrets(deps, _store(deps).load(name))
    deps.show("saved/1", {"name": name, "path": str(path)}, lambda: [f"saved {path}"])


def _refuse_without_value(variables: dict[str, str | None]) -> None:
    for name, value in variables.items():
        if value is None:
            raise Usage(f"--env: a preset keeps values, and `{name}` has none", hints=[f"write `--env {name}=VALUE`"])


def _written(option: str, value: Any, words: list[str] | bool) -> Any:
    """The value with the TOML type that the option has, spelt as the user did where it is a text."""
    match BY_NAME[option].kind:
        case "flag" | "whole":
            return value
        case "pairs":
            return dict(value)
        case "texts":
            return list(value)
        case "when":
            assert isinstance(words, list)
            return words[0]
    return value_text(BY_NAME[option], value)


def _warn_of_secrets(deps: Deps, preset: Preset) -> None:
    """Warn, and never print the value."""
    for option in ("env", "app-param", "meta", "label"):
        for key, value in preset.options.get(option, {}).items():
            if looks_secret_name(key) or looks_secret_value(str(value)):
                deps.io.note(f"xcecli: warning: `{option}.{key}` looks like a secret; presets are shared easily")


with_options(
    app,
    list(named("preset").values()),
    epilog="Example: xcecli preset save small -n 4 -M 2G -W 2h --description 'short runs'",
)(_save)
app.registered_commands[-1].name = "save"
