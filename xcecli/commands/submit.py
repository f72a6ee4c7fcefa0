"""`xcecli submit`."""

from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from xcecli.kit.bridge import new_app, with_options
from xcecli.kit.deps import Deps
from xcecli.kit.flags import Json
from xcecli.kit.guard import Ended
from xcecli.kit.showing import explain_lines
from xcecli.kit.text import harmless
from xcecli.presets.expand import preset_layers
from xcecli.presets.store import PresetStore, preset_folder
from xcelib.errors import Usage
from xcelib.jobspec import SCRIPT_BYTES_MAX, JobSpec
from xcelib.options.build import Built, Here, build_request
from xcelib.options.directives import read_directives
from xcelib.options.layers import Layer, disagreements, merge_layers
from xcelib.options.table import BY_NAME, TABLE
from xcelib.options.values import Values, parse_words
from xcelib.speccheck import check_spec

app = new_app("Submit a job.")

EPILOG = """Examples: xcecli submit -- ./run.sh case1 | xcecli submit -n 4 -M 2G -W 2h --app fluent job.sh
 | xcecli submit -a 1-100%10 -- sh -c 'echo $XCE_JOB_INDEX'"""


@with_options(app, TABLE, epilog=EPILOG, is_command_last=True)
def submit(
    ctx: typer.Context,
    given: dict[str, list[str] | bool],
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[--] COMMAND [ARG]... | SCRIPT [ARG]...", help="What to run.")
    ] = None,
    is_json: Json = False,
) -> None:
    """Submit a job.

    A file with a `#!` line is copied as it is now, and its `#XCE --option value` lines are options. Without
    a command the script is read from standard input. On success standard output is the job id alone.
    """
    deps: Deps = ctx.obj
    deps.is_json = is_json
    _refuse_clash(given)
    built = _build(deps, given, words or [])
    if "follow" in given and built.spec.array is not None:
        raise Usage(
            "--follow follows one output, and each element of an array has its own",
            code="option_clash",
            hints=["wait for all with `--wait`, or follow one later with `xcecli logs -f 'JOB[1]'`"],
        )
    if "quiet" not in given:
        for note in built.notes:
            deps.io.note(harmless(f"xcecli: note: {note}"))
    if "dry-run" in given:
        deps.io.say(msgspec.json.format(msgspec.json.encode(built.spec), indent=2).decode())
    elif "explain" in given:
        table = deps.client.explain_spec(built.spec)
        deps.show("explain/1", table, lambda: explain_lines(table, deps.io.width))
    else:
        _send(deps, given, built.spec)


def _refuse_clash(given: Collection[str]) -> None:
    """What submits nothing cannot be waited for."""
    for nothing in ("dry-run", "explain"):
        for other in ("explain", "wait", "follow"):
            if nothing in given and other in given and nothing != other:
                raise Usage(f"--{nothing} submits nothing, so --{other} has no meaning beside it", code="option_clash")


def _send(deps: Deps, given: dict[str, list[str] | bool], spec: JobSpec) -> None:
    from xcecli.commands.waiting import exit_status, follow_output, wait_for_end

    submitted = deps.client.submit(spec)
    if "quiet" not in given:
        for kind, texts in (("warning", submitted.warnings), ("note", submitted.notes)):
            for text in texts:
                deps.io.note(harmless(f"xcecli: {kind}: {text}"))
    deps.show("submitted/1", submitted, lambda: [str(submitted.job_id)])
    deps.io.out.flush()
    if "follow" in given:
        follow_output(deps, submitted.job_id, index=0)
    if "follow" in given or "wait" in given:
        raise Ended(exit_status(wait_for_end(deps, submitted.job_id)))


def _build(deps: Deps, given: dict[str, list[str] | bool], words: list[str]) -> Built:
    """All layers, in their order, into one request that was checked as far as a client can."""
    now = deps.now()
    command, script = _command(deps, words)
    presets = given.get("preset", [])
    assert isinstance(presets, list)
    layers, mentions = preset_layers(PresetStore(preset_folder(deps.io.environ)), presets, now=now)
    notes = disagreements(layers)
    if script is not None:
        layers.append(Layer("directive", read_directives(script, now=now)))
    own: Values = {
        name: value if isinstance(value, bool) else parse_words(BY_NAME[name], value, now=now)
        for name, value in given.items()
        if BY_NAME[name].field is not None
    }
    values = merge_layers([*layers, Layer("command line", own)])
    here = Here(
        cwd=deps.io.cwd, umask=deps.io.umask, environ=deps.io.environ,
        env_files={path: _text(str(Path(deps.io.cwd) / path), "--env-file") for path in values.get("env-file", ())},
    )  # fmt: skip
    meta: dict[str, Any] = {"presets": mentions} if mentions else {}
    built = build_request(values, command=command, script=script, here=here, meta=meta)
    check_spec(built.spec)
    return Built(built.spec, (*notes, *built.notes))


def _command(deps: Deps, words: list[str]) -> tuple[list[str], str | None]:
    """(arguments, script): a script's text is taken now; what is no script is a command."""
    if not words:
        if deps.io.in_is_terminal:
            raise Usage(
                "there is no command to run",
                code="no_command",
                hints=["give one after `--`: xcecli submit -- sleep 10"],
            )
        return [], _checked_script(_piped(deps), "standard input")
    after_dashes = "--" in deps.argv and list(deps.argv[deps.argv.index("--") + 1 :]) == words
    path = Path(deps.io.cwd) / words[0]
    if after_dashes or not _is_script(path):
        if not after_dashes and words[0].endswith(".sh") and "/" not in words[0] and not path.exists():
            raise Usage(
                f"the script `{words[0]}` does not exist",
                code="no_script",
                hints=["to run a command of this name write it after `--`"],
            )
        return words, None
    return words[1:], _checked_script(_text(str(path), "script"), words[0])


def _piped(deps: Deps) -> str:
    try:
        return deps.io.inp.read(SCRIPT_BYTES_MAX + 1)
    except UnicodeDecodeError as error:
        raise Usage("the script from standard input is not UTF-8", code="bad_text") from error


def _is_script(path: Path) -> bool:
    try:
        if not path.is_file():  # opening a pipe would wait for a writer
            return False
        with path.open("rb") as file:
            return file.read(2) == b"#!"
    except OSError:
        return False


def _checked_script(text: str, where: str) -> str:
    if not text.strip():
        raise Usage(f"the script from {where} is empty", code="no_command")
    if not text.startswith("#!"):
        raise Usage(
            f"the script from {where} has no `#!` line", code="no_interpreter", hints=["begin it with `#!/bin/sh`"]
        )
    return text


def _text(path: str, what: str) -> str:
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        raise Usage(f"{what}: `{path}` cannot be read: {error.strerror}", code="cannot_read") from error
    if len(raw) > SCRIPT_BYTES_MAX:
        raise Usage(f"{what}: `{path}` is larger than {SCRIPT_BYTES_MAX} bytes", code="too_large")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Usage(f"{what}: `{path}` is not UTF-8", code="bad_text") from error
