"""What an expression says of a host, and which can never be true."""

import pytest

from xcelib.resreq.descriptors import BUILTINS, Descriptor
from xcelib.resreq.evaluate import Host, contradictory, matches
from xcelib.resreq.parser import parse_select

SITE = {**BUILTINS, "ssd": Descriptor(name="ssd", type="boolean", layer="attribute")}
HOST: Host = {"type": "X86_64", "model": "", "ncpus": 8, "mem": 4 << 30, "maxmem": 16 << 30, "r1m": 0.5, "ssd": True}


@pytest.mark.parametrize(
    "text",
    [
        "type == X86_64",
        "type != ARM",
        "type >= X",
        "mem >= 4G && mem <= 4G",
        "mem / maxmem == 0.25",
        "mem + 512M > 4G",
        "ncpus - 2 * 3 == 2",
        "-ncpus < 0",
        "r1m < 1",
        "ssd",
        "ssd == true",
        "(ncpus > 4) == ssd",
        "type",
        "true",
        "defined(model)",
        "ncpus == 4 || ncpus == 8",
        "!(ncpus == 4)",
        "'a' < 'b'",
    ],
)
def test_a_host_matches_what_it_has(text: str) -> None:
    expr = parse_select(text, known=SITE)
    assert matches(expr, HOST)
    assert not matches(parse_select(f"!({text})", known=SITE), HOST)


@pytest.mark.parametrize(
    "text",
    ["type == ARM", "mem > 4G", "model", "false", "!ssd", "ncpus == 8 && ncpus == 4", "type == x86_64", "'b' < 'a'"],
)
def test_a_host_does_not_match_what_it_has_not(text: str) -> None:
    assert not matches(parse_select(text, known=SITE), HOST)


@pytest.mark.parametrize("op", ["==", "!=", "<", "<=", ">", ">="])
@pytest.mark.parametrize("operands", ["swp {} 1G", "mem + swp {} 1G", "-it {} 1", "status {} ok", "ncpus / 0 {} 1"])
def test_a_comparison_with_what_is_not_there_is_false(op: str, operands: str) -> None:
    text = operands.format(op)
    assert not matches(parse_select(text), HOST)
    assert matches(parse_select(f"!({text})"), HOST)


@pytest.mark.parametrize("text", ["status", "ssd", "defined(status)", "ssd == false"])
def test_a_missing_attribute_is_not_had(text: str) -> None:
    assert not matches(parse_select(text, known=SITE), {})


@pytest.mark.parametrize("text", ["type == 'a'", "ncpus > 1", "ncpus + 1 > 1", "-ncpus < 1", "ncpus * 1.5 > 0"])
def test_a_value_of_another_type_than_declared_matches_nothing(text: str) -> None:
    assert not matches(parse_select(text), {"type": 4, "ncpus": "many"})


def test_numbers_too_large_match_nothing_and_raise_nothing() -> None:
    huge = " * ".join(["99999999999999999"] * 20)
    for text in (f"{huge} / 3 > ncpus", f"{huge} * 0.5 > ncpus", "r1m - r1m != 1", "r1m * 0 != 1"):
        assert not matches(parse_select(text), {"ncpus": 1, "r1m": float("inf")})


@pytest.mark.parametrize(
    "text",
    [
        "type == a && type == b",
        "type == a && ncpus > 2 && (model == c && 'b' == type)",
        "ncpus == 2 && ncpus == 3",
        "mem == 4G && 5G == mem",
        "ssd == true && ssd == false",
    ],
)
def test_two_values_of_one_attribute_contradict(text: str) -> None:
    assert contradictory(parse_select(text, known=SITE))


@pytest.mark.parametrize(
    "text",
    [
        "type == a",
        "type == a && type == a",
        "type == a || type == b",
        "type == a && model == b",
        "type == a && !(type == b)",
        "type == a && type != b",
        "ncpus == 2 && ncpus == 2.0",
        "mem == 1G && mem == 1024M",
        "type == model && type == a",
    ],
)
def test_what_some_host_may_have_does_not_contradict(text: str) -> None:
    assert not contradictory(parse_select(text))
