"""An index set is a set of numbers, however it is kept."""

from hypothesis import given
from hypothesis import strategies as st

from xcelib.ranges import IndexSet, format_indexes, parse_indexes

RANGES = st.tuples(st.integers(0, 60), st.integers(0, 20)).map(lambda pair: (pair[0], pair[0] + pair[1]))
CHANGES = st.lists(st.tuples(st.booleans(), RANGES), max_size=30)


def follow(changes: list[tuple[bool, tuple[int, int]]]) -> tuple[IndexSet, set[int]]:
    made, model = IndexSet(), set[int]()
    for is_added, (first, last) in changes:
        numbers = set(range(first, last + 1))
        if is_added:
            made.add_range(first, last)
            model |= numbers
        else:
            made.discard_range(first, last)
            model -= numbers
    return made, model


@given(CHANGES)
def test_it_equals_a_set_after_any_changes(changes: list[tuple[bool, tuple[int, int]]]) -> None:
    made, model = follow(changes)
    assert list(made) == sorted(model)
    assert len(made) == len(model)
    assert bool(made) == bool(model)
    assert all((number in made) == (number in model) for number in range(90))


@given(CHANGES)
def test_its_ranges_are_sorted_disjoint_and_do_not_touch(changes: list[tuple[bool, tuple[int, int]]]) -> None:
    made, _ = follow(changes)
    flat = [end for pair in made.ranges() for end in pair]
    assert all(a <= b for a, b in made.ranges())
    assert all(a + 1 < b for (_, a), (b, _) in zip(made.ranges(), made.ranges()[1:], strict=False))
    assert flat == sorted(flat)
    assert IndexSet.from_ranges(made.ranges()) == made


@given(CHANGES, CHANGES)
def test_meeting_and_leaving_are_those_of_sets(
    left: list[tuple[bool, tuple[int, int]]], right: list[tuple[bool, tuple[int, int]]]
) -> None:
    (a, model_a), (b, model_b) = follow(left), follow(right)
    assert set(a.intersection(b)) == model_a & model_b
    assert set(a.difference(b)) == model_a - model_b
    assert set(a) == model_a


@given(CHANGES.filter(lambda changes: bool(follow(changes)[1])))
def test_its_text_reads_back(changes: list[tuple[bool, tuple[int, int]]]) -> None:
    made, _ = follow(changes)
    assert parse_indexes(format_indexes(made)) == made


@given(st.lists(RANGES, max_size=12))
def test_the_order_of_ranges_makes_no_difference(ranges: list[tuple[int, int]]) -> None:
    made, (forwards, _) = IndexSet.from_ranges(ranges), follow([(True, pair) for pair in sorted(ranges)])
    assert made == forwards
    assert len(made) == len(forwards)
    assert IndexSet.of(forwards) == made


@given(CHANGES.filter(lambda changes: bool(follow(changes)[1])))
def test_taking_the_first_is_taking_the_least(changes: list[tuple[bool, tuple[int, int]]]) -> None:
    made, model = follow(changes)
    assert made.pop_first() == min(model)
    assert set(made) == model - {min(model)}
    assert len(made) == len(model) - 1
