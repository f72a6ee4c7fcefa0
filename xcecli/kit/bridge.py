"""The one module that touches typer's and click's internals: late commands, our words for their errors.

Commands are imported only when they are called: `xcecli --help` lists them from a table.
"""

import inspect
import re
import typing
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Annotated, Any, TypeVar

import typer
import typer.core
import typer.main
from typer._click import exceptions as _exceptions  # typer carries its own click; click itself is never imported
from typer.main import get_command

from xcelib.errors import Usage, did_you_mean
from xcelib.options.table import Option

_BETWEEN_EXAMPLES = re.compile(r"\s+\|\s+(?=xce)")
F = TypeVar("F", bound=Callable[..., Any])
Table = Mapping[str, tuple[str, str]]  # command -> (module with `app`, one line of help)


class Command(typer.core.TyperCommand):
    """A command whose help names what is needed without braces, and has one example on a line."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        title, _, examples = inspect.cleandoc(self.epilog or "").partition(": ")
        if examples:
            with formatter.section(title):
                for example in _BETWEEN_EXAMPLES.split(examples):
                    formatter.write(f"{'':>{formatter.current_indent}}{example.strip()}\n")


class Group(typer.core.TyperGroup):
    """A group that tells the nearest command in our words."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-"):
            hints = did_you_mean(args[0], known, otherwise=f"`{ctx.command_path} --help` lists the commands")
            raise Usage(f"there is no command `{args[0]}`", code="unknown_command", hints=hints)
        return super().resolve_command(ctx, args)


class App(typer.Typer):
    """An app whose commands are of our kind."""

    def command(self, name: str | None = None, **more: Any) -> Callable[[F], F]:
        return super().command(name, **{"cls": Command, **more})


def new_app(help_text: str, *, is_group: bool = False) -> App:
    """An app with plain help and none of typer's own options."""
    return App(
        help=help_text,
        cls=Group,
        rich_markup_mode=None,
        add_completion=False,
        pretty_exceptions_enable=False,
        no_args_is_help=is_group,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )


def lazy_group(table: Table) -> type[typer.core.TyperGroup]:
    """A group whose commands are imported when they are called."""

    class LazyGroup(Group):
        def list_commands(self, ctx: Any) -> list[str]:
            return list(table)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            if cmd_name not in table:
                return None
            command = get_command(import_module(table[cmd_name][0]).app)
            command.name = cmd_name
            return command

        def format_commands(self, ctx: Any, formatter: Any) -> None:
            with formatter.section("Commands"):
                formatter.write_dl([(name, text) for name, (_, text) in table.items()])

    return LazyGroup


def run(app: typer.Typer, argv: Sequence[str], *, program: str, obj: object) -> None:
    """Parse and call. Wrong usage becomes `Usage`, in our words and with our exit status.

    Not by the command's `main`: that takes interrupts and broken pipes for itself.
    """
    command = get_command(app)
    try:
        with command.make_context(program, list(argv), obj=obj) as context:
            command.invoke(context)
    except _exceptions.NoArgsIsHelpError as error:
        raise Usage("there is no command", code="no_command", detail=error.format_message().rstrip()) from error
    except _exceptions.NoSuchOption as error:
        hints = [f"did you mean `{near}`?" for near in (error.possibilities or [])[:1]]
        raise Usage(
            f"there is no option `{error.option_name}`", code="unknown_option", hints=hints or _help_hint(error)
        ) from error
    except _exceptions.UsageError as error:
        raise Usage(_words(error.format_message()), hints=_help_hint(error)) from error
    except typer.Exit:  # help was shown
        pass


def _words(message: str) -> str:
    text = message.strip().rstrip(".").replace("'", "`")
    return text[:1].lower() + text[1:]


def _help_hint(error: Any) -> list[str]:
    return [f"`{error.ctx.command_path} --help` shows how"] if error.ctx is not None else []


def with_options(
    app: typer.Typer, options: Sequence[Option], *, epilog: str, is_command_last: bool = False
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a function as the app's command, with a parameter for each option of the table.

    `is_command_last`: what follows the first word that is no option is another's command line. The function
    takes `given: dict[str, list[str] | bool]`, the options that stood on the command line,
    beside the parameters that it declares itself.
    """

    def register(function: Callable[..., None]) -> Callable[..., None]:
        names = {_identifier(option): option for option in options}

        def command(*args: Any, **kwargs: Any) -> None:
            given: dict[str, list[str] | bool] = {}
            for identifier, option in names.items():
                value = kwargs.pop(identifier)
                if value is None or value is False or value == []:
                    continue
                given[option.name] = value if isinstance(value, list | bool) else [value]
            function(*args, given=given, **kwargs)

        own = inspect.signature(function)
        hints = typing.get_type_hints(function, include_extras=True)
        parameters = [
            parameter.replace(annotation=hints[name]) for name, parameter in own.parameters.items() if name != "given"
        ]
        parameters += [
            inspect.Parameter(
                identifier, inspect.Parameter.KEYWORD_ONLY, default=_default(option), annotation=_annotation(option)
            )
            for identifier, option in names.items()
        ]
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        command.__doc__ = function.__doc__
        settings = {
            "allow_interspersed_args": not is_command_last,
            "help_option_names": ["-h", "--help"],
            "max_content_width": 100,
        }
        app.command(epilog=epilog, context_settings=settings)(command)
        return command

    return register


def _identifier(option: Option) -> str:
    return "option_" + option.name.replace("-", "_")


def _default(option: Option) -> Any:
    return False if option.kind == "flag" else ([] if option.is_repeatable else None)


def _annotation(option: Option) -> Any:
    flags = [f"--{option.name}", *([f"-{option.short}"] if option.short else [])]
    described = typer.Option(
        *flags, help=option.help, metavar=option.metavar or None, rich_help_panel=option.group, show_default=False
    )
    if option.kind == "flag":
        return Annotated[bool, described]
    return Annotated[list[str], described] if option.is_repeatable else Annotated[str | None, described]
