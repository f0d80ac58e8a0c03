"""Three parts of the graphs: one is searched, one confirms, one is kept apart to measure with."""

from dataclasses import dataclass

import numpy as np

from protograph._base.arrays import Ints
from protograph.explanation.rule import CONFIRMING, KEPT_APART, SEARCHED
from protograph.graphs.encoding import EncodedGraphs
from protograph.page.reasons.options import ReasonOptions
from protograph.patterns.enumerate import Codes, graph_codes


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
    codes = graph_codes(graphs)
    # Of very many graphs a smaller share is searched, and all others are kept apart.
    searched = min(options.searched_share, options.max_searched / len(graphs))
    shares = (searched, min(options.confirming_share, options.max_confirming / len(graphs)))
    parts = _by_shares(codes, predictions, shares)
    targets = np.unique(predictions).tolist()
    fewest = min(targets, key=lambda target: int(((parts == KEPT_APART) & (predictions == target)).sum()))
    is_fewest = predictions == fewest
    if (parts[is_fewest] == KEPT_APART).sum() >= options.min_kept_apart:
        return Parts(parts)
    shares = (1 - options.confirming_share, options.confirming_share)
    parts = np.minimum(_by_shares(codes, predictions, shares), CONFIRMING)
    number, different = int(is_fewest.sum()), np.unique(codes[is_fewest]).size
    note = (
        f"no graphs were kept apart to measure fidelity with: of a class with {number:,} graphs "
        f"predicted, {different:,} of them different, fewer than {options.min_kept_apart} would be kept"
    )
    return Parts(parts, note)


def _by_shares(codes: Codes, predictions: Ints, shares: tuple[float, float]) -> Ints:
    """The part of each graph: of each class the first share of the different graphs, the second, and what is left."""
    parts = np.full(predictions.size, SEARCHED, np.int64)
    for target in np.unique(predictions):
        own = np.flatnonzero(predictions == target)
        different, place = np.unique(codes[own], return_inverse=True)
        rank = (place + 0.5) / different.size
        parts[own] = np.where(rank < shares[0], SEARCHED, np.where(rank < sum(shares), CONFIRMING, KEPT_APART))
    return parts
