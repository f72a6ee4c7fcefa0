"""The one table of submit options.

The parser, `--help`, the directive reader, presets, man pages and completions come from it. An option is
here only when the feature that obeys it exists.
"""

from typing import Final, Literal

import msgspec

Kind = Literal[
    "text", "whole", "size", "duration", "when", "tasks", "array", "codes", "flag", "choice", "pairs", "texts", "resreq"
]
Source = Literal["preset", "directive", "command"]

EVERYWHERE: Final = frozenset[Source](("preset", "directive", "command"))
COMMAND_ONLY: Final = frozenset[Source](("command",))


class Option(msgspec.Struct, frozen=True, kw_only=True):
    """One option. `field` is the `JobSpec` field where it takes effect; None: it acts in the client.

    `pairs` and `texts` options may be repeated; `resreq` too.
    """

    name: str
    short: str = ""
    kind: Kind
    metavar: str = ""
    help: str
    field: str | None = None
    group: str
    sources: frozenset[Source] = EVERYWHERE
    choices: tuple[str, ...] = ()

    @property
    def is_repeatable(self) -> bool:
        return self.kind in ("pairs", "texts", "resreq")


def _option(name: str, kind: Kind, help: str, **more: object) -> Option:
    return Option(name=name, kind=kind, help=help, **more)  # type: ignore[arg-type]  # checked at import by msgspec users


NAMING, SIZE, LIMITS, FILES, ENVIRONMENT, WHEN, ENDS, CLIENT = (
    "Name and policy", "Size and place", "Limits", "Files", "Environment", "When", "Ends", "Here",
)  # fmt: skip

TABLE: Final[tuple[Option, ...]] = (
    _option("name", "text", "Name of the job.", short="J", metavar="NAME", field="name", group=NAMING),
    _option(
        "array", "array", "Run as an array of elements: `1-100`, with a step `:2`, with at most 10 at once `%10`.",
        short="a", metavar="RANGES", field="array", group=NAMING,
    ),
    _option("queue", "text", "Queue to submit to.", short="q", metavar="QUEUE", field="queue", group=NAMING),
    _option("app", "text", 'Application profile; "" is none.', short="A", metavar="PROFILE", field="app", group=NAMING),
    _option("project", "text", "Project that owns the job's use.", short="P", metavar="PATH", field="project", group=NAMING),
    _option("priority", "whole", "Priority among the jobs of its queue, 0 to 100.", metavar="N", field="priority", group=NAMING),
    _option("label", "pairs", "A label to search for.", metavar="KEY=VALUE", field="labels", group=NAMING),
    _option("meta", "pairs", "Metadata that is carried and never read.", metavar="KEY=VALUE", field="exdata.meta", group=NAMING),
    _option("tasks", "tasks", "Tasks, or a range of them.", short="n", metavar="N|MIN-MAX", field="tasks", group=SIZE),
    _option(
        "launch", "choice", "`script` runs the command once, `tasks` once for each task.", metavar="HOW",
        field="launch", group=SIZE, choices=("script", "tasks"),
    ),
    _option("slots-per-task", "whole", "Slots for each task.", short="c", metavar="N", field="resreq", group=SIZE),
    _option(
        "resreq", "resreq", "Resource requirement: `select[...] rusage[...] order[...]`.", short="R",
        metavar="STRING", field="resreq", group=SIZE,
    ),
    _option("run-limit", "duration", "Longest time to run.", short="W", metavar="TIME", field="exdata.limits", group=LIMITS),
    _option(
        "memory", "size", "Memory limit of each task; reserved as well, unless `--resreq` has a `mem` term.",
        short="M", metavar="SIZE", field="exdata.limits", group=LIMITS,
    ),
    _option(
        "limit", "pairs",
        "Another limit: cpu_time, processes, open_files, file_size, core_size, stack.",
        metavar="NAME=VALUE", field="exdata.limits", group=LIMITS,
    ),
    _option("cwd", "text", "Working directory (default: this one).", metavar="DIR", field="cwd", group=FILES),
    _option("stdin", "text", "File for standard input.", short="i", metavar="FILE", field="stdin", group=FILES),
    _option(
        "stdout", "text", "File for standard output; %J job, %I index, %N name, %H host, %U user.",
        short="o", metavar="FILE", field="stdout", group=FILES,
    ),
    _option("stderr", "text", "File for standard error (default: with standard output).", short="e", metavar="FILE", field="stderr", group=FILES),
    _option("env", "pairs", "A variable; `NAME` alone passes the one that is set here.", metavar="NAME[=VALUE]", field="exdata.env", group=ENVIRONMENT),
    _option("env-file", "texts", "File of `NAME=VALUE` lines.", metavar="FILE", field="exdata.env", group=ENVIRONMENT),
    _option(
        "export", "text", "Variables of this shell to pass: `all` (without secrets), `none`, or names.",
        metavar="all|none|NAMES", field="exdata.env", group=ENVIRONMENT,
    ),
    _option("app-param", "pairs", "A parameter of the application profile.", metavar="NAME=VALUE", field="exdata.app_params", group=ENVIRONMENT),
    _option(
        "after", "text", 'Wait for other jobs: `done(12)`, `exit(12)`, `ended("prep")`, `started(12)`, `&&`, `||`, `!`.',
        short="w", metavar="EXPR", field="depends", group=WHEN,
    ),
    _option(
        "on-dependency-failure", "choice", "What to do when `--after` can no longer hold.", metavar="WHAT",
        field="on_dependency_failure", group=WHEN, choices=("cancel", "hold", "run"),
    ),
    _option("begin", "when", "Not before this time: `18:30`, `+2h`, `2026-03-01T09:00`.", metavar="TIME", field="begin", group=WHEN),
    _option("hold", "flag", "Submit held; `xcecli resume` releases it.", field="hold", group=WHEN),
    _option("rerun", "flag", "May run again when its host is lost.", field="rerunnable", group=ENDS),
    _option("requeue-exit", "codes", "Exit codes that queue the job again.", metavar="CODES", field="requeue_exit_codes", group=ENDS),
    _option("max-requeue", "whole", "How often `--requeue-exit` may do so.", metavar="N", field="max_requeue", group=ENDS),
    _option("success-exit", "codes", "Exit codes that count as success beside 0.", metavar="CODES", field="success_exit_codes", group=ENDS),
    _option("preset", "texts", "Expand a preset of yours; may be repeated.", metavar="NAME", group=CLIENT, sources=COMMAND_ONLY),
    _option("dry-run", "flag", "Check and print the request; submit nothing.", group=CLIENT, sources=COMMAND_ONLY),
    _option("explain", "flag", "Show every effective value and its origin; submit nothing.", group=CLIENT, sources=COMMAND_ONLY),
    _option("wait", "flag", "Wait for the end; the exit status is the job's.", short="K", group=CLIENT, sources=COMMAND_ONLY),
    _option("follow", "flag", "Follow the output until the end; the exit status is the job's.", group=CLIENT, sources=COMMAND_ONLY),
    _option("quiet", "flag", "No notes and warnings.", group=CLIENT, sources=COMMAND_ONLY),
)  # fmt: skip

BY_NAME: Final = {option.name: option for option in TABLE}
BY_SHORT: Final = {option.short: option for option in TABLE if option.short}


def named(source: Source) -> dict[str, Option]:
    """The options that a source may set."""
    return {option.name: option for option in TABLE if source in option.sources}
