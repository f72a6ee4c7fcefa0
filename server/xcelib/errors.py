"""Expected failures: message, hints, code, exit status and HTTP status, designed together.

A bug is never an `XceError`. Clients branch on `code`; people read the message and the hints.
"""

import difflib
from collections.abc import Collection, Sequence
from enum import IntEnum

import msgspec


class ExitStatus(IntEnum):
    """The exit statuses of every XCE program; `xce-exit-status(7)` is generated from this table."""

    OK = 0
    REFUSED = 1
    USAGE = 2
    UNREACHABLE = 69
    INTERNAL = 70
    TRY_AGAIN = 75
    NO_PERMISSION = 77
    CONFIG = 78
    INTERRUPTED = 130


class Fault(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One wrong place in what was given: `path` is a JSON pointer, an option or `file:line:column`."""

    path: str
    code: str
    message: str
    hint: str = ""


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An error on the wire: `application/problem+json` over HTTP, and `--json` errors on stderr."""

    status: int
    title: str
    code: str
    detail: str
    hints: tuple[str, ...] = ()
    errors: tuple[Fault, ...] = ()


class XceError(Exception):
    """An expected failure that the reader can act on.

    `http_status` says how the API answers it: 400 wrong, 403 not allowed, 404 unknown, 409 the state
    forbids, 413 too large, 429 limit, 503 starting, 507 full.
    """

    code: str = "refused"
    exit_status: ExitStatus = ExitStatus.REFUSED
    http_status: int = 400

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        hints: Sequence[str] = (),
        detail: str = "",
        faults: Sequence[Fault] = (),
    ) -> None:
        """`detail` is a block printed as it stands under the message (a line with a caret)."""
        super().__init__(message)
        if code is not None:
            self.code = code
        self.hints = tuple(hints)
        self.detail = detail
        self.faults = tuple(faults)

    @property
    def message(self) -> str:
        return str(self.args[0])

    def problem(self) -> Problem:
        """The same failure as it travels."""
        detail = f"{self.message}\n{self.detail}" if self.detail else self.message
        return Problem(
            status=self.http_status,
            title=self.code.replace("_", " "),
            code=self.code,
            detail=detail,
            hints=self.hints,
            errors=self.faults,
        )


class Usage(XceError):
    """The words of a command line or a request are wrong."""

    code = "usage"
    exit_status = ExitStatus.USAGE


class Unknown(XceError):
    """A named thing does not exist."""

    code = "unknown"
    http_status = 404


class Refused(XceError):
    """The request is understood and refused: a rule or a limit forbids it."""

    http_status = 409


class NotPermitted(XceError):
    """The caller may not do this."""

    code = "not_permitted"
    exit_status = ExitStatus.NO_PERMISSION
    http_status = 403


class Unreachable(XceError):
    """No server answered, or what answered is no XCE server."""

    code = "unreachable"
    exit_status = ExitStatus.UNREACHABLE
    http_status = 503


class TryAgain(XceError):
    """It cannot be done now and may be later: starting, busy, full."""

    code = "try_again"
    exit_status = ExitStatus.TRY_AGAIN
    http_status = 503


class StorageFull(TryAgain):
    """The disk is nearly full: new work is refused, accepted work goes on (G12)."""

    code = "storage_full"
    http_status = 507


class TooLarge(XceError):
    code = "too_large"
    http_status = 413


class BadConfiguration(XceError):
    """The configuration is wrong; `faults` names every place."""

    code = "bad_configuration"
    exit_status = ExitStatus.CONFIG


def did_you_mean(name: str, known: Collection[str], *, otherwise: str = "") -> list[str]:
    """Hints for a misspelt name: the nearest known one, or `otherwise` where none is near."""
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    if near:
        return [f"did you mean `{near[0]}`?"]
    return [otherwise] if otherwise else []


def from_problem(problem: Problem) -> XceError:
    """The error that a `Problem` received over the wire stands for, with the fitting exit status."""
    kinds: dict[int, type[XceError]] = {
        403: NotPermitted,
        404: Unknown,
        409: Refused,
        413: TooLarge,
        503: TryAgain,
        507: StorageFull,
    }
    kind = kinds.get(problem.status, XceError)
    error = kind(problem.detail, code=problem.code, hints=problem.hints, faults=problem.errors)
    error.http_status = problem.status
    if problem.status == 429:
        error.exit_status = ExitStatus.REFUSED
    return error
