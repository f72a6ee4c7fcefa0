"""Host names with ranges."""

import pytest

from xcelib.config.hostnames import expand_hosts
from xcelib.errors import Usage


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("node7", ["node7"]),
        ("node[1-3]", ["node1", "node2", "node3"]),
        ("node[008-010]", ["node008", "node009", "node010"]),
        ("node[8-10]", ["node8", "node9", "node10"]),
        ("node[1,3,7-8]", ["node1", "node3", "node7", "node8"]),
        ("r[1-2]n[1-2].site", ["r1n1.site", "r1n2.site", "r2n1.site", "r2n2.site"]),
        ("n[5]", ["n5"]),
    ],
)
def test_a_range_is_expanded(text: str, names: list[str]) -> None:
    assert expand_hosts(text) == names


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("node[3-1]", "counts down"),
        ("node[a-b]", "no range"),
        ("node[]", "no range"),
        ("node[1-]", "no range"),
        ("node[1", "host name"),
        ("node 1", "host name"),
        ("", "host name"),
        ("-node", "host name"),
        ("[1-2]" + "x" * 70, "host name"),
        ("n[1-999999999]", "100,000"),
        ("n[1-1000][1-1000]", "100,000"),
        ("n[1-9999999999]", "no range"),
        ("nö", "host name"),
    ],
)
def test_a_wrong_range_says_why(text: str, word: str) -> None:
    with pytest.raises(Usage, match="names no hosts") as caught:
        expand_hosts(text)
    assert word in caught.value.message
    assert caught.value.hints
