"""Every command of both clients is documented, with an example that parses, and says the same everywhere."""

import re
import shlex
from typing import Any

import pytest

import xceadmin.main
import xcecli.main
from tests.kit.command_tree import commands_of, is_group
from xcelib.options.table import TABLE

PROGRAMS = {"xcecli": xcecli.main, "xceadmin": xceadmin.main}
ALL = {path: command for name, module in PROGRAMS.items() for path, command in commands_of(name, module.app).items()}
LEAVES = {path: command for path, command in ALL.items() if not is_group(command)}
SHORT = {f"{name} {word}": text for name, module in PROGRAMS.items() for word, (_, text) in module.COMMANDS.items()}
# What prints a job's bytes or a document has nothing to wrap; what checks says its verdict with its exit status.
WITHOUT_JSON = {
    "xcecli logs", "xcecli lint", "xceadmin config check", "xceadmin config build", "xceadmin config show",
    "xceadmin explain",
}  # fmt: skip


def first_sentence(text: str) -> str:
    return text.strip().split("\n")[0].split(". ")[0].rstrip(".") + "."


def examples_of(command: Any) -> list[list[str]]:
    """The command lines of the epilog, without the program's name; what follows `&&` is the shell's."""
    text = re.sub(r"\s+", " ", command.epilog).partition(": ")[2]
    lines = [line for line in re.split(r" \| (?=xce)", text) if line]
    return [shlex.split(line.partition(" && ")[0])[1:] for line in lines]


def test_both_programs_have_commands() -> None:
    assert len(LEAVES) >= 30


@pytest.mark.parametrize("path", ALL)
def test_a_command_says_what_it_does(path: str) -> None:
    text = ALL[path].help
    assert text
    assert text[0].isupper()
    assert first_sentence(text).count("\n") == 0
    assert not text.startswith(("This command", "Command to"))


@pytest.mark.parametrize("path", ALL)
def test_every_parameter_has_help(path: str) -> None:
    for parameter in ALL[path].params:
        assert parameter.help, parameter.name
        assert parameter.help.strip().endswith((".", ")")), parameter.help


@pytest.mark.parametrize("path", LEAVES)
def test_a_command_has_an_example_that_it_understands(path: str) -> None:
    examples = examples_of(LEAVES[path])
    assert examples
    words = path.split()[1:]
    for example in examples:
        assert example[: len(words)] == words
        with LEAVES[path].make_context(path, example[len(words) :]) as context:
            assert context.params is not None


@pytest.mark.parametrize("path", SHORT)
def test_the_list_of_commands_says_what_the_command_says(path: str) -> None:
    assert SHORT[path] == first_sentence(ALL[path].help)


@pytest.mark.parametrize("path", LEAVES)
def test_a_command_prints_json_when_asked(path: str) -> None:
    flags = {flag for parameter in LEAVES[path].params for flag in parameter.opts}
    assert ("--json" in flags) is (path not in WITHOUT_JSON)


@pytest.mark.parametrize(("path", "source"), [("xcecli submit", "command"), ("xcecli preset save", "preset")])
def test_submit_options_come_from_the_table_and_all_of_them(path: str, source: Any) -> None:
    flags = {flag for parameter in ALL[path].params for flag in (*parameter.opts, *parameter.secondary_opts)}
    wanted = [option for option in TABLE if source in option.sources]
    expected = {f"--{option.name}" for option in wanted} | {f"-{option.short}" for option in wanted if option.short}
    own = {"--json", "--description", "--force", "name", "words"}
    assert flags - own == expected
