"""`#XCE` directives in the leading comment block of a script. Nothing that looks like one is ever ignored."""

import re
import shlex
from datetime import datetime

from xcelib.errors import Fault, Usage, did_you_mean
from xcelib.options.table import BY_NAME, BY_SHORT, Option, named
from xcelib.options.values import Values, parse_words

# With a blank after `#` only what goes on with an option: `# XCE runs this at night` is prose.
_DIRECTIVE = re.compile(r"#(?:XCE\b(.*)|\s+XCE\b\s*(-.*)?)\Z", re.IGNORECASE | re.DOTALL)
_MISSPELT = "CXE|XEC|EXC|XC|XE|CE|X+CE|XC+E|XCE+"  # letters swapped, left out, doubled
_ALMOST = re.compile(rf"#\s*(XCE[:\-_]|X\.?C\.?E\.?\s+-|(?:{_MISSPELT})\s+--?\w|BSUB\b|SBATCH\b)", re.IGNORECASE)


class BadDirectives(Usage):
    """Every wrong directive of a script, with its line."""

    code = "bad_directive"


def read_directives(script: str, *, now: datetime) -> Values:
    """The option values of a script. Raises `BadDirectives` naming the line of every fault."""
    faults: list[Fault] = []
    words: dict[str, list[str]] = {}
    lines: dict[str, int] = {}
    is_leading = True
    for number, line in enumerate(script.split("\n"), start=1):
        text = line.strip()
        is_leading = is_leading and (not text or text.startswith("#"))
        try:
            _read_line(text, is_leading, words, lines, number)
        except Usage as error:
            faults.append(_fault(number, error))
    values: Values = {}
    for name, given in words.items():
        try:
            values[name] = True if BY_NAME[name].kind == "flag" else parse_words(BY_NAME[name], given, now=now)
        except Usage as error:
            faults.append(_fault(lines[name], error))
    if faults:
        faults.sort(key=lambda fault: int(fault.path.removeprefix("line ")))
        text = "\n".join(f"  {fault.path}: {fault.message}" for fault in faults)
        message = f"the script has {len(faults)} wrong directive{'s' if len(faults) > 1 else ''}"
        raise BadDirectives(message, detail=text, hints=[f.hint for f in faults if f.hint][:3], faults=faults)
    return values


def _fault(number: int, error: Usage) -> Fault:
    hint = error.hints[0] if error.hints else ""
    return Fault(path=f"line {number}", code=error.code, message=error.message, hint=hint)


def _read_line(text: str, is_leading: bool, words: dict[str, list[str]], lines: dict[str, int], number: int) -> None:
    match = _DIRECTIVE.match(text)
    if match is None:
        if is_leading and _ALMOST.match(text):
            raise Usage(f"`{text[:60]}` is no directive", hints=["write `#XCE --option value`"])
        return
    if not is_leading:
        raise Usage("a directive after the first command has no effect", hints=["move it above the first command"])
    option, given = _split(match[1] or match[2] or "")
    if option.name in words and not option.is_repeatable:
        raise Usage(f"--{option.name} stands already on line {lines[option.name]}")
    words.setdefault(option.name, []).extend(given)
    lines.setdefault(option.name, number)


def _split(text: str) -> tuple[Option, list[str]]:
    """One option and its value; text after the value is an error, never a comment."""
    try:
        parts = shlex.split(text)
    except ValueError as error:
        raise Usage(f"the quotes do not match in `{text.strip()[:60]}`") from error
    if not parts:
        raise Usage("the directive is empty", hints=["write `#XCE --option value`"])
    flag, equals, value = parts[0].partition("=")
    option = _option(flag)
    given = [value] if equals and flag.startswith("--") else []
    rest = parts[1:]
    if option.kind == "flag":
        if given or rest:
            raise Usage(f"--{option.name} takes no value, found `{' '.join(given + rest)[:60]}`")
        return option, []
    if not given and rest:
        given, rest = [rest[0]], rest[1:]
    if not given:
        raise Usage(f"--{option.name} needs a value {option.metavar}")
    if rest:
        way_out = "write one option on a line" if rest[0].startswith("-") else "quote a value with spaces"
        raise Usage(f"text after the value of --{option.name}: `{' '.join(rest)[:60]}`", hints=[way_out])
    return option, given


def _option(flag: str) -> Option:
    option = BY_NAME.get(flag[2:]) if flag.startswith("--") else BY_SHORT.get(flag[1:]) if flag[:1] == "-" else None
    if option is None:
        known = [f"--{name}" for name in named("directive")]
        hints = did_you_mean(f"--{flag.lstrip('-')}", known, otherwise="`xcecli submit --help` lists the options")
        raise Usage(f"there is no option `{flag[:40]}`", hints=hints)
    if "directive" not in option.sources:
        raise Usage(f"--{option.name} stands on the command line only")
    return option
