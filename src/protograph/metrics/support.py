"""In how many graphs prototypes occur or are near, and how far the rules of explanations agree with the model."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, nan
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.utils.data import Subset
from torch_geometric.data import Data

from protograph._utils.arrays import Bools, Ints
from protograph._utils.errors import ProtographWarning
from protograph._utils.intervals import checked_confidence, wilson
from protograph._utils.randomness import preserved_random_state
from protograph.explanation import Explanation, Explanations, Fidelity
from protograph.explanation.pattern import SearchedGraphs
from protograph.explanation.rule import fidelity_of_all, fidelity_of_class
from protograph.graphs.conditions import Match, as_reading
from protograph.graphs.dataset import GraphStore
from protograph.graphs.encoding import MAX_CALLS, EncodedGraphs
from protograph.metrics.intervals import Estimate, Measure
from protograph.metrics.judging import Graphs, Model, graphs_of, outputs_of
from protograph.models.classifier import GraphClassifier, as_classifier
from protograph.models.outputs import log_scores
from protograph.models.predictions import BATCH_SIZE, check_target

Predictions = Sequence[int] | Tensor | NDArray[np.integer]


@dataclass(frozen=True, kw_only=True, eq=False)
class SupportResult(Measure):
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
    match_features: Match = True,
    match_edges: Match = False,
    max_calls: int = MAX_CALLS,
) -> SupportResult:
    r"""In how many graphs predicted as each class the prototype occurs as a subgraph.

    .. math:: \mathrm{share}(c) = |\{G : f(G) = c, g \subseteq G\}| / |\{G : f(G) = c\}|

    Shares are in [0, 1]; higher is better in the prototype's own class, lower in the others, which
    :meth:`SupportResult.lift` takes together. Not of the paper.

    Args:
        prototype: The prototype's graph. Without nodes it occurs everywhere.
        graphs: The graphs, gone through once; or encoded, where several prototypes are looked for in the same graphs.
        predictions: Predicted class of each graph.
        num_classes: Number of classes; one more than the highest prediction where ``None``.
        induced: Whether nodes that are not joined in the prototype must not be joined in the graph.
        match_features: Whether nodes must have equal rows of ``x``; or the rule of an explanation, its ``node_rule``.
        match_edges: Whether edges must have equal rows of ``edge_attr``; or the rule of an explanation, its
            ``edge_rule``.
        max_calls: Most nodes the search places in one graph. It then warns, and the result is not exact.

    >>> import torch
    >>> edge = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2)
    >>> result = support(edge, [edge, edge, Data(num_nodes=3)], [1, 0, 0])
    >>> result.shares, result.lift(1)
    ((0.5, 1.0), 2.0)
    """
    encoded = _as_encoded(graphs, match_features, match_edges)
    classes = checked_predictions(predictions, len(encoded))
    highest = int(classes.max(initial=-1))
    num_classes = highest + 1 if num_classes is None else num_classes
    if highest >= num_classes:
        raise ValueError(f"predictions must be in [0, {num_classes}), got {highest}; num_classes is {num_classes}")
    contains, num_undecided = _containment([prototype], encoded, np.arange(len(encoded)), induced, max_calls)
    return SupportResult(
        value=int(contains.sum()) / len(encoded) if len(encoded) else nan,
        contains=contains[0],
        counts=tuple(np.bincount(classes[contains[0]], minlength=num_classes).tolist()),
        totals=tuple(np.bincount(classes, minlength=num_classes).tolist()),
        num_undecided=num_undecided,
    )


def _as_encoded(graphs: Iterable[Data] | EncodedGraphs, match_features: Match, match_edges: Match) -> EncodedGraphs:
    if not isinstance(graphs, EncodedGraphs):
        return EncodedGraphs(graphs, match_features=match_features, match_edges=match_edges)
    if graphs.node_rule != as_reading(match_features, "x") or graphs.edge_rule != as_reading(match_edges, "edge_attr"):
        raise ValueError(
            f"match_features and match_edges must be those that the graphs were encoded with, got {match_features} and "
            f"{match_edges}"
        )
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


def _containment(
    prototypes: Sequence[Data], graphs: EncodedGraphs, indices: Ints, induced: bool, max_calls: int
) -> tuple[Bools, int]:
    """Which of some graphs contains which prototype, ``[num_prototypes, num_graphs]``, and how many are not decided.

    Those count as not containing it, and there is a warning.
    """
    from protograph.patterns.subgraph_isomorphism import contained_in

    answers = np.empty((len(prototypes), len(indices)), np.int8)
    for row, prototype in zip(answers, prototypes, strict=True):
        row[:] = contained_in(prototype, graphs, indices=indices, induced=induced, max_calls=max_calls)
    num_undecided = int((answers < 0).sum())
    if num_undecided:
        warnings.warn(
            f"{num_undecided} of {answers.size} searches for a prototype in a graph were given up after {max_calls} "
            f"calls and count as not found; raise max_calls to decide them",
            ProtographWarning,
            stacklevel=3,
        )
    return answers > 0, num_undecided


@dataclass(frozen=True, kw_only=True)
class CoverageResult(Estimate):
    """Coverage by several prototypes, with its confidence interval.

    Attributes:
        num_undecided: Searches for a prototype in a graph that were given up; they count as not found.
    """

    num_undecided: int = 0

    @property
    def is_exact(self) -> bool:
        """Whether it is known of every graph which prototypes it contains."""
        return self.num_undecided == 0


def coverage(
    prototypes: Sequence[Data],
    graphs: Iterable[Data] | EncodedGraphs,
    predictions: Predictions,
    target: int,
    *,
    confidence: float = 0.95,
    induced: bool = False,
    match_features: Match = True,
    match_edges: Match = False,
    max_calls: int = MAX_CALLS,
) -> CoverageResult:
    r"""Share of the graphs of a class that contain at least one of its prototypes.

    .. math:: \mathrm{cov}(P) = |\{G : f(G) = c, \exists p \in P: p \subseteq G\}| / N_c

    In [0, 1], higher is better; nan without graphs of the class. The interval is Wilson's. It speaks of new graphs
    only if the prototypes were found in others than ``graphs``. Not of the paper.

    Args:
        prototypes: The prototypes' graphs.
        graphs: The graphs, gone through once; or encoded, where several measures are taken of the same graphs.
        predictions: Predicted class of each graph.
        target: The class.
        confidence: Of the interval.
        induced: Whether nodes that are not joined in a prototype must not be joined in the graph.
        match_features: Whether nodes must have equal rows of ``x``; or the rule of an explanation, its ``node_rule``.
        match_edges: Whether edges must have equal rows of ``edge_attr``; or the rule of an explanation, its
            ``edge_rule``.
        max_calls: Most nodes a search places in one graph. It then warns, and the result is not exact.

    >>> import torch
    >>> edge = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2)
    >>> coverage([edge], [edge, Data(num_nodes=3), edge], [1, 1, 0], target=1).value
    0.5
    """
    checked_confidence(confidence)
    encoded = _as_encoded(graphs, match_features, match_edges)
    members = np.flatnonzero(checked_predictions(predictions, len(encoded)) == target)
    contains, num_undecided = _containment(prototypes, encoded, members, induced, max_calls)
    covered, total = int(contains.any(axis=0).sum()), contains.shape[1]
    low, high = wilson(covered, total, confidence)
    return CoverageResult(
        value=covered / total if total else nan,
        low=low,
        high=high,
        num_graphs=total,
        confidence=confidence,
        num_undecided=num_undecided,
    )


@dataclass(frozen=True, kw_only=True)
class EmbeddingCoverage(Estimate):
    """Embedding coverage and what it was computed from.

    Attributes:
        value: Share of the class's graphs near some prototype, in [0, 1]; higher is better.
        low: Lower end of its 95% Wilson interval.
        high: Upper end.
        num_graphs: Graphs of the class.
        confidence: Of the interval.
        num_covered: Graphs near some prototype.
        radius: Largest distance that counts as near.
    """

    num_covered: int
    radius: float


def embedding_coverage(
    prototypes: Graphs,
    model: Model,
    graphs: Sequence[Data],
    predictions: Predictions,
    target: int,
    radius: float | None = None,
) -> EmbeddingCoverage:
    r"""Share of the graphs predicted as a class whose embedding lies near that of some prototype.

    .. math:: \frac{|\{G : \min_{p \in P} \lVert h_G - h_p \rVert \le r\}|}{N}, \qquad
              r = \mathrm{median}_G \min_{G' \ne G} \lVert h_G - h_{G'} \rVert \text{ by default}

    over the :math:`N` graphs of the class. In [0, 1], and higher is better. The default radius is how far graphs of
    the class usually are from each other's nearest; it is 0 where most of them have a twin. With a sum readout
    embeddings grow with the graph, so small prototypes of large graphs are far from all of them: a low coverage
    then says that prototypes are parts, not that they are wrong.

    Args:
        prototypes: An explanation, or prototypes or graphs.
        model: The graph classifier.
        graphs: The graphs it was applied to.
        predictions: Predicted class of each graph (``explainer.predictions_``).
        target: The class.
        radius: Euclidean distance of graph embeddings.

    Raises:
        ValueError: If no graph is predicted as ``target``, or just one and there is no ``radius``.
    """
    from scipy.spatial import KDTree  # type: ignore[import-untyped, unused-ignore]

    if radius is not None and not 0 <= radius < np.inf:
        raise ValueError(f"radius must be at least 0 and finite, got {radius}")
    chosen = graphs_of(prototypes)
    indices = np.flatnonzero(checked_predictions(predictions, len(graphs)) == target)
    if not indices.size:
        raise ValueError(f"no graph is predicted as class {target}, so there is nothing to cover")
    with preserved_random_state():
        running = as_classifier(model).start(chosen)
        # A subset, so that messages count in the whole.
        subset: Any = Subset(cast(Any, graphs), indices.tolist())
        chunks = GraphStore(subset).blocks(BATCH_SIZE)
        members = torch.cat([running.embed(chunk).graph_embeddings for chunk in chunks]).numpy()
        others = running.embed(chosen).graph_embeddings.numpy()
    if radius is None:
        if len(members) < 2:
            raise ValueError(
                f"only one graph is predicted as class {target}, so there is no distance between graphs; pass radius"
            )
        radius = float(np.median(KDTree(members).query(members, k=2)[0][:, 1]))
    # Equal embeddings differ by rounding, which must not matter to a radius of 0.
    rounding = 10 * running.resolution * max(1.0, float(np.abs(members).max()))
    num_covered = int((KDTree(others).query(members)[0] <= radius + rounding).sum())
    low, high = wilson(num_covered, len(members))
    return EmbeddingCoverage(
        value=num_covered / len(members),
        low=low,
        high=high,
        num_graphs=len(members),
        num_covered=num_covered,
        radius=float(radius),
    )


def fidelity(
    explanations: Explanations | Explanation, graphs: Iterable[Data] | SearchedGraphs, predictions: Predictions | Model
) -> Fidelity:
    r"""Share of graphs of which the rules say what the model predicts, every predicted class weighing the same.

    .. math:: \frac{1}{|C|} \sum_{c \in C} \frac{|\{G : f(G) = c, R(G) = \{c\}\}|}{|\{G : f(G) = c\}|}

    with :math:`R(G)` the classes whose rule holds in the graph and C the classes that are predicted: exactly one rule
    must hold, and it must be that of the predicted class. For the explanation of a single class its rule is held
    against all others: it must hold in the graphs of the class, and in no other.

    In [0, 1], higher is better; nan without graphs. It speaks of new graphs only if the explanations were found in
    others than ``graphs``. The rule of an explanation without reasons is to contain one of its prototypes.

    Args:
        explanations: The explanations of all classes, or of one.
        graphs: The graphs.
        predictions: The class that the model predicts for each graph; or the model.

    >>> import torch
    >>> from protograph.explanation import Names, Prototype, Survey
    >>> edge, node = Data(edge_index=torch.tensor([[0], [1]]), num_nodes=2), Data(num_nodes=1)
    >>> facts = {"survey": Survey(predictions=(0, 1)), "names": Names(classes=("0", "1"))}
    >>> prototypes = [Prototype(graph=edge, probability=0.9, margin=2.2)]
    >>> fidelity(Explanation(target=1, prototypes=prototypes, **facts), [edge, node, edge], [1, 0, 0])
    0.75
    """
    searched = graphs if isinstance(graphs, SearchedGraphs) else SearchedGraphs(graphs)
    if not len(searched):
        predictions = []
    elif isinstance(predictions, nn.Module | GraphClassifier):
        checked = GraphStore(searched.graphs).take(range(len(searched)))
        with preserved_random_state():
            predictions = log_scores(*outputs_of(predictions, checked, "auto", None)[1:]).argmax(dim=1)
    classes = checked_predictions(predictions, len(searched))
    if isinstance(explanations, Explanation):
        return fidelity_of_class(explanations.predict(searched), classes == explanations.target)
    holds = explanations.predict(searched)
    if classes.size and classes.max() >= holds.shape[1]:
        raise ValueError(f"predictions must be in [0, {holds.shape[1]}), the classes of the model, got {classes.max()}")
    return fidelity_of_all(holds, classes)
