"""What the documentation says of the code is compared with the code."""

import re
from pathlib import Path

import pytest

from tests.tidy.source import ROOT, expect_none
from xcelib.states import END_REASON_TEXTS, MOVES, EndReason, State

STATES_PAGE = (ROOT / "docs" / "job-states.md").read_text(encoding="utf-8")
PAGES = sorted({*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "server/README.md", ROOT / "tests/README.md"})
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def rows(page: str, head: str) -> list[tuple[str, ...]]:
    """The cells of the table whose first line is `head`, without the ticks around names."""
    _, _, rest = page.partition(head + "\n")
    table = rest.split("\n\n")[0].splitlines()[1:]
    return [tuple(cell.strip().strip("`") for cell in line.strip("| ").split(" | ")) for line in table]


def test_every_state_has_its_row_in_the_page() -> None:
    assert sorted(row[0] for row in rows(STATES_PAGE, "| state | meaning |")) == sorted(State)


def test_the_page_tells_every_move_and_no_other() -> None:
    told = [(row[0], row[1]) for row in rows(STATES_PAGE, "| from | to | when |")]
    assert sorted(told) == sorted((origin, to) for origin, targets in MOVES.items() for to in targets)


def test_the_page_tells_every_end_reason_in_the_words_of_the_table() -> None:
    told = {reason: text for reason, text in rows(STATES_PAGE, "| reason | meaning |")}  # noqa: C416
    assert told == {reason: text for reason, text in END_REASON_TEXTS.items() if reason is not EndReason.NONE}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_within_the_tree_leads_somewhere(page: Path) -> None:
    targets = [target for target in LINK.findall(page.read_text(encoding="utf-8")) if "://" not in target]
    expect_none([target for target in targets if not (page.parent / target).exists()], "these links are dead")
