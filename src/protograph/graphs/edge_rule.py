"""When edges of two graphs agree: always, or where their attributes do."""

from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, kw_only=True)
class EdgeRule:
    """When two edges agree.

    Attributes:
        is_matched: Whether their attributes decide; without, any two edges agree.
        cuts: For each column of ``edge_attr`` the numbers, ascending, between which values count as equal; a column
            without any, and every column where ``cuts`` is empty, must be equal as it is.

    >>> EdgeRule(is_matched=True, cuts=((), (0.5, 1.5))).cuts[1]
    (0.5, 1.5)
    """

    is_matched: bool = False
    cuts: tuple[tuple[float, ...], ...] = ()

    def __post_init__(self) -> None:
        for column, numbers in enumerate(self.cuts):
            if any(not first < second for first, second in pairwise(numbers)):
                raise ValueError(f"cuts[{column}] must be ascending, got {list(numbers)}")
