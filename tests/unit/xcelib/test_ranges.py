"""Sets of indexes as ranges: what is added, removed, joined, printed and read."""

import pytest

from xcelib.errors import Usage
from xcelib.jobspec import ArraySpec
from xcelib.ranges import IndexSet, format_indexes, parse_indexes


@pytest.mark.parametrize(
    ("added", "ranges"),
    [
        ([], ()),
        ([5], ((5, 5),)),
        ([1, 2, 3], ((1, 3),)),
        ([3, 1], ((1, 1), (3, 3))),
        ([1, 3, 2], ((1, 3),)),
        ([1, 1], ((1, 1),)),
    ],
)
def test_what_touches_is_joined(added: list[int], ranges: tuple[tuple[int, int], ...]) -> None:
    found = IndexSet.of(added)
    assert found.ranges() == ranges
    assert len(found) == len(set(added))
    assert list(found) == sorted(set(added))


def test_one_index_is_a_set() -> None:
    found = IndexSet.single(5)
    assert found == IndexSet.of([5])
    assert len(found) == 1
    assert bool(found) is True


def test_a_range_swallows_what_it_covers() -> None:
    found = IndexSet.of([2, 4, 9])
    found.add_range(1, 5)
    assert found.ranges() == ((1, 5), (9, 9))
    assert len(found) == 6


@pytest.mark.parametrize(
    ("removed", "left"),
    [((4, 6), "1-3,7-9"), ((1, 9), ""), ((0, 20), ""), ((9, 9), "1-8"), ((1, 1), "2-9"), ((10, 12), "1-9")],
)
def test_a_removed_range_leaves_the_rest(removed: tuple[int, int], left: str) -> None:
    found = parse_indexes("1-9")
    found.discard_range(*removed)
    assert str(found) == left
    assert len(found) == len(list(found))


def test_removing_over_a_gap_trims_both_sides() -> None:
    found = parse_indexes("1-3,7-9")
    found.discard_range(3, 7)
    assert str(found) == "1-2,8-9"


def test_sets_are_compared_copied_and_cut() -> None:
    left, right = parse_indexes("1-5,9"), parse_indexes("3-9")
    shared, rest = left.intersection(right), left.difference(right)
    assert (str(shared), len(shared)) == ("3-5,9", 4)
    assert (str(rest), len(rest)) == ("1-2", 2)
    assert left.difference(IndexSet()) == left
    assert IndexSet().difference(left) == IndexSet()
    copy = left.copy()
    copy.discard(9)
    assert str(left) == "1-5,9"
    assert copy != left
    assert left.first == 1
    assert 4 in left
    assert 6 not in left
    assert bool(left) is True
    assert bool(IndexSet()) is False


def test_the_first_is_taken_until_nothing_is_left() -> None:
    found = parse_indexes("3-4,9")
    assert [found.pop_first() for _ in range(3)] == [3, 4, 9]
    assert found == IndexSet()
    assert len(found) == 0


@pytest.mark.parametrize(
    ("ranges", "text"),
    [
        (((1, 100, 1),), "1-100"),
        (((1, 7, 3),), "1,4,7"),
        (((1, 8, 3),), "1,4,7"),
        (((7, 9, 1), (1, 3, 2)), "1,3,7-9"),
        (((1, 2, 1), (3, 4, 1)), "1-4"),
    ],
)
def test_an_array_has_its_elements(ranges: tuple[tuple[int, int, int], ...], text: str) -> None:
    found = IndexSet.from_array(ArraySpec(ranges=ranges))
    assert str(found) == text
    assert len(found) == len(list(found))


def test_a_range_that_runs_backwards_is_a_bug_of_the_caller() -> None:
    with pytest.raises(AssertionError, match="4-2 runs backwards"):
        IndexSet().add_range(4, 2)
    with pytest.raises(AssertionError, match="4-2 runs backwards"):
        IndexSet().discard_range(4, 2)
    with pytest.raises(AssertionError, match="4-2 runs backwards"):
        IndexSet.from_ranges([(4, 2)])


def test_a_million_elements_are_one_range() -> None:
    assert len(parse_indexes("1-1000000").ranges()) == 1


def test_a_long_wrong_text_is_told_in_short() -> None:
    with pytest.raises(Usage) as caught:
        parse_indexes("9" * 5000)
    assert len(caught.value.message) < 100


@pytest.mark.parametrize("text", ["1", "1-3", "1-3,7", "2,4,9-11"])
def test_what_is_printed_is_read(text: str) -> None:
    assert format_indexes(parse_indexes(text)) == text


def test_what_is_read_may_be_in_any_order() -> None:
    assert str(parse_indexes("9,3-3,4,1-2,9")) == "1-4,9"


@pytest.mark.parametrize("text", ["", "a", "1-", "-1", "3-1", "1,,2", "1 2", "１", "1-2-3", "1" * 10, "1.5"])
def test_what_is_no_list_of_indexes_is_refused(text: str) -> None:
    with pytest.raises(Usage) as caught:
        parse_indexes(text)
    assert caught.value.message == f"`{text}` is no list of element indexes"
    assert caught.value.hints == ("write it as `3-7,9`",)
