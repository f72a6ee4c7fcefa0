"""Requirements put together: as trees, and as texts by whoever knows no names; both say the same."""

from collections.abc import Callable

import pytest

from tests.kit.joined_trees import join_same_layer, override
from xcelib.errors import Usage
from xcelib.resreq import sections
from xcelib.resreq.combine import conjoin
from xcelib.resreq.errors import GrammarError
from xcelib.resreq.parser import parse, parse_select
from xcelib.resreq.printer import expr_text, to_text

COMPOUND = "1*{mem > 4G} + 2*{}"
ALTERNATIVE = "{mem > 4G} || {mem > 2G}"


def by_trees(*texts: str) -> str:
    return to_text(join_same_layer([parse(text) for text in texts]))


def by_texts(*texts: str) -> str:
    return to_text(parse(sections.join_repeated(texts)))


@pytest.mark.parametrize(
    ("left", "right", "joined"),
    [
        ("type == a", "mem > 4G", "type == a && mem > 4G"),
        ("type == a || model", "mem > 4G", "(type == a || model) && mem > 4G"),
        ("type == a", "mem > 4G && model", "type == a && mem > 4G && model"),
        ("type == a", "mem > 4G || model", "type == a && (mem > 4G || model)"),
    ],
)
def test_two_selects_are_joined_by_and(left: str, right: str, joined: str) -> None:
    assert expr_text(conjoin(parse_select(left), parse_select(right))) == joined


@pytest.mark.parametrize("join", [by_trees, by_texts])
@pytest.mark.parametrize(
    ("texts", "joined"),
    [
        ((), ""),
        (("",), ""),
        (("", "type"), "select[type]"),
        (("type || model", "select[mem > 4G]"), "select[(type || model) && mem > 4G]"),
        (
            ("span[hosts=1] select[type]", "mem > 4G", "rusage[mem=4G]"),
            "select[type && mem > 4G] rusage[mem=4G] span[hosts=1]",
        ),
        ((COMPOUND,), "1*{select[mem > 4G]} + 2*{}"),
    ],
)
def test_repeated_requirements_are_one(join: Callable[..., str], texts: tuple[str, ...], joined: str) -> None:
    assert join(*texts) == joined


@pytest.mark.parametrize("join", [by_trees, by_texts])
@pytest.mark.parametrize(
    ("texts", "named"),
    [
        (("rusage[mem=4G]", "rusage[slots=2]"), "`rusage`"),
        (("span[hosts=1]", "type", "span[hosts=1]"), "`span`"),
        (("order[r1m]", "order[mem]"), "`order`"),
        (("same[type]", "same[model]"), "`same`"),
        ((COMPOUND, "type"), "stands alone"),
        (("type", ALTERNATIVE), "stands alone"),
    ],
)
def test_repeated_requirements_may_not_clash(join: Callable[..., str], texts: tuple[str, ...], named: str) -> None:
    with pytest.raises(Usage, match=named) as caught:
        join(*texts)
    assert caught.value.code == "requirement_clash"


@pytest.mark.parametrize(
    ("earlier", "later", "effective"),
    [
        ("", "type", "select[type]"),
        ("type", "", "select[type]"),
        ("type", "model", "select[model]"),
        ("select[type] span[hosts=1]", "span[ptile=2]", "select[type] span[ptile=2]"),
        ("rusage[mem=4G, slots=2]", "rusage[mem=8G/job]", "rusage[mem=8G/job, slots=2]"),
        ("rusage[mem=4G]", "rusage[gpus=1]", "rusage[mem=4G, gpus=1]"),
        ("order[r1m] same[type]", "order[-mem] same[model]", "order[-mem] same[model]"),
        ("type", COMPOUND, "1*{select[mem > 4G]} + 2*{}"),
        (COMPOUND, "type", "select[type]"),
    ],
)
def test_the_later_layer_replaces_section_by_section_and_term_by_term(earlier: str, later: str, effective: str) -> None:
    assert to_text(override(parse(earlier), parse(later))) == effective
    assert to_text(parse(sections.override(earlier, later))) == effective


@pytest.mark.parametrize(
    "text",
    [
        "mem > 4G) || (ncpus > 2",
        "mem > 4G] span[hosts=1",
        "select[mem > 4G) || (ncpus > 2]",
        "(mem > 4G",
        "select[(mem > 4G] rusage[mem=4G]",
        "select[]",
        "select[type] rusage[]",
        "select[a[b]",
        "select[type",
        "select[type] model",
        "select[type] select[model]",
    ],
)
def test_what_does_not_stand_on_its_own_is_not_put_together(text: str) -> None:
    with pytest.raises(GrammarError) as caught:
        sections.split_sections(text)
    assert 0 <= caught.value.column <= len(text)
    with pytest.raises(GrammarError):
        sections.join_repeated([text, "type"])
    with pytest.raises(GrammarError):
        sections.override("type", text)
    with pytest.raises(GrammarError):
        parse(text)


def test_brackets_in_a_quoted_text_close_nothing() -> None:
    assert sections.split_sections("select[model == 'a]b)'] span[hosts=1]") == {
        "select": "model == 'a]b)'",
        "span": "hosts=1",
    }


def test_a_term_is_added_where_there_is_none_for_its_resource() -> None:
    assert sections.with_term("type", "mem", "mem=4G", is_binding=True) == "select[type] rusage[mem=4G]"
    assert sections.with_term("rusage[gpus=1]", "mem", "mem=4G", is_binding=True) == "rusage[gpus=1, mem=4G]"
    assert sections.with_term("rusage[mem=8G]", "mem", "mem=4G", is_binding=False) == "rusage[mem=8G]"


@pytest.mark.parametrize("text", ["rusage[mem=8G]", COMPOUND, ALTERNATIVE])
def test_a_term_that_stands_already_or_has_no_place_is_refused(text: str) -> None:
    with pytest.raises(Usage) as caught:
        sections.with_term(text, "mem", "mem=4G", is_binding=True)
    assert caught.value.code == "requirement_clash"


@pytest.mark.parametrize("text", ["rusage[mem=1G, mem=2G]", "rusage[mem=1G,]", "rusage[:mem=1G]", "rusage[=1G]"])
def test_a_term_that_is_empty_or_stands_twice_does_not_vanish_between_layers(text: str) -> None:
    with pytest.raises(GrammarError):
        sections.override("rusage[gpus=1]", text)
    with pytest.raises(GrammarError):
        sections.with_term(text, "gpus", "gpus=1", is_binding=True)
    with pytest.raises(GrammarError):
        parse(text)
