"""Sets of element indexes, kept as ranges: an array of a million elements costs as much as one of two."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

from xcelib.errors import Usage
from xcelib.jobspec import ArraySpec

Ranges = tuple[tuple[int, int], ...]


class IndexSet:
    """A mutable set of whole numbers as sorted, disjoint, non-touching ranges.

    Two flat lists (first and last of each range) make every change a bisection and a short copy.
    """

    __slots__ = ("_count", "_firsts", "_lasts")

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._lasts: list[int] = []
        self._count = 0

    @classmethod
    def of(cls, indexes: Iterable[int]) -> "IndexSet":
        made = cls()
        for index in indexes:
            made.add_range(index, index)
        return made

    @classmethod
    def single(cls, index: int) -> "IndexSet":
        """The set of one index: what every job that is no array has."""
        made = cls.__new__(cls)
        made._firsts, made._lasts, made._count = [index], [index], 1
        return made

    @classmethod
    def from_ranges(cls, ranges: Iterable[Iterable[int]]) -> "IndexSet":
        """From (first, last) pairs, in any order, overlapping or not."""
        made = cls()
        for first, last in ranges:
            if made._lasts and first <= made._lasts[-1] + 1:
                made.add_range(first, last)
            else:  # in order, as they were kept
                made._firsts.append(first)
                made._lasts.append(last)
                made._count += last - first + 1
        return made

    @classmethod
    def from_array(cls, array: ArraySpec) -> "IndexSet":
        made = cls()
        for first, last, step in array.ranges:
            if step == 1:
                made.add_range(first, last)
            else:
                for index in range(first, last + 1, step):
                    made.add_range(index, index)
        return made

    def add(self, index: int) -> None:
        self.add_range(index, index)

    def add_range(self, first: int, last: int) -> None:
        """Add `first` to `last`, both included; joins what it touches."""
        assert first <= last, f"the range {first}-{last} runs backwards"
        left = bisect_left(self._lasts, first - 1)  # the first range that ends at or after first - 1
        right = bisect_right(self._firsts, last + 1)  # one past the last range that begins at or before last + 1
        for position in range(left, right):
            self._count -= self._lasts[position] - self._firsts[position] + 1
        if left < right:
            first, last = min(first, self._firsts[left]), max(last, self._lasts[right - 1])
        self._firsts[left:right] = [first]
        self._lasts[left:right] = [last]
        self._count += last - first + 1

    def discard(self, index: int) -> None:
        self.discard_range(index, index)

    def discard_range(self, first: int, last: int) -> None:
        """Remove whatever lies in `first` to `last`."""
        left = bisect_left(self._lasts, first)
        right = bisect_right(self._firsts, last)
        if left >= right:
            return
        for position in range(left, right):
            self._count -= self._lasts[position] - self._firsts[position] + 1
        before, after = (self._firsts[left], first - 1), (last + 1, self._lasts[right - 1])
        kept = [(a, b) for a, b in (before, after) if a <= b]
        self._firsts[left:right] = [a for a, _ in kept]
        self._lasts[left:right] = [b for _, b in kept]
        self._count += sum(b - a + 1 for a, b in kept)

    @property
    def first(self) -> int:
        """The smallest index; the set must not be empty."""
        return self._firsts[0]

    def ranges(self) -> Ranges:
        return tuple(zip(self._firsts, self._lasts, strict=True))

    def copy(self) -> "IndexSet":
        made = IndexSet()
        made._firsts, made._lasts, made._count = self._firsts[:], self._lasts[:], self._count
        return made

    def intersection(self, other: "IndexSet") -> "IndexSet":
        made = IndexSet()
        mine, theirs = 0, 0
        while mine < len(self._firsts) and theirs < len(other._firsts):
            first = max(self._firsts[mine], other._firsts[theirs])
            last = min(self._lasts[mine], other._lasts[theirs])
            if first <= last:
                made.add_range(first, last)
            if self._lasts[mine] < other._lasts[theirs]:
                mine += 1
            else:
                theirs += 1
        return made

    def difference(self, other: "IndexSet") -> "IndexSet":
        made = self.copy()
        for first, last in other.ranges():
            made.discard_range(first, last)
        return made

    def __contains__(self, index: int) -> bool:
        position = bisect_left(self._lasts, index)
        return position < len(self._firsts) and self._firsts[position] <= index

    def __len__(self) -> int:
        return self._count

    def __bool__(self) -> bool:
        return self._count > 0

    def __iter__(self) -> Iterator[int]:
        for first, last in zip(self._firsts, self._lasts, strict=True):
            yield from range(first, last + 1)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IndexSet):
            return NotImplemented
        return self._firsts == other._firsts and self._lasts == other._lasts

    __hash__ = None  # type: ignore[assignment]  # mutable

    def __str__(self) -> str:
        return format_indexes(self)

    def __repr__(self) -> str:
        return f"IndexSet({format_indexes(self)})"


def format_indexes(indexes: IndexSet) -> str:
    """`1-5,9`, as people write element indexes."""
    return ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in indexes.ranges())


def parse_indexes(text: str) -> IndexSet:
    """The inverse of `format_indexes`; raises `Usage`."""
    found = IndexSet()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        ends = [first, last if dash else first]
        if not all(end.isascii() and end.isdigit() and len(end) <= 9 for end in ends) or int(ends[0]) > int(ends[1]):
            raise Usage(f"`{text}` is no list of element indexes", code="bad_indexes", hints=["write it as `3-7,9`"])
        found.add_range(int(ends[0]), int(ends[1]))
    return found
