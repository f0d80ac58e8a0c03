"""Three parts of the graphs: one is searched, one confirms, one is kept apart to measure with."""

from dataclasses import dataclass

import numpy as np

from protograph._base.arrays import Ints
from protograph.explanation.rule import CONFIRMING, KEPT_APART, SEARCHED
from protograph.graphs.encoding import EncodedGraphs
from protograph.page.options import ReasonOptions
from protograph.patterns.flat_graphs import FlatGraphs, graph_codes


@dataclass(frozen=True, eq=False)
class Parts:
    """What each graph serves for.

    Attributes:
        of_graph: For each graph ``SEARCHED``, ``CONFIRMING`` or ``KEPT_APART``.
        note: Why no graph is kept apart; empty where some are.
    """

    of_graph: Ints
    note: str = ""

    def indices(self, part: int) -> Ints:
        """The graphs of a part, ascending."""
        return np.flatnonzero(self.of_graph == part)


def divided(graphs: EncodedGraphs, predictions: Ints, options: ReasonOptions) -> Parts:
    """Divide the graphs by what they hold, class by class, so that neither their order nor that of their nodes matters.

    Graphs that look the same are in one part.
    """
    codes = graph_codes(FlatGraphs(graphs, np.arange(len(graphs))))
    fewest = int(np.bincount(predictions)[np.unique(predictions)].min())
    kept_share = 1 - options.searched_share - options.confirming_share
    shares, note = (options.searched_share, options.confirming_share), ""
    if round(kept_share * fewest) < options.min_kept_apart:
        shares, note = (
            (1 - options.confirming_share, options.confirming_share),
            (
                f"no graphs were kept apart to measure fidelity with: of the smallest class, with {fewest:,} graphs "
                f"predicted, fewer than {options.min_kept_apart} would be kept"
            ),
        )
    parts = np.full(len(graphs), SEARCHED, np.int64)
    for target in np.unique(predictions):
        own = np.flatnonzero(predictions == target)
        different, place = np.unique(codes[own], return_inverse=True)
        rank = (place + 0.5) / different.size
        parts[own] = np.where(rank < shares[0], SEARCHED, np.where(rank < sum(shares), CONFIRMING, KEPT_APART))
        if note:
            parts[own] = np.minimum(parts[own], CONFIRMING)
    return Parts(parts, note)
