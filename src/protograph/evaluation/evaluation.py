"""All metrics of an explanation: against the ground truth, on graphs it was not found in, and under the model."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch_geometric.data import Data

from protograph.evaluation.truths import accuracy_of
from protograph.explanation.explanation import Explanation, Prototype
from protograph.graphs.encoding import EncodedGraphs
from protograph.metrics.accuracy import accuracy
from protograph.metrics.coverage import coverage, gain_area, overlap
from protograph.metrics.density import density
from protograph.metrics.judging import Model, judge
from protograph.metrics.margin_share import margin_share
from protograph.metrics.support import support
from protograph.metrics.validity import validity

# Graphs by whose outputs the kind of output is told where the explanation has none.
REFERENCE = 32


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Graphs that no prototype was found in, encoded once, and what the model predicts for them."""

    graphs: EncodedGraphs
    predictions: NDArray[np.int64]
    num_classes: int


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
    support: float
    support_elsewhere: float
    lift: float
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
        overlap: How many of them a covered graph contains: value, low, high.
        gain_area: Area under greedy coverage: value, low, high.
    """

    target: int
    prototypes: tuple[PrototypeScores, ...]
    accuracy: float | None
    coverage: tuple[float, float, float]
    overlap: tuple[float, float, float]
    gain_area: tuple[float, float, float]

    def as_json(self) -> dict[str, Any]:
        """Plain values; what is not a number is null."""
        plain: dict[str, Any] = _plain(asdict(self))
        return plain


def evaluate(
    explanation: Explanation, *, graphs: Sequence[Data], truths: Sequence[Data], held_out: HeldOut, model: Model
) -> ClassScores:
    """Apply all metrics to an explanation of one class.

    Args:
        explanation: The explanation.
        graphs: The graphs that the explainer was fitted to.
        truths: Ground truths of the class; may be empty.
        held_out: Graphs that prototypes are counted in.
        model: The model that was explained.
    """
    target = explanation.target
    scores = tuple(
        _scores(prototype, explanation, graphs, truths, held_out, model) for prototype in explanation.prototypes
    )
    parts = [prototype.graph for prototype in explanation.prototypes]
    together = [
        metric(parts, held_out.graphs, held_out.predictions, target) for metric in (coverage, overlap, gain_area)
    ]
    accuracies = [one.accuracy for one in scores if one.accuracy is not None]
    covered, overlapping, area = ((found.value, found.low, found.high) for found in together)
    return ClassScores(
        target=target,
        prototypes=scores,
        accuracy=float(np.mean(accuracies)) if accuracies else None,
        coverage=covered,
        overlap=overlapping,
        gain_area=area,
    )


def _scores(
    prototype: Prototype,
    explanation: Explanation,
    graphs: Sequence[Data],
    truths: Sequence[Data],
    held_out: HeldOut,
    model: Model,
) -> PrototypeScores:
    target = explanation.target
    right = accuracy_of(prototype, explanation, graphs, truths) if truths else None
    counted = truths[right.truth or 0] if right is not None else None
    found = support(prototype.graph, held_out.graphs, held_out.predictions, num_classes=held_out.num_classes)
    elsewhere = sum(found.counts) - found.counts[target], sum(found.totals) - found.totals[target]
    return PrototypeScores(
        num_nodes=prototype.num_nodes,
        num_edges=prototype.num_edges,
        probability=prototype.probability,
        margin=prototype.margin,
        accuracy=None if right is None else right.value,
        is_exact=None if right is None else right.is_exact,
        truth=None if right is None else right.truth or 0,
        accuracies=tuple(accuracy(prototype.graph, truth).value for truth in truths),
        density=density(prototype.graph),
        truth_density=None if counted is None else density(counted),
        support=found.shares[target],
        support_elsewhere=elsewhere[0] / elsewhere[1] if elsewhere[1] else math.nan,
        lift=found.lift(target),
        margin_share=_margin_share(prototype, explanation, model),
        is_valid=_is_valid(prototype),
        **_beside(prototype, explanation, graphs, counted, model),
    )


def _beside(
    prototype: Prototype, explanation: Explanation, graphs: Sequence[Data], truth: Data | None, model: Model
) -> dict[str, float | None]:
    """What the model makes of the prototype's truth and of its sources."""
    known = explanation.source_graphs
    reference = [*known.values()] or [graphs[index] for index in range(min(REFERENCE, len(graphs)))]
    sources = [known[index] for index in prototype.sources or () if index in known]
    of_sources = _judged(sources, explanation.target, model, reference)
    try:
        of_truth = _judged([] if truth is None else [truth], explanation.target, model, reference)
    except Exception:  # a model of the user's own may need what a ground truth lacks, such as bonds
        of_truth = None, None
    return {
        "truth_probability": of_truth[0],
        "truth_margin": of_truth[1],
        "sources_probability": of_sources[0],
        "sources_margin": of_sources[1],
    }


def _judged(
    graphs: Sequence[Data], target: int, model: Model, reference: Sequence[Data]
) -> tuple[float | None, float | None]:
    """Mean probability and mean margin of some graphs; ``None`` where there are none."""
    if not graphs:
        return None, None
    judged = judge(model, graphs, target, reference_graphs=reference)
    return judged.probability, float(judged.margins.mean())


def _margin_share(prototype: Prototype, explanation: Explanation, model: Model) -> float | None:
    if prototype.source is None:
        return None
    try:
        return margin_share(prototype, explanation, model)
    except ValueError:  # a readout that nodes cannot be left out of
        return None


def _is_valid(prototype: Prototype) -> bool | None:
    if not prototype.edge_names:
        return None
    try:
        return validity([prototype]) == 1.0
    except (ImportError, ValueError):
        return None


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
