"""What ``match_edges`` comes to: which edges count as the same for a model and its graphs."""

from dataclasses import dataclass
from typing import Literal

from protograph._base.arrays import Ints
from protograph.graphs.bins import edge_cuts
from protograph.graphs.conditions import EdgeRule
from protograph.graphs.dataset import GraphStore
from protograph.models.inference import RunningClassifier
from protograph.models.sensitivity import EdgeReading, edge_reading
from protograph.page.options import EdgeOptions


@dataclass(frozen=True)
class ResolvedEdges:
    """Which edges count as the same.

    Attributes:
        rule: The rule.
        notes: What was taken for granted.
    """

    rule: EdgeRule
    notes: tuple[str, ...] = ()


def resolved_edges(
    asked: bool | Literal["auto"],
    classifier: RunningClassifier,
    store: GraphStore,
    predictions: Ints,
    options: EdgeOptions,
) -> ResolvedEdges:
    """Attributes of edges must agree where that is asked for, or under ``"auto"`` where the model reads them.

    Args:
        asked: ``match_edges``.
        classifier: The model.
        store: All graphs.
        predictions: Their predicted classes.
        options: How to find out.

    Raises:
        ValueError: If attributes must agree and the graphs have none.
    """
    if asked is True and store[0].edge_attr is None:
        raise ValueError("match_edges=True needs edge_attr on every graph; the graphs have none")
    reading = EdgeReading(is_read=asked is True)
    if asked == "auto":
        reading = edge_reading(
            classifier,
            store,
            predictions,
            num_candidates=options.num_candidates,
            num_graphs=options.num_graphs,
            num_rows=options.num_rows,
        )
    if not reading.is_read:
        return ResolvedEdges(EdgeRule())
    cuts = edge_cuts(store.blocks(), max_values=options.max_values, num_bins=options.num_bins)
    return ResolvedEdges(EdgeRule(is_matched=True, cuts=cuts), (reading.note,) if reading.note else ())
