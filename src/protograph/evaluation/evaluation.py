"""All metrics of an explanation: against the ground truth, on graphs it was not found in, and under the model."""

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np
from torch_geometric.data import Data

from protograph._utils.arrays import Ints
from protograph._utils.randomness import preserved_random_state
from protograph.explanation import Explanation, Prototype
from protograph.explanation.pattern import SearchedGraphs
from protograph.graphs.conditions import Reading
from protograph.graphs.encoding import EncodedGraphs
from protograph.metrics.accuracy import Accuracy, accuracy, best_accuracy, density, validity
from protograph.metrics.judging import Model, judge, margin_share
from protograph.metrics.support import coverage, fidelity, support
from protograph.models.predictions import embed_all

T = TypeVar("T")
# Graphs by whose outputs the kind of output is told where the explanation has none.
REFERENCE = 32


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Graphs that nothing was found in, and what the model predicts for them."""

    graphs: Sequence[Data]
    predictions: Ints
    num_classes: int
    _encoded: dict[tuple[Reading, Reading], EncodedGraphs] = field(default_factory=dict, repr=False)

    def encoded(self, nodes: Reading, edges: Reading) -> EncodedGraphs:
        """The graphs as they are counted in where nodes and edges agree by these rules; encoded once for each."""
        if (nodes, edges) not in self._encoded:
            self._encoded[nodes, edges] = EncodedGraphs(self.graphs, match_features=nodes, match_edges=edges)
        return self._encoded[nodes, edges]

    @cached_property
    def searched(self) -> SearchedGraphs:
        """The graphs as rules are looked for in them."""
        return SearchedGraphs(self.graphs)


def held_out(model: Model, graphs: Sequence[Data]) -> HeldOut:
    """Classify graphs to count prototypes in."""
    with preserved_random_state():
        embedded = embed_all(model, graphs)[2]
    return HeldOut(graphs, embedded.predictions, embedded.num_classes)


@dataclass(frozen=True, kw_only=True)
class PrototypeScores:
    """What the metrics say of a prototype; ``None`` where one does not apply.

    Attributes:
        num_nodes: Nodes of the prototype.
        num_edges: Edges of the prototype.
        probability: The model's probability of the class (p_GNN).
        margin: The model's log-odds of the class.
        accuracy: Against the ground truth that counts.
        is_exact: Whether that accuracy is proven.
        truth: Number of the ground truth that counts, from 0.
        accuracies: Against each ground truth of the class.
        density: Undirected edges over nodes squared.
        truth_density: That of the truth.
        support: Share of the held-out graphs predicted as the class that contain it.
        support_elsewhere: Share of the other held-out graphs that contain it.
        lift: The first over the second.
        margin_share: How much of the class margin of its source graph its nodes carry.
        truth_probability: The model's probability of the class for the ground truth that counts.
        truth_margin: The log-odds of the class for it.
        sources_probability: The mean probability of the class over the graphs it was found in (the representatives).
        sources_margin: The mean log-odds of the class over them.
        is_valid: Whether RDKit sanitises it as a molecule.
    """

    num_nodes: int
    num_edges: int
    probability: float
    margin: float
    accuracy: float | None
    is_exact: bool | None
    truth: int | None
    accuracies: tuple[float, ...]
    density: float
    truth_density: float | None
    support: float | None
    support_elsewhere: float | None
    lift: float | None
    margin_share: float | None
    truth_probability: float | None
    truth_margin: float | None
    sources_probability: float | None
    sources_margin: float | None
    is_valid: bool | None


@dataclass(frozen=True, kw_only=True)
class ClassScores:
    """Scores of a class: its prototypes one by one, and together.

    Attributes:
        target: The class.
        prototypes: Scores of each, best first.
        accuracy: Mean over the prototypes; ``None`` for a class without ground truth.
        coverage: Share of the held-out graphs of the class with one of the prototypes: value, low, high.
        fidelity: How well the rule of the class tells it from the rest on the held-out graphs: value, low, high.
        num_reasons: How many reasons the rule has; ``None`` where it is to contain one of the prototypes.
        num_patterns: How many patterns the reasons have together.
    """

    target: int
    prototypes: tuple[PrototypeScores, ...]
    accuracy: float | None
    coverage: tuple[float, float, float]
    fidelity: tuple[float, float, float]
    num_reasons: int | None
    num_patterns: int

    def as_json(self) -> dict[str, Any]:
        """Plain values; what is not a number is null."""
        return {key: _plain(value) for key, value in asdict(self).items()}


def evaluate(
    explanation: Explanation, *, graphs: Sequence[Data], truths: Sequence[Data], held_out: HeldOut, model: Model
) -> ClassScores:
    """Apply all metrics to an explanation of one class.

    Args:
        explanation: The explanation.
        graphs: The graphs that the explainer was fitted to.
        truths: Ground truths of the class; may be empty.
        held_out: Graphs that prototypes are counted in, edges agreeing as they did for the explanation.
        model: The model that was explained.
    """
    scores = [_scores(prototype, explanation, graphs, truths, held_out, model) for prototype in explanation.prototypes]
    parts = [prototype.graph for prototype in explanation.prototypes]
    counted_in = held_out.encoded(explanation.node_rule, explanation.edge_rule)
    ways: Any = {"match_features": explanation.node_rule, "match_edges": explanation.edge_rule}
    covered = coverage(parts, counted_in, held_out.predictions, explanation.target, **ways)
    right = fidelity(explanation, held_out.searched, held_out.predictions)
    accuracies = [one.accuracy for one in scores if one.accuracy is not None]
    return ClassScores(
        target=explanation.target,
        prototypes=tuple(scores),
        accuracy=float(np.mean(accuracies)) if accuracies else None,
        coverage=(covered.value, covered.low, covered.high),
        fidelity=(float(right), right.low, right.high),
        num_reasons=None if explanation.rule is None else len(explanation.reasons),
        num_patterns=sum(len(reason.patterns) for reason in explanation.reasons),
    )


def _scores(
    prototype: Prototype,
    explanation: Explanation,
    graphs: Sequence[Data],
    truths: Sequence[Data],
    held_out: HeldOut,
    model: Model,
) -> PrototypeScores:
    target, graph_of = explanation.target, explanation.source_graphs
    reference = [*graph_of.values()] or [graphs[index] for index in range(min(REFERENCE, len(graphs)))]
    judged = partial(judge, model, target=target, reference_graphs=reference)
    sources = [graph_of[index] for index in prototype.sources or () if index in graph_of]
    of_sources = judged(sources) if sources else None
    right = accuracy_of(prototype, explanation, graphs, truths) if truths else None
    truth = None if right is None else truths[right.truth]
    # A model of the user's own may need what a ground truth lacks, such as kinds of edges.
    of_truth = None if truth is None else _unless(Exception, lambda: judged([truth]))
    counts = support(
        prototype.graph,
        held_out.encoded(explanation.node_rule, explanation.edge_rule),
        held_out.predictions,
        num_classes=held_out.num_classes,
        match_features=explanation.node_rule,
        match_edges=explanation.edge_rule,
    )
    others = sum(counts.totals) - counts.totals[target]
    # Not of a prototype that was cut from no graph, nor of a readout that nodes cannot be left out of.
    share = _unless(ValueError, lambda: margin_share(prototype, explanation, model))
    is_molecule = bool(prototype.edge_names)
    return PrototypeScores(
        num_nodes=prototype.num_nodes,
        num_edges=prototype.num_edges,
        probability=prototype.probability,
        margin=prototype.margin,
        accuracy=None if right is None else right.value,
        is_exact=None if right is None else right.is_exact,
        truth=None if right is None else right.truth,
        accuracies=tuple(accuracy(prototype.graph, one, match_features=prototype.node_rule).value for one in truths),
        density=density(prototype.graph),
        truth_density=None if truth is None else density(truth),
        support=_known(counts.shares[target]),
        support_elsewhere=(sum(counts.counts) - counts.counts[target]) / others if others else None,
        lift=_known(counts.lift(target)),
        margin_share=None if share is None else _known(share),
        truth_probability=None if of_truth is None else of_truth.probability,
        truth_margin=None if of_truth is None else float(of_truth.margins.mean()),
        sources_probability=None if of_sources is None else of_sources.probability,
        sources_margin=None if of_sources is None else float(of_sources.margins.mean()),
        is_valid=_unless((ImportError, ValueError), lambda: validity([prototype]) == 1.0) if is_molecule else None,
    )


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def accuracy_of(
    prototype: Prototype, explanation: Explanation, graphs: Sequence[Data], truths: Sequence[Data]
) -> Accuracy:
    """Accuracy of a prototype against the truth that counts.

    Where graphs carry the motif that was planted in them, a prototype that stands for a cluster is held against the
    truth that most of its graphs have; every other prototype against the one that it is closest to.

    Args:
        prototype: The prototype.
        explanation: The explanation it is from.
        graphs: The graphs that the explainer was fitted to.
        truths: Ground truths of the class.
    """
    places = explanation.embedding_map
    motifs = [
        graphs[index].get("motif")
        for index, cluster in (() if places is None else zip(places.indices, places.clusters, strict=True))
        if cluster == prototype.cluster
    ]
    sizes = [_size(truth) for truth in truths]
    numbers = [sizes.index(_size(motif)) for motif in motifs if isinstance(motif, Data) and _size(motif) in sizes]
    if not numbers:
        return best_accuracy(prototype.graph, truths, match_features=prototype.node_rule)
    number = statistics.mode(sorted(numbers))  # of equally many, the first truth
    right = accuracy(prototype.graph, truths[number], match_features=prototype.node_rule)
    return replace(right, truth=number)


def _size(graph: Data) -> tuple[int, int]:
    return int(graph.num_nodes or 0), graph.num_edges


def _unless(errors: type[Exception] | tuple[type[Exception], ...], measure: Callable[[], T]) -> T | None:
    """A measure, ``None`` where it does not apply."""
    try:
        return measure()
    except errors:
        return None


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
