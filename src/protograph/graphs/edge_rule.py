"""When edges of two graphs agree: always, or where their attributes do."""

from dataclasses import dataclass

from protograph._base.arrays import Floats
from protograph.graphs.node_rule import check_cuts, cut_columns


@dataclass(frozen=True, kw_only=True)
class EdgeRule:
    """When two edges agree.

    Attributes:
        is_matched: Whether their attributes decide; without, any two edges agree.
        cuts: For each column of ``edge_attr`` the numbers, ascending, between which values count as equal; a column
            without any, and every column where ``cuts`` is empty, must be equal as it is. A value that is a cut itself
            counts with those above it.

    >>> EdgeRule(is_matched=True, cuts=((), (0.5, 1.5))).cuts[1]
    (0.5, 1.5)
    """

    is_matched: bool = False
    cuts: tuple[tuple[float, ...], ...] = ()

    def __post_init__(self) -> None:
        check_cuts(self.cuts)

    def compared(self, rows: Floats) -> Floats:
        """Rows of ``edge_attr`` as they are compared: in place of a value of a column with cuts, how many lie below.

        >>> import numpy as np
        >>> EdgeRule(is_matched=True, cuts=((), (0.5, 1.5))).compared(np.array([[7.0, 0.2], [7.0, 1.5]])).tolist()
        [[7.0, 0.0], [7.0, 2.0]]
        """
        if not self.cuts:
            return rows
        if rows.shape[1] != len(self.cuts):
            raise ValueError(f"edge_attr must have {len(self.cuts)} columns, as the cuts have, got {rows.shape[1]}")
        return cut_columns(rows, self.cuts)


MatchEdges = bool | EdgeRule


def as_rule(match_edges: MatchEdges) -> EdgeRule:
    """A rule in full: ``True`` means equal attributes.

    >>> as_rule(True)
    EdgeRule(is_matched=True, cuts=())
    """
    return match_edges if isinstance(match_edges, EdgeRule) else EdgeRule(is_matched=match_edges)
