"""What rules are searched in: how graphs are divided, which confirm, and what the model makes of them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from protograph._utils.arrays import Bools, Floats, Ints
from protograph._utils.ties import TOLERANCE, levels
from protograph.explanation.rule import CONFIRMING, KEPT_APART, SEARCHED
from protograph.graphs.encoding import EncodedGraphs
from protograph.page.counting import spread
from protograph.page.reasons.conditions import Condition, ConditionReader
from protograph.patterns.enumerate import Codes, graph_codes, stirred


@dataclass(frozen=True, kw_only=True)
class ReasonOptions:
    """How the rule of a class is searched, confirmed and measured."""

    searched_share: float = 0.7  # of the different graphs: what rules are made of ...
    confirming_share: float = 0.15  # ... what confirms them; the rest measures fidelity and serves for nothing else
    min_kept_apart: int = 5  # different graphs of every class; with fewer, none is kept apart and there is no fidelity
    chance: float = 0.1  # share of the confirmed reasons that may be so by luck ...
    far_chance: float = 0.2  # ... where the rule is far from the model and each reason adds little
    least_rest: float = 0.002  # agreement that "none of what marks the others" must add
    num_examples: int = 3  # graphs that examples are cut from; the smallest is shown
    max_graph_nodes: int = 500  # larger graphs are not searched
    max_searched: int = 50_000  # different graphs; more have the same patterns, and memory grows with them
    max_confirming: int = 12_500  # different graphs; all that is in neither is kept apart
    max_nodes: int = 5  # of the patterns that are all gone through; larger ones grow from these
    max_ring: int = 8  # nodes of the rings that are gone through
    max_sets: int = 1_000_000  # steps from sets of nodes to neighbours; dense graphs are gone through up to fewer nodes
    far_max_sets: int = 3_000_000  # the same where single patterns do not come near the model
    num_sampled: int = 100  # patterns of more nodes, of each class, where not all sets of them can be gone through
    min_share: float = 0.01  # of the searched graphs in which a condition holds, and in which it does not, at least
    max_places: int = 4  # "at least so many" of patterns of several nodes; nobody counts further
    num_thresholds: int = 12  # of "at least so many nodes"
    max_conditions: int = 4  # of a reason; longer ones nobody reads
    several_from: int = 30  # searched graphs of the class, and of the others, for reasons of several patterns
    cost: float = 0.0003  # balanced accuracy that a condition must be worth: a graph in some thousand
    lack_cost: float = 2.0  # times that, for what is missing: presence goes before lack
    max_calls: int = (
        2_000  # nodes to place in one graph; while searching, a pattern that needs more counts as not lying there
    )
    sample: int = 100  # graphs of each side that patterns are counted in while they grow
    num_sources: int = 2  # graphs that a pattern is grown in, and ...
    num_places: int = 2  # ... places of it there: the first may be there by chance
    num_far_apart: int = 6  # graphs in which it is looked for what a pattern is only a shared part of ...
    least_part: float = 0.08  # ... share of the class that each of the larger patterns must add
    least_worse: float = 0.005  # accuracy of the rule that may be lost as one of its reasons grows
    max_tried: int = 1_000  # larger patterns tried while one grows; molecules have up to 600, dense graphs far more
    loss: float = 0.03  # share of the graphs that a pattern may lose as it grows: the model errs too
    least_information: float = 0.15  # bits; what is added must tell the class: a neighbour of any node does not
    least_gain: float = 0.02  # in shares told apart that a step of narrowing a pattern is worth
    num_loosened: int = 8  # patterns of several variables that are loosened where plain ones do not tell the class
    loosened_sample: int = 400  # graphs of each side that they are counted in for that
    num_narrowed: int = 6  # patterns that are narrowed where small ones do not tell the class
    enough: float = 0.98  # balanced accuracy from which a rule needs no larger patterns
    near: float = 0.9  # balanced accuracy, less costs, from which a rule comes near the model
    simpler: float = 0.01  # balanced accuracy that presence is worth over lack, and one pattern over several
    needless: float = 0.003  # balanced accuracy for which a rule near the model says no more than it must
    max_pattern_nodes: int = 20  # of what patterns grow to


# Up to so many graphs are all compared for the most typical; of more, so many: all that are compared must be exact.
MOST_COMPARED, NUM_COMPARED = 20_000, 4_000


@dataclass(frozen=True, kw_only=True, eq=False)
class Scope:
    """What rules are searched in.

    Attributes:
        reader: Tells in which graphs conditions hold.
        searched: Graphs that are searched, ascending.
        confirming: Graphs that confirm, ascending.
        counted: Those of them that count: of graphs that look the same one.
        predictions: Class of every graph.
        embeddings: Embedding of every graph, exact of those that are searched.
        options: How to search.
        alone: What the model makes of the pattern of a condition by itself: how far the class is ahead of the others.
        max_reasons: Most reasons of a class.
    """

    reader: ConditionReader
    searched: Ints
    confirming: Ints
    counted: Ints
    predictions: Ints
    embeddings: Floats
    options: ReasonOptions
    alone: Callable[[Condition, int], float] = lambda condition, target: 0.0
    max_reasons: int = 8

    @cached_property
    def known(self) -> Ints:
        """The graphs that a rule may be judged by before it is measured."""
        return np.sort(np.concatenate([self.searched, self.confirming]))

    @cached_property
    def min_graphs(self) -> int:
        """Fewest searched graphs in which a condition must hold."""
        return max(3, int(self.options.min_share * self.searched.size))


def typical(indices: Ints, embeddings: Floats, number: int) -> Ints:
    """Those of some graphs whose embeddings are nearest their mean, the nearest first.

    Of more than ``MOST_COMPARED`` graphs, ``NUM_COMPARED``, evenly spaced, are looked at.

    Args:
        indices: The graphs.
        embeddings: Embeddings of all graphs, exact ones of these: the mean hangs on each of them.
        number: How many.
    """
    if not indices.size:
        return indices
    indices = indices if indices.size <= MOST_COMPARED else spread(indices, NUM_COMPARED)
    points = embeddings[indices]
    return indices[nearest_rows(points, points.mean(axis=0), number)]


def nearest_rows(points: Floats, centre: Floats, number: int) -> Ints:
    """Places of the rows nearest a point, the nearest first, and of those as near the first.

    >>> nearest_rows(np.array([[1.0], [1.0 - 2.3e-16], [5.0]]), np.zeros(1), 2)
    array([0, 1])
    """
    distances = ((points - centre) ** 2).sum(axis=1)
    ranks = -levels(distances, TOLERANCE * float(distances.max(initial=0.0)))
    return np.argsort(ranks, kind="stable")[:number]


@dataclass(frozen=True, eq=False)
class Parts:
    """What each graph serves for.

    Attributes:
        of_graph: For each graph ``SEARCHED``, ``CONFIRMING`` or ``KEPT_APART``.
        is_first: Whether no graph of its class before it looks the same: only such count where reasons are confirmed.
            Of a few looks all do.
        is_read: Whether a rule may be learned from it: of very many copies of a graph from some.
        note: Why no graph is kept apart; empty where some are.
    """

    of_graph: Ints
    is_first: Bools
    is_read: Bools
    note: str = ""

    def indices(self, part: int) -> Ints:
        """The graphs of a part, ascending."""
        return np.flatnonzero(self.of_graph == part)


def divided(graphs: EncodedGraphs, predictions: Ints, options: ReasonOptions) -> Parts:
    """Divide the graphs by what they hold, class by class, so that neither their order nor that of their nodes matters.

    Graphs of a class that look the same are in one part, and the shares are of different graphs.
    """
    codes = graph_codes(graphs)
    looks = stirred(codes, predictions.astype(np.uint64))
    _, look, counts = np.unique(looks, return_inverse=True, return_counts=True)
    order = np.argsort(look, kind="stable")
    before = np.empty_like(order)  # graphs before it that look the same
    before[order] = np.arange(len(graphs)) - np.repeat(counts.cumsum() - counts, counts)
    is_first = before == 0
    is_read = before < counts[look] * min(1.0, options.max_searched / (options.searched_share * len(graphs)))
    # Of very many graphs a smaller share is searched, and all others are kept apart.
    shares = (
        min(options.searched_share, options.max_searched / counts.size),
        min(options.confirming_share, options.max_confirming / counts.size),
    )
    parts = _by_shares(codes, predictions, shares)
    kept = np.bincount(predictions[is_first & (parts == KEPT_APART)], minlength=predictions.max() + 1)
    targets = np.unique(predictions)
    fewest = targets[kept[targets].argmin()]
    if kept[fewest] >= options.min_kept_apart:
        return Parts(parts, is_first, is_read)
    shares = (1 - options.confirming_share, options.confirming_share)
    parts = np.minimum(_by_shares(codes, predictions, shares), CONFIRMING)
    number, different = (int((predictions[some] == fewest).sum()) for some in (slice(None), is_first))
    note = (
        f"no graphs were kept apart to measure fidelity with: of a class with {number:,} graphs "
        f"predicted, {different:,} of them different, fewer than {options.min_kept_apart} would be kept"
    )
    return Parts(parts, np.ones_like(is_first), is_read, note)  # so few looks by themselves confirm nothing


def _by_shares(codes: Codes, predictions: Ints, shares: tuple[float, float]) -> Ints:
    """The part of each graph: of each class the first share of the different graphs, the second, and what is left."""
    parts = np.full(predictions.size, SEARCHED, np.int64)
    for target in np.unique(predictions):
        own = np.flatnonzero(predictions == target)
        different, place = np.unique(codes[own], return_inverse=True)
        rank = (place + 0.5) / different.size
        parts[own] = np.where(rank < shares[0], SEARCHED, np.where(rank < sum(shares), CONFIRMING, KEPT_APART))
    return parts
