"""Embedding coverage: how many graphs of a class are near one of its prototypes in the model's own space."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch
from torch.utils.data import Subset
from torch_geometric.data import Data

from protograph._base.arrays import Floats
from protograph._base.intervals import wilson
from protograph._base.randomness import preserved_random_state
from protograph.graphs.dataset import GraphStore
from protograph.metrics.intervals import Estimate
from protograph.metrics.judging import Graphs, Model, graphs_of
from protograph.metrics.support import Predictions, checked_predictions
from protograph.models.classifier import as_classifier
from protograph.models.predictions import BATCH_SIZE


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
    radius = _usual_distance(members, target) if radius is None else float(radius)
    # Equal embeddings differ by rounding, which must not matter to a radius of 0.
    rounding = 10 * running.resolution * max(1.0, float(np.abs(members).max()))
    num_covered = int((_nearest(others, members) <= radius + rounding).sum())
    low, high = wilson(num_covered, len(members))
    return EmbeddingCoverage(
        value=num_covered / len(members),
        low=low,
        high=high,
        num_graphs=len(members),
        num_covered=num_covered,
        radius=radius,
    )


def _usual_distance(members: Floats, target: int) -> float:
    if len(members) < 2:
        raise ValueError(
            f"only one graph is predicted as class {target}, so there is no distance between its graphs; pass radius"
        )
    return float(np.median(_nearest(members, None)))


def _nearest(points: Floats, queries: Floats | None) -> Floats:
    """Distance of each query to its nearest point; without queries, of each point to its nearest other point."""
    from sklearn.neighbors import NearestNeighbors

    # A tree computes distances by differences; the other way is by products, and equal points come out apart.
    neighbours = NearestNeighbors(n_neighbors=1, algorithm="kd_tree").fit(points)
    distances: Floats = neighbours.kneighbors(queries)[0][:, 0]
    return distances
