"""YAML text to nodes: places, faults, and bounds."""

import time
from collections.abc import Callable

import pytest

from xceadmin.config.faults import Faults
from xceadmin.config.nodes import Mapping, Node, Place, Scalar, Sequence
from xceadmin.config.reader import read_yaml
from xcelib.config import codes


def read(text: str | bytes) -> tuple[Node | None, Faults]:
    faults = Faults()
    content = text.encode() if isinstance(text, str) else text
    return read_yaml(content, file="queues.yaml", faults=faults), faults


def plain(node: Node | None) -> object:
    """The tree without its places."""
    if isinstance(node, Mapping):
        return {key.text: plain(value) for key, value in node.entries}
    if isinstance(node, Sequence):
        return [plain(item) for item in node.items]
    return node.text if isinstance(node, Scalar) else None


def only_fault(text: str | bytes) -> tuple[str, int, int, str]:
    _, faults = read(text)
    (fault,) = faults
    return fault.code, fault.place.line, fault.place.column, fault.message


def test_scalars_stay_texts_whatever_yaml_1_1_would_make_of_them() -> None:
    root, faults = read("a: [no, on, 1:30, 0777, 1_000, 1e3, 2026-01-01, ~, 0x10, .inf]\n")
    assert plain(root) == {"a": ["no", "on", "1:30", "0777", "1_000", "1e3", "2026-01-01", "~", "0x10", ".inf"]}
    assert not list(faults)


def test_every_node_knows_its_place() -> None:
    root, _ = read("queues:\n  - name: short\n    max: {run_time: 1h}\n")
    assert isinstance(root, Mapping)
    key, queues = root.entries[0]
    assert key.place == Place("queues.yaml", 1, 1)
    assert isinstance(queues, Sequence)
    (queue,) = queues.items
    assert isinstance(queue, Mapping)
    assert queue.place == Place("queues.yaml", 2, 5)
    assert queue.entries[1][1].place == Place("queues.yaml", 3, 10)


def test_quotes_are_remembered() -> None:
    root, _ = read("""{a: 1, b: "1", c: '1'}""")
    assert isinstance(root, Mapping)
    assert [value.is_plain for _, value in root.entries if isinstance(value, Scalar)] == [True, False, False]


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "\ufeff"])
def test_an_empty_file_has_no_root(text: str) -> None:
    root, faults = read(text)
    assert root is None or plain(root) == ""
    assert not list(faults)


def test_a_key_that_stands_twice_is_a_fault_at_the_second() -> None:
    assert only_fault("a: 1\nb: 2\na: 3\n") == (
        codes.DUPLICATE_KEY,
        3,
        1,
        "key `a` stands twice, first in line 1",
    )


def test_all_duplicate_keys_of_a_file_are_told() -> None:
    _, faults = read("a: 1\na: {b: 1, b: 2}\nc: {d: 1, d: 2}\n")
    assert [(fault.place.line, fault.code) for fault in faults] == [
        (2, codes.DUPLICATE_KEY),
        (2, codes.DUPLICATE_KEY),
        (3, codes.DUPLICATE_KEY),
    ]


@pytest.mark.parametrize("text", ["a: !!python/object:os.system x", "a: !!int 3", "!mine {a: 1}", "a: ! x"])
def test_a_tag_is_refused(text: str) -> None:
    assert only_fault(text)[0] == codes.TAG


def test_an_anchor_may_be_used_again() -> None:
    root, faults = read("a: &x {b: 1}\nc: *x\n")
    assert plain(root) == {"a": {"b": "1"}, "c": {"b": "1"}}
    assert not list(faults)


@pytest.mark.parametrize("text", ["a: *nowhere", "a: &x [*x]", "&x {a: {b: *x}}"])
def test_an_alias_needs_a_whole_anchor_before_it(text: str) -> None:
    assert only_fault(text)[0] == codes.ALIAS


def test_a_merge_key_is_refused() -> None:
    code, line, column, message = only_fault("a: &x {b: 1}\nc: {<<: *x}\n")
    assert (code, line, column) == (codes.UNKNOWN_KEY, 2, 5)
    assert "merge keys" in message


def billion_laughs() -> str:
    lines = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    return "\n".join(lines)


def deep() -> str:
    return "[" * 65 + "]" * 65


def deep_by_aliases() -> str:
    lines = ["a0: &a0 " + "[" * 40 + "]" * 40]
    return "\n".join([*lines, "a1: " + "[" * 30 + "*a0" + "]" * 30])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (billion_laughs, codes.TOO_MANY),
        (deep, codes.TOO_DEEP),
        (deep_by_aliases, codes.TOO_DEEP),
        (lambda: "[" * 100_000, codes.TOO_DEEP),
        (lambda: "- " * 100_000, codes.TOO_DEEP),
    ],
)
def test_a_bomb_is_refused_at_once(text: Callable[[], str], code: str) -> None:
    bomb, start = text(), time.perf_counter()
    assert only_fault(bomb)[0] == code
    assert time.perf_counter() - start < 1.0


def test_sixty_four_levels_are_read() -> None:
    _, faults = read("[" * 64 + "]" * 64)
    assert not list(faults)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("a:\n\tb: 1\n", 2, 1),
        ("a:\n  - b\n  \t- c\n", 3, 3),
    ],
)
def test_a_tab_that_indents_is_named(text: str, line: int, column: int) -> None:
    assert only_fault(text) == (codes.TAB, line, column, "a tab indents this line")


@pytest.mark.parametrize(
    "text", ["a: [1, 2", "a: b: c", "{a: 1", "a: 'x", "a: @x", 'a: "\\ud800"', "a: %x", "- a\nb: 1"]
)
def test_what_is_no_yaml_has_a_place(text: str) -> None:
    code, line, _, message = only_fault(text)
    assert code == codes.SYNTAX
    assert line >= 1
    assert message.startswith("not YAML: ")


def test_a_second_document_is_refused() -> None:
    assert only_fault("a: 1\n---\nb: 2\n")[:2] == (codes.DOCUMENTS, 2)


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"a: 1\nb: \xff\n", (2, 4)),
        (b"a: \x00\n", (1, 4)),
        (b"\n\na\x1b: 1", (3, 2)),
        ("a: \uffff".encode(), (1, 4)),
    ],
)
def test_what_is_no_text_has_a_place(content: bytes, place: tuple[int, int]) -> None:
    code, line, column, _ = only_fault(content)
    assert (code, line, column) == (codes.ENCODING, *place)


def test_a_key_must_be_a_text() -> None:
    assert only_fault("{[a, b]: c}")[0] == codes.WRONG_TYPE
