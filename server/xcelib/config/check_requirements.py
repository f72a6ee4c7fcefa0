"""A profile's resource requirement: every text parses and names what exists, and some host may match."""

from collections.abc import Iterator, Mapping

from xcelib.config import codes
from xcelib.config.counters import check_counter
from xcelib.config.findings import Finding
from xcelib.config.model import ClusterConfig, HostConfig, ProfileResreq
from xcelib.config.paths import Path
from xcelib.config.references import undefined
from xcelib.config.requirements import TEXTS, parse_text
from xcelib.errors import XceError
from xcelib.resreq.ast import Attribute, Binary, Defined, Expr, Negative, Not
from xcelib.resreq.descriptors import BUILTINS, Descriptor
from xcelib.resreq.errors import GrammarError
from xcelib.resreq.evaluate import contradictory, matches


def check_requirement(
    resreq: ProfileResreq, path: Path, config: ClusterConfig, known: Mapping[str, Descriptor]
) -> Iterator[Finding]:
    """Findings about one profile's `resreq`."""
    for section in TEXTS:
        text = getattr(resreq, section)
        if text:
            yield from _check_text(section, text, (*path, section), config, known)
    yield from undefined((*path, "same"), "resource", resreq.same, known)
    for entry in resreq.rusage:
        place = (*path, "rusage", entry.resource)
        yield from check_counter(place, entry.resource, known)
        if entry.default is not None and entry.default < 0:
            message = f"the default of `{entry.resource}` is {entry.default}, it may not be below 0"
            yield Finding(path=(*place, "default"), code=codes.OUT_OF_RANGE, message=message)


def _check_text(
    section: str, text: str, path: Path, config: ClusterConfig, known: Mapping[str, Descriptor]
) -> Iterator[Finding]:
    try:
        tree = parse_text(section, text, known, config.memory_unit)
    except GrammarError as error:
        hint = "; ".join(error.hints)
        yield Finding(
            path=path,
            code=codes.BAD_RESREQ,
            message=f"`{section}`: {error.expected}",
            hint=hint,
            column=error.column,
        )
    except XceError as error:
        yield Finding(path=path, code=codes.BAD_RESREQ, message=f"`{section}`: {error.message}")
    else:
        if section == "select":
            yield from _check_select(tree, text, path, config)


def _check_select(tree: Expr, text: str, path: Path, config: ClusterConfig) -> Iterator[Finding]:
    """Warnings: hosts come and go, so a select that matches none is no error."""
    if contradictory(tree):
        message = f"no host can match `{text}`: it asks for two values of one attribute"
        yield Finding(path=path, code=codes.NEVER_TRUE, message=message, severity="warning")
    elif config.hosts and not _may_match(tree, config):
        message = f"no host of hosts.yaml matches `{text}`"
        yield Finding(path=path, code=codes.NO_HOST_MATCHES, message=message, severity="warning")


def _may_match(tree: Expr, config: ClusterConfig) -> bool:
    """Whether some declared host matches, or may: its worker may still report a built-in attribute."""
    names = frozenset(_names_in(tree))
    return any(_host_may_match(tree, names, host) for host in config.hosts.values())


def _host_may_match(tree: Expr, names: frozenset[str], host: HostConfig) -> bool:
    values = {**host.attributes, **host.counters, "hname": host.name}
    if any(name not in values and name in BUILTINS for name in names):
        return True
    return matches(tree, values)


def _names_in(tree: Expr) -> Iterator[str]:
    if isinstance(tree, (Attribute, Defined)):
        yield tree.name
    elif isinstance(tree, (Not, Negative)):
        yield from _names_in(tree.operand)
    elif isinstance(tree, Binary):
        yield from _names_in(tree.left)
        yield from _names_in(tree.right)
