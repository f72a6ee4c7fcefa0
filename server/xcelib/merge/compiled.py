"""What the merge derives from a configuration once: parsed requirements, hashes, descriptors.

Memory for speed, and nothing else: the same inputs give the same merge with or without it.
"""

from collections.abc import Callable
from functools import lru_cache, partial

from xcelib.config.canonical import profile_hash
from xcelib.config.model import ClusterConfig, Profile, ProfileResreq, descriptors
from xcelib.errors import XceError
from xcelib.merge.bound import Bound
from xcelib.merge.draft import Rejected
from xcelib.merge.effective import Rejection
from xcelib.merge.requirement import Requirement, merged_requirement
from xcelib.resreq.ast import Resreq, Simple
from xcelib.resreq.descriptors import Descriptor
from xcelib.resreq.parser import parse, parse_order, parse_select, parse_span

TEXTS_MAX = 4_096  # requirement texts kept a profile
CONFIGURATIONS_MAX = 4

NOTHING = Simple()


class CompiledProfile:
    """One profile (None: a job without one) under one configuration."""

    __slots__ = ("hash", "name", "origin", "profile", "requirement")

    def __init__(self, profile: Profile | None, config: ClusterConfig, known: dict[str, Descriptor]) -> None:
        self.profile = profile
        self.name = profile.name if profile else ""
        self.origin = f"profile:{self.name}"
        self.hash = profile_hash(profile) if profile else ""
        bound = bound_of(profile, config, known) if profile else Bound()
        merged = partial(_requirement, bound, config, known)
        self.requirement: Callable[[str], Requirement] = lru_cache(TEXTS_MAX)(merged)


class Compiled:
    """A configuration with its profiles compiled as they are first needed."""

    __slots__ = ("_profiles", "config", "known")

    def __init__(self, config: ClusterConfig) -> None:
        self.config = config
        self.known = descriptors(config)
        self._profiles: dict[str, CompiledProfile] = {}

    def profile(self, profile: Profile | None) -> CompiledProfile:
        """The compiled form; a profile that is not the configuration's own is compiled anew."""
        name = profile.name if profile else ""
        found = self._profiles.get(name)
        if found is None or found.profile is not profile:
            found = self._profiles[name] = CompiledProfile(profile, self.config, self.known)
        return found


_compiled: dict[int, Compiled] = {}


def compiled(config: ClusterConfig) -> Compiled:
    """The compiled form of `config`, by identity; the few last ones are kept."""
    found = _compiled.get(id(config))
    if found is None:
        if len(_compiled) >= CONFIGURATIONS_MAX:
            _compiled.pop(next(iter(_compiled)), None)
        found = _compiled[id(config)] = Compiled(config)  # it holds `config`, so the id stays taken
    return found


def bound_of(profile: Profile, config: ClusterConfig, known: dict[str, Descriptor]) -> Bound:
    """The profile's requirement, parsed. The texts of a checked configuration always parse."""
    needs = profile.resreq or ProfileResreq()
    unit = config.memory_unit
    return Bound(
        name=profile.name,
        select=parse_select(needs.select, known=known, memory_unit=unit) if needs.select else None,
        order=parse_order(needs.order, known=known) if needs.order else (),
        rusage={entry.resource: entry for entry in needs.rusage},
        span=parse_span(needs.span) if needs.span else None,
        same=needs.same,
    )


def _requirement(bound: Bound, config: ClusterConfig, known: dict[str, Descriptor], text: str) -> Requirement:
    return merged_requirement(bound, _parsed(text, config, known), known)


def _parsed(text: str, config: ClusterConfig, known: dict[str, Descriptor]) -> Resreq:
    if not text:
        return NOTHING
    try:
        return parse(text, known=known, memory_unit=config.memory_unit)
    except XceError as error:
        message = f"{error.message}\n{error.detail}" if error.detail else error.message
        raise Rejected(Rejection(code=error.code, message=message, hints=error.hints, attribute="resreq")) from error
