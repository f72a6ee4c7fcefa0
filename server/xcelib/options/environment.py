"""Which variables of the submitting shell go along, and which were set on purpose."""

import re
from collections.abc import Mapping

from xcelib.errors import Usage
from xcelib.options.values import Values
from xcelib.secrets import looks_secret_name

# Sessions and agents of the submitting shell mean nothing on another host, or open doors there.
SESSION_NAMES = frozenset(
    [
        "DBUS_SESSION_BUS_ADDRESS",
        "DISPLAY",
        "GPG_AGENT_INFO",
        "ICEAUTHORITY",
        "INVOCATION_ID",
        "JOURNAL_STREAM",
        "OLDPWD",
        "PWD",
        "SHLVL",
        "SSH_AGENT_PID",
        "SSH_ASKPASS",
        "SSH_AUTH_SOCK",
        "SSH_CLIENT",
        "SSH_CONNECTION",
        "SSH_TTY",
        "SUDO_COMMAND",
        "TMUX",
        "TMUX_PANE",
        "STY",
        "WINDOW",
        "WAYLAND_DISPLAY",
        "WINDOWID",
        "XAUTHORITY",
        "XDG_RUNTIME_DIR",
        "XDG_SEAT",
        "XDG_SESSION_CLASS",
        "XDG_SESSION_ID",
        "XDG_SESSION_TYPE",
        "XDG_VTNR",
        "_",
    ]
)


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def chosen_environment(
    values: Values, environ: Mapping[str, str], env_files: Mapping[str, str]
) -> tuple[dict[str, str], tuple[str, ...], tuple[str, ...]]:
    """(variables, the names that were set on purpose, notes). Notes name variables, never values."""
    env, left_out = _exported(values.get("export", "all"), environ)
    explicit: dict[str, str] = {}
    for path in values.get("env-file", ()):
        explicit |= _file_variables(path, env_files[path])
    for name, value in values.get("env", {}).items():
        if value is None and name not in environ:
            raise Usage(
                f"--env: `{name}` is not set here", code="unset_variable", hints=[f"write `--env {name}=VALUE`"]
            )
        explicit[name] = environ[name] if value is None else value
    for name in explicit:
        _refuse_own("--env", name)
    left_out = [name for name in left_out if name not in explicit]
    notes = []
    if left_out:
        names = ", ".join(sorted(left_out))
        notes.append(f"not passed on, for the names look like secrets: {names} (`--env NAME` passes one)")
    return {**env, **explicit}, tuple(sorted(explicit)), tuple(notes)


def _exported(export: str, environ: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """The inherited variables, and the names left out as likely secrets."""
    if export == "none":
        return {}, []
    if export != "all":
        return _listed(export, environ), []
    env: dict[str, str] = {}
    left_out: list[str] = []
    for name, value in environ.items():
        if name in SESSION_NAMES or name.startswith("XCE_") or not _is_passable(name, value):
            continue
        if looks_secret_name(name):
            left_out.append(name)
        else:
            env[name] = value
    return env, left_out


def _listed(export: str, environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that the list names, each of them."""
    wanted = [name.strip() for name in export.split(",") if name.strip()]
    if not wanted:
        raise Usage("--export: no variable is named", code="unset_variable", hints=["write `all`, `none` or names"])
    for name in wanted:
        _refuse_own("--export", name)
        if name not in environ:
            raise Usage(f"--export: `{name}` is not set here", code="unset_variable")
    return {name: environ[name] for name in wanted}


def _refuse_own(option: str, name: str) -> None:
    if name.startswith("XCE_"):
        raise Usage(f"{option}: `{name}`: names that begin with `XCE_` are XCE's own", code="reserved_variable")


def _is_passable(name: str, value: str) -> bool:
    """Shell functions and what is not UTF-8 stay here."""
    if "%%" in name or "(" in name or not name:
        return False
    try:
        (name + value).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _file_variables(path: str, text: str) -> dict[str, str]:
    """`NAME=VALUE` lines; `#` comments and empty lines are skipped. Values are taken as they stand."""
    found: dict[str, str] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        name, equals, value = stripped.removeprefix("export ").partition("=")
        if not equals or not _NAME.match(name):
            raise Usage(f"--env-file: `{path}` line {number} is no NAME=VALUE", code="bad_env_file")
        if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
            value = value[1:-1]
        found[name] = value
    return found
