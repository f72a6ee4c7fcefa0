"""What grows while one merge runs: origins, shadowed values, findings; and how a rule refuses."""

from collections.abc import Sequence
from typing import NoReturn

from xcelib.merge.effective import Finding, Origins, Rejection, Shadowed


class Rejected(Exception):
    """A rule of the merge refuses the job. It never leaves this package: `merge` returns the rejection."""

    def __init__(self, rejection: Rejection) -> None:
        super().__init__(rejection.message)
        self.rejection = rejection


def reject(code: str, message: str, *, attribute: str, hints: Sequence[str] = ()) -> NoReturn:
    raise Rejected(Rejection(code=code, message=message, attribute=attribute, hints=tuple(hints)))


class Draft:
    """One merge's records beside the values. The concerns add to it in a fixed order."""

    __slots__ = ("notes", "origins", "shadowed", "warnings")

    def __init__(self) -> None:
        self.origins: Origins = {}
        self.shadowed: Shadowed = {}
        self.warnings: list[Finding] = []
        self.notes: list[Finding] = []

    def add(self, other: "Draft") -> None:
        """Take over the records of a part that was merged by itself."""
        self.origins.update(other.origins)
        self.shadowed.update(other.shadowed)
        self.warnings.extend(other.warnings)
        self.notes.extend(other.notes)

    def shadow(self, attribute: str, origin: str, text: str) -> None:
        """Record a value of `attribute` that did not win."""
        self.shadowed[attribute] = (*self.shadowed.get(attribute, ()), (origin, text))

    def warn(self, code: str, message: str, *, attribute: str) -> None:
        self.warnings.append(Finding(code, message, attribute))

    def note(self, code: str, message: str, *, attribute: str) -> None:
        self.notes.append(Finding(code, message, attribute))

    def note_redundant(self, attribute: str, profile: str) -> None:
        """The job repeats what its profile binds anyway."""
        text = f"`{attribute}` repeats what profile `{profile}` sets anyway"
        self.notes.append(Finding("redundant", text, attribute))
