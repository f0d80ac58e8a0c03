"""In how many graphs of each predicted class a prototype occurs."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, nan

import numpy as np
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.data import Data

from protograph._base.arrays import Bools, Ints
from protograph._base.errors import ProtographWarning
from protograph.graphs.encoding import MAX_CALLS, EncodedGraphs
from protograph.metrics.intervals import Measure, wilson
from protograph.models.judging import check_target

Predictions = Sequence[int] | Tensor | NDArray[np.integer]


@dataclass(frozen=True, kw_only=True, eq=False)
class Support(Measure):
    """Where a prototype occurs.

    Attributes:
        value: Share of all graphs, in [0, 1]; nan without graphs.
        contains: For each graph whether it contains the prototype; false where that is not known.
        counts: For each class how many graphs predicted as it contain the prototype.
        totals: For each class how many graphs are predicted as it.
        num_undecided: Graphs whose search was given up; they count as not containing it.
    """

    contains: Bools
    counts: tuple[int, ...]
    totals: tuple[int, ...]
    num_undecided: int = 0

    @property
    def num_graphs(self) -> int:
        """Number of graphs."""
        return int(self.contains.size)

    @property
    def is_exact(self) -> bool:
        """Whether it is known of every graph."""
        return self.num_undecided == 0

    @property
    def shares(self) -> tuple[float, ...]:
        """For each class the share of its graphs, in [0, 1]; nan for a class without graphs."""
        return tuple(count / total if total else nan for count, total in zip(self.counts, self.totals, strict=True))

    def interval(self, target: int, confidence: float = 0.95) -> tuple[float, float]:
        """Wilson's confidence interval of the share of a class."""
        check_target(target, len(self.totals))
        return wilson(self.counts[target], self.totals[target], confidence)

    def lift(self, target: int) -> float:
        r"""How much more often the prototype occurs in a class than in the others together.

        .. math:: \mathrm{lift}(c) = \frac{n_c / N_c}{\sum_{d \ne c} n_d / \sum_{d \ne c} N_d}

        In [0, inf], higher is better, 1 where it tells nothing. Infinite if it occurs in the class and nowhere else;
        nan if it occurs nowhere, or if there is no graph in the class or none in the others.
        """
        check_target(target, len(self.totals))
        count, total = self.counts[target], self.totals[target]
        others, all_others = sum(self.counts) - count, sum(self.totals) - total
        if total == 0 or all_others == 0 or count == others == 0:
            return nan
        return inf if others == 0 else (count / total) / (others / all_others)


def support(
    prototype: Data,
    graphs: Iterable[Data] | EncodedGraphs,
    predictions: Predictions,
    *,
    num_classes: int | None = None,
    induced: bool = False,
    match_edges: bool = False,
    max_calls: int = MAX_CALLS,
    workers: int = 1,
) -> Support:
    r"""In how many graphs predicted as each class the prototype occurs as a subgraph.

    .. math:: \mathrm{share}(c) = |\{G : f(G) = c, g \subseteq G\}| / |\{G : f(G) = c\}|

    Shares are in [0, 1]; higher is better in the prototype's own class, lower in the others, which
    :meth:`Support.lift` takes together. Not of the paper.

    Args:
        prototype: The prototype's graph. Without nodes it occurs everywhere.
        graphs: The graphs, gone through once; or encoded, where several prototypes are looked for in the same graphs.
        predictions: Predicted class of each graph.
        num_classes: Number of classes; one more than the highest prediction where ``None``.
        induced: Whether nodes that are not joined in the prototype must not be joined in the graph.
        match_edges: Whether edges must have equal rows of ``edge_attr``.
        max_calls: Most nodes the search places in one graph. It then warns, and the result is not exact.
        workers: Number of threads; the result does not depend on it.

    >>> import torch
    >>> edge = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2)
    >>> found = support(edge, [edge, edge, Data(num_nodes=3)], [1, 0, 0])
    >>> found.shares, found.lift(1)
    ((0.5, 1.0), 2.0)
    """
    encoded = as_encoded(graphs, match_edges)
    classes = checked_predictions(predictions, len(encoded))
    highest = int(classes.max(initial=-1))
    num_classes = highest + 1 if num_classes is None else num_classes
    if highest >= num_classes:
        raise ValueError(f"predictions must be in [0, {num_classes}), got {highest}; num_classes is {num_classes}")
    contains, num_undecided = containment(
        [prototype], encoded, induced=induced, max_calls=max_calls, workers=workers, stacklevel=3
    )
    return Support(
        value=int(contains.sum()) / len(encoded) if len(encoded) else nan,
        contains=contains[0],
        counts=tuple(np.bincount(classes[contains[0]], minlength=num_classes).tolist()),
        totals=tuple(np.bincount(classes, minlength=num_classes).tolist()),
        num_undecided=num_undecided,
    )


def as_encoded(graphs: Iterable[Data] | EncodedGraphs, match_edges: bool) -> EncodedGraphs:
    """The graphs, encoded unless they are already."""
    if not isinstance(graphs, EncodedGraphs):
        return EncodedGraphs(graphs, match_edges=match_edges)
    if graphs.match_edges != match_edges:
        raise ValueError(f"match_edges must be {graphs.match_edges}, as the graphs were encoded, got {match_edges}")
    return graphs


def checked_predictions(predictions: Predictions, num_graphs: int) -> Ints:
    """One class a graph, as whole numbers."""
    classes = predictions.numpy(force=True) if isinstance(predictions, Tensor) else np.asarray(predictions)
    if classes.shape != (num_graphs,):
        raise ValueError(
            f"predictions must be one class for each of the {num_graphs} graphs, got shape {list(classes.shape)}"
        )
    if classes.size and (classes.dtype.kind not in "iub" or classes.min() < 0):
        raise ValueError(
            f"predictions must be classes, whole numbers from 0, got {classes.dtype} down to {classes.min()}"
        )
    return classes.astype(np.int64)


def containment(
    prototypes: Sequence[Data],
    graphs: EncodedGraphs,
    *,
    indices: Ints | None = None,
    induced: bool = False,
    max_calls: int = MAX_CALLS,
    workers: int = 1,
    stacklevel: int = 2,
) -> tuple[Bools, int]:
    """Which graph contains which prototype, ``[num_prototypes, num_graphs]``, and how many searches were given up.

    Those count as not containing it, and there is a warning, at ``stacklevel`` counted from here.
    """
    from protograph.patterns.containment import contained_in

    answers = np.zeros((len(prototypes), len(graphs) if indices is None else indices.size), np.int8)
    for row, prototype in zip(answers, prototypes, strict=True):
        row[:] = contained_in(prototype, graphs, indices=indices, induced=induced, max_calls=max_calls, workers=workers)
    num_undecided = int((answers < 0).sum())
    if num_undecided:
        warnings.warn(
            f"{num_undecided} of {answers.size} searches for a prototype in a graph were given up after {max_calls} "
            f"calls and count as not found; raise max_calls to decide them",
            ProtographWarning,
            stacklevel=stacklevel,
        )
    return answers > 0, num_undecided
