"""What kind a node is, where its features are one-hot: the column of ``x`` that is 1."""

from collections import Counter
from collections.abc import Sequence

import torch
from torch_geometric.data import Data


def node_columns(graph: Data, colors: Sequence[str] = ()) -> list[int] | None:
    """The column of ``x`` that each node's kind is; ``None`` where features are not one-hot.

    Columns whose colour is the empty text do not count.

    >>> node_columns(Data(x=torch.eye(3)[[2, 0]])), node_columns(Data(x=torch.rand(3, 2)))
    ([2, 0], None)
    """
    x = graph.x
    if x is None or x.dim() != 2:
        return None
    chosen = (shown_columns(colors) if len(colors) == x.size(1) else None) or tuple(range(x.size(1)))
    x = x[:, list(chosen)]
    # Truth values have no largest.
    return [chosen[column] for column in (x == 1).int().argmax(dim=1).tolist()] if is_one_hot(x) else None


def by_frequency(columns: Sequence[int]) -> list[tuple[int, int]]:
    """Each column with how often it occurs, most frequent first.

    >>> by_frequency([1, 0, 2, 1])
    [(1, 2), (0, 1), (2, 1)]
    """
    return sorted(Counter(columns).items(), key=lambda item: (-item[1], item[0]))


def is_one_hot(x: torch.Tensor) -> bool:
    """Whether every row has a single 1 and otherwise zeros."""
    return x.dim() == 2 and x.size(1) > 1 and bool((((x == 0) | (x == 1)).all()) & (x.sum(dim=1) == 1).all())


def shown_columns(colors: Sequence[str]) -> tuple[int, ...] | None:
    """Columns that decide what kind a node is: those with a colour, where some have and some have none.

    >>> shown_columns(("#000000", "", "#FFFFFF")), shown_columns(("#000000", "#FFFFFF")), shown_columns(())
    ((0, 2), None, None)
    """
    chosen = tuple(column for column, color in enumerate(colors) if color)
    return chosen if 0 < len(chosen) < len(colors) else None
