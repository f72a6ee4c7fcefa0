"""Pending reasons in words, one catalogue for every client."""

import re

import pytest

from xcelib.reasons import REASON_TEXTS, Fact, Reason, ReasonCode, reason_text


def facts_for(code: ReasonCode) -> dict[str, Fact]:
    """A value for every fact that the text of the code names."""
    return dict.fromkeys(re.findall(r"\{(\w+)\}", REASON_TEXTS[code]), "x")


@pytest.mark.parametrize("code", ReasonCode)
def test_every_reason_has_words_for_its_facts(code: ReasonCode) -> None:
    text = reason_text(Reason(code, facts_for(code)))
    assert text
    assert "{" not in text


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        (Reason(ReasonCode.HELD, {"by": "ann", "why": ""}), "held by ann"),
        (Reason(ReasonCode.HELD, {"by": "ann", "why": "wrong input"}), "held by ann: wrong input"),
        (Reason(ReasonCode.QUEUE_INACTIVE, {"queue": "night", "why": ""}), "queue night is inactive"),
        (
            Reason(ReasonCode.HOST_BUSY, {"resource": "mem", "asked": 4 << 30, "free": 1536 << 20}),
            "mem 4G of 1536M free",
        ),
        (Reason(ReasonCode.HOST_BUSY, {"resource": "slots", "asked": 4, "free": 2}), "slots 4 of 2 free"),
        (
            Reason(ReasonCode.SHARED_RESOURCE, {"resource": "lic", "asked": 2, "free": 0, "total": 5}),
            "lic: 2 asked, 0 of 5 free",
        ),
    ],
)
def test_facts_stand_in_the_words_with_their_units(reason: Reason, text: str) -> None:
    assert reason_text(reason) == text


def test_hosts_are_counted_by_what_rules_them_out() -> None:
    parts = (Reason(ReasonCode.HOST_DOWN, count=2), Reason(ReasonCode.HOST_CLOSED, count=1))
    reason = Reason(ReasonCode.NO_HOST_FITS, count=3, parts=parts)
    assert reason_text(reason) == (
        "no host fits now (3 hosts: 2 not reachable, 1 closed or drained by an administrator)"
    )
