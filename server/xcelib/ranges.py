"""Sets of element indexes, kept as ranges: an array of a million elements costs as much as one of two."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

from xcelib.errors import Usage
from xcelib.excerpt import shortened
from xcelib.jobspec import ArraySpec

Ranges = tuple[tuple[int, int], ...]


class IndexSet:
    """A mutable set of whole numbers as sorted, disjoint, non-touching ranges.

    One flat list of bounds, `[first, end, first, end, ...]`, each end one past its range: a number is in
    the set if an odd number of bounds stand at or before it. Every change is two bisections and a short copy.
    """

    __slots__ = ("_bounds", "_count")

    def __init__(self) -> None:
        self._bounds: list[int] = []
        self._count = 0

    @classmethod
    def _from(cls, bounds: list[int]) -> "IndexSet":
        made = cls.__new__(cls)
        made._bounds = bounds
        made._count = sum(bounds[1::2]) - sum(bounds[::2])
        return made

    @classmethod
    def of(cls, indexes: Iterable[int]) -> "IndexSet":
        """From numbers in any order; it costs least where they ascend."""
        return cls.from_ranges((index, index) for index in indexes)

    @classmethod
    def single(cls, index: int) -> "IndexSet":
        """The set of one index: what every job that is no array has."""
        made = cls.__new__(cls)
        made._bounds, made._count = [index, index + 1], 1
        return made

    @classmethod
    def from_ranges(cls, ranges: Iterable[Iterable[int]]) -> "IndexSet":
        """From (first, last) pairs, both included, in any order, overlapping or not."""
        made = cls()
        bounds = made._bounds
        for first, last in ranges:
            assert first <= last, f"the range {first}-{last} runs backwards"
            if bounds and first <= bounds[-1]:
                made.add_range(first, last)
            else:  # in order, as they were kept
                bounds += (first, last + 1)
                made._count += last + 1 - first
        return made

    @classmethod
    def from_array(cls, array: ArraySpec) -> "IndexSet":
        """The elements of an array. Of a range with a step, each is a range of its own."""
        return cls.from_ranges(
            pair
            for first, last, step in array.ranges
            for pair in (((first, last),) if step == 1 else ((each, each) for each in range(first, last + 1, step)))
        )

    def add(self, index: int) -> None:
        self.add_range(index, index)

    def add_range(self, first: int, last: int) -> None:
        """Add `first` to `last`, both included; joins what it touches."""
        self._repaint(first, last + 1, is_added=True)

    def discard(self, index: int) -> None:
        self.discard_range(index, index)

    def discard_range(self, first: int, last: int) -> None:
        """Remove whatever lies in `first` to `last`."""
        self._repaint(first, last + 1, is_added=False)

    def _repaint(self, first: int, end: int, *, is_added: bool) -> None:
        """Make all from `first` to before `end` part of the set, or none of it.

        The bounds between fall away. An end of what is painted becomes a bound where it now differs from
        the number beside it: `left` and `right` are odd where that number is in the set.
        """
        assert first < end, f"the range {first}-{end - 1} runs backwards"
        bounds = self._bounds
        left, right = bisect_left(bounds, first), bisect_right(bounds, end)
        was_there = self._count_in(left, right, first, end)
        new = [] if left & 1 == is_added else [first]
        if right & 1 != is_added:
            new.append(end)
        bounds[left:right] = new
        self._count += end - first - was_there if is_added else -was_there

    def _count_in(self, left: int, right: int, first: int, end: int) -> int:
        """How many of the numbers from `first` to before `end` are there; bounds `left` to `right` lie between."""
        if left == right:
            return end - first if left & 1 else 0
        inside = self._bounds[left:right]
        if left & 1:
            inside.insert(0, first)
        if right & 1:
            inside.append(end)
        return sum(inside[1::2]) - sum(inside[::2])

    def pop_first(self) -> int:
        """Remove the smallest index and return it; the set must not be empty."""
        bounds = self._bounds
        index = bounds[0]
        self._count -= 1
        if index + 1 == bounds[1]:
            del bounds[:2]
        else:
            bounds[0] = index + 1
        return index

    @property
    def first(self) -> int:
        """The smallest index; the set must not be empty."""
        return self._bounds[0]

    def ranges(self) -> Ranges:
        """(first, last) of each range, both included, ascending."""
        bounds = self._bounds
        return tuple([(bounds[at], bounds[at + 1] - 1) for at in range(0, len(bounds), 2)])

    def copy(self) -> "IndexSet":
        made = IndexSet.__new__(IndexSet)
        made._bounds, made._count = self._bounds[:], self._count
        return made

    def intersection(self, other: "IndexSet") -> "IndexSet":
        """What is in both, in one pass over both."""
        return IndexSet._from(_shared(self._bounds, other._bounds))

    def difference(self, other: "IndexSet") -> "IndexSet":
        """What is not in `other`: what is shared with the numbers between its ranges."""
        if not self or not other:
            return self.copy()
        below = min(self._bounds[0], other._bounds[0]) - 1
        above = max(self._bounds[-1], other._bounds[-1]) + 1
        return IndexSet._from(_shared(self._bounds, [below, *other._bounds, above]))

    def __contains__(self, index: int) -> bool:
        return bisect_right(self._bounds, index) & 1 == 1

    def __len__(self) -> int:
        return self._count

    def __bool__(self) -> bool:
        return self._count > 0

    def __iter__(self) -> Iterator[int]:
        bounds = self._bounds
        for at in range(0, len(bounds), 2):
            yield from range(bounds[at], bounds[at + 1])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IndexSet):
            return NotImplemented
        return self._bounds == other._bounds

    __hash__ = None  # type: ignore[assignment]  # mutable

    def __str__(self) -> str:
        return format_indexes(self)

    def __repr__(self) -> str:
        return f"IndexSet({format_indexes(self)})"


def _shared(left: list[int], right: list[int]) -> list[int]:
    """The bounds of what two sets of bounds have in common."""
    shared: list[int] = []
    mine = theirs = 0
    while mine < len(left) and theirs < len(right):
        first, end = max(left[mine], right[theirs]), min(left[mine + 1], right[theirs + 1])
        if first < end:  # two such pieces never touch: what touches is one range on either side
            shared += (first, end)
        if left[mine + 1] < right[theirs + 1]:
            mine += 2
        else:
            theirs += 2
    return shared


def format_indexes(indexes: IndexSet) -> str:
    """`1-5,9`, as people write element indexes."""
    return ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in indexes.ranges())


def parse_indexes(text: str) -> IndexSet:
    """The inverse of `format_indexes`; raises `Usage`."""
    return IndexSet.from_ranges(_pair(part, text) for part in text.split(","))


def _pair(part: str, text: str) -> tuple[int, int]:
    first, dash, last = part.partition("-")
    ends = (first, last if dash else first)
    if not all(end.isascii() and end.isdigit() and len(end) <= 9 for end in ends) or int(ends[0]) > int(ends[1]):
        raise Usage(
            f"`{shortened(text)}` is no list of element indexes", code="bad_indexes", hints=["write it as `3-7,9`"]
        )
    return int(ends[0]), int(ends[1])
