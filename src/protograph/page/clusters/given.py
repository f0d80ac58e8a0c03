"""Graphs that the user names, in the place of what Phase 1 would choose."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from torch import Tensor

from protograph.models.judging import EmbeddedGraphs
from protograph.page.clusters.selection import Cluster, Selection


def given_cluster(representatives: Sequence[int], embedded: EmbeddedGraphs, least: int, because: str) -> Selection:
    """The user's own representatives as the only cluster.

    Args:
        representatives: Indices of graphs.
        embedded: What the model makes of all graphs.
        least: How many it takes.
        because: What it takes so many for.
    """
    if not hasattr(representatives, "__iter__"):
        raise TypeError(f"representatives must be a list of graph indices, got {representatives!r}")
    chosen, total = [checked_index(index) for index in representatives], len(embedded.predictions)
    outside = [index for index in chosen if not 0 <= index < total]
    if outside:
        raise ValueError(f"representatives must be indices of graphs in [0, {total}), got {outside[0]}")
    if not chosen or len(set(chosen)) < len(chosen):
        raise ValueError(f"representatives must be different graphs, at least one, got {chosen}")
    if len(chosen) < least:
        raise ValueError(f"{because} needs at least {least} representatives, got {len(chosen)}")
    mean = embedded.exact_embeddings(np.array(chosen)).mean(axis=0)
    return Selection((Cluster(tuple(chosen), (), tuple(chosen), mean),), ())


def checked_index(index: Any) -> int:
    """Return a graph's index as a plain number."""
    if isinstance(index, Tensor) and index.numel() == 1:
        index = index.item()
    if isinstance(index, bool) or not isinstance(index, int | np.integer):
        raise TypeError(f"representatives must be indices of graphs, got {index!r}")
    return int(index)
