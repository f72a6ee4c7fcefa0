"""What kill, stop, resume and requeue share."""

from collections.abc import Sequence

from xcecli.kit.deps import Deps
from xcecli.kit.guard import Ended
from xcecli.kit.selectors import select_jobs
from xcecli.kit.text import harmless
from xcelib.errors import ExitStatus
from xcelib.wire import ActionReport, ActionRequest

DONE_WORDS = {"kill": "is being ended", "stop": "is being stopped", "resume": "resumes", "requeue": "is queued again"}


def act(deps: Deps, action: str, words: Sequence[str], *, is_yes: bool, why: str = "", force: bool = False) -> None:
    """Ask the server, and show what was done and what was refused; exit 1 when anything was refused."""
    selections = select_jobs(deps, words, verb=action, is_yes=is_yes)
    report = deps.client.act(action, ActionRequest(jobs=tuple(selections), force=force, why=why))
    deps.show("actions/1", report, lambda: [f"job {name} {DONE_WORDS[action]}" for name in report.done])
    if report.refused:
        if not deps.is_json:
            _show_refusals(deps, report)
        raise Ended(ExitStatus.REFUSED)


def _show_refusals(deps: Deps, report: ActionReport) -> None:
    for refusal in report.refused:
        deps.io.note(harmless(f"xcecli: error: {refusal.message}"))
