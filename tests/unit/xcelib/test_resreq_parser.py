"""Reading requirements: the trees, the site's own names, the unit of bare sizes, the bounds."""

from collections.abc import Callable

import pytest

from xcelib.errors import Usage
from xcelib.resreq.ast import (
    Alternative,
    Attribute,
    Binary,
    Choice,
    Compound,
    Negative,
    Not,
    Number,
    OrderKey,
    Part,
    Simple,
    Span,
    Term,
    Text,
    Truth,
)
from xcelib.resreq.cursor import DEPTH_MAX, NODES_MAX
from xcelib.resreq.descriptors import BUILTINS, Descriptor
from xcelib.resreq.errors import GrammarError
from xcelib.resreq.lexer import TEXT_MAX, tokens
from xcelib.resreq.parser import parse, parse_order, parse_same, parse_select, parse_span, parse_terms

SITE = {
    **BUILTINS,
    "scratch": Descriptor(name="scratch", type="size", layer="counter", scope="shared"),
    "matlab": Descriptor(name="matlab", type="number", layer="counter", scope="shared"),
    "ssd": Descriptor(name="ssd", type="boolean", layer="attribute"),
    "rack": Descriptor(name="rack", type="string", layer="attribute"),
}
GIB = 1 << 30


def fault_of(text: str) -> GrammarError:
    with pytest.raises(GrammarError) as caught:
        parse(text, known=SITE)
    return caught.value


def test_a_token_knows_its_column() -> None:
    assert [(token.kind, token.text, token.column) for token in tokens("mem >=4G ")] == [
        ("word", "mem", 0),
        ("sign", ">=", 4),
        ("number", "4G", 6),
        ("end", "", 9),
    ]


def test_and_binds_before_or_and_both_lean_to_the_left() -> None:
    type_, model, rack = (Attribute(name) for name in ("type", "model", "rack"))
    expected = Binary("||", Binary("||", type_, Binary("&&", model, rack)), type_)
    assert parse_select("type || model && rack || type", known=SITE) == expected


def test_a_sum_leans_to_the_left_and_a_product_binds_before_it() -> None:
    one, two = Number(1, "1"), Number(2, "2")
    total = Binary("-", Binary("-", Attribute("ncpus"), one), Binary("*", two, two))
    assert parse_select("ncpus - 1 - 2 * 2 > 1") == Binary(">", total, one)


def test_signs_before_an_operand_bind_first() -> None:
    assert parse_select("!type && -ncpus < 1") == Binary(
        "&&", Not(Attribute("type")), Binary("<", Negative(Attribute("ncpus")), Number(1, "1"))
    )


def test_a_word_beside_a_string_attribute_is_a_text_and_an_attribute_an_attribute() -> None:
    assert parse_select("rack == r12", known=SITE) == Binary("==", Attribute("rack"), Text("r12"))
    assert parse_select("rack == model", known=SITE) == Binary("==", Attribute("rack"), Attribute("model"))


def test_a_site_declares_the_names_that_may_stand_in_a_requirement() -> None:
    text = "select[ssd && rack == r12] rusage[scratch=10G/job, matlab=1]"
    assert parse(text, known=SITE) == Simple(
        select=Binary("&&", Attribute("ssd"), Binary("==", Attribute("rack"), Text("r12"))),
        rusage=(Term("scratch", 10 * GIB, "job", "10G"), Term("matlab", 1, None, "1")),
    )
    with pytest.raises(GrammarError) as caught:
        parse(text)
    assert caught.value.code == "unknown_attribute"


def test_a_boolean_attribute_is_compared_with_truths_alone() -> None:
    assert parse_select("ssd == false", known=SITE) == Binary("==", Attribute("ssd"), Truth(False))
    assert fault_of("ssd == 1").code == "type_mismatch"
    assert fault_of("ssd == yes").code == "unknown_attribute"


@pytest.mark.parametrize("text", ["mem > 4096", "4096 < mem", "mem - 4096 > swp", "rusage[mem=4096]"])
def test_a_bare_size_takes_the_unit_of_the_configuration(text: str) -> None:
    assert "4294967296" in str(parse(text, memory_unit="M"))
    with pytest.raises(GrammarError) as caught:
        parse(text)
    assert caught.value.code == "size_without_unit"
    assert caught.value.hints == ("write `4096M` or `4096G`",)
    assert text[caught.value.column :].startswith("4096")


def test_a_number_beside_no_size_takes_no_unit() -> None:
    assert parse_select("ncpus > 4", memory_unit="G") == Binary(">", Attribute("ncpus"), Number(4, "4"))


def test_the_parts_of_a_compound_have_their_counts_and_needs() -> None:
    first = Part(1, Simple(rusage=(Term("gpus", 1, None, "1"),)))
    assert parse("1*{rusage[gpus=1]} + 31*{}") == Compound((first, Part(31, Simple())))


def test_a_later_choice_may_wait() -> None:
    one_host = Simple(span=Span("hosts", 1))
    assert parse("{span[hosts=1]} || {} @ 1h30m") == Alternative((Choice(one_host), Choice(Simple(), 5400)))


def test_the_texts_of_a_profile_are_read_section_by_section() -> None:
    assert parse_order("r1m:-mem") == (OrderKey("r1m"), OrderKey("mem", reversed=True))
    assert parse_span("ptile=8") == Span("ptile", 8)
    assert parse_same("type:rack", known=SITE) == ("type", "rack")
    assert parse_terms("matlab=2/job, mem=1", known=SITE, memory_unit="G") == (
        Term("matlab", 2, "job", "2"),
        Term("mem", GIB, None, "1"),
    )


@pytest.mark.parametrize("parser", [parse_select, parse_order, parse_span, parse_same, parse_terms])
def test_a_profiles_text_is_one_section_and_nothing_more(parser: Callable[[str], object]) -> None:
    for text in ("", "select[type]", "type ]", "mem=1G span[hosts=1]"):
        with pytest.raises(GrammarError):
            parser(text)


def test_an_error_has_its_place_in_numbers_and_in_the_line() -> None:
    fault = fault_of("mem > 4G && mme > 2G")
    assert (fault.code, fault.text, fault.column) == ("unknown_attribute", "mem > 4G && mme > 2G", 12)
    assert fault.message == "the requirement is wrong at column 13: no attribute is named `mme`"
    line, caret = fault.detail.splitlines()
    assert line[caret.index("^") :].startswith("mme")


@pytest.mark.parametrize("before", [0, 1, 30, 100])
def test_the_caret_stands_below_the_place_in_a_long_line_too(before: int) -> None:
    fault = fault_of("type && " * before + "mme > 4G" + " && type" * 20)
    line, caret = fault.detail.splitlines()
    assert len(line) < 110
    assert line[caret.index("^") :].startswith("mme")


def test_what_cannot_be_printed_is_not_shown() -> None:
    assert fault_of("mem > \x1b[31m").detail.splitlines()[0] == "  mem > ?[31m"


def test_a_long_word_is_shortened_in_the_message() -> None:
    for text in ("x" * 4000, f"select[{'x' * 4000} == 'a']", f"{'x' * 4000}[1]", f"rusage[{'x' * 4000}=1]"):
        fault = fault_of(text)
        assert len(fault.message) < 200
        assert all(len(hint) < 200 for hint in fault.hints)


def test_a_text_of_the_greatest_length_is_read_and_a_longer_one_refused() -> None:
    assert parse("type" + " " * (TEXT_MAX - 4)) == Simple(select=Attribute("type"))
    with pytest.raises(Usage, match="4097 characters, at most 4096"):
        parse("type" + " " * (TEXT_MAX - 3))


def test_as_many_parts_as_allowed_are_read_and_one_more_is_refused() -> None:
    count = NODES_MAX // 2  # a name and an operator each
    assert isinstance(parse_select("&&".join(["type"] * count)), Binary)
    assert f"more than {NODES_MAX} parts" in fault_of("&&".join(["type"] * (count + 1))).message
    assert f"more than {NODES_MAX} parts" in fault_of("+".join(["1*{}"] * (NODES_MAX + 1))).message


@pytest.mark.parametrize("opening", ["(", "!", "!(", "-("])
def test_nesting_is_bounded(opening: str) -> None:
    count = DEPTH_MAX // len(opening)
    inner = "ncpus" if "-" in opening else "type"
    closing, tail = ")" * opening.count("("), " > 1" if "-" in opening else ""
    assert parse_select(opening * count + inner + closing * count + tail)
    too_deep = opening * (count + 1) + inner + closing * (count + 1) + tail
    assert f"deeper than {DEPTH_MAX} levels" in fault_of(too_deep).message
