"""Graphs that prototypes are counted in, with what the model predicts for them."""

from collections.abc import Sequence
from dataclasses import dataclass

from torch_geometric.data import Data

from protograph._base.arrays import Ints
from protograph._base.randomness import preserved_random_state
from protograph.graphs.encoding import EncodedGraphs
from protograph.metrics.judging import Model
from protograph.models.embedding import embed_all


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Graphs that no prototype was found in, encoded once, and what the model predicts for them."""

    graphs: EncodedGraphs
    predictions: Ints
    num_classes: int


def held_out(model: Model, graphs: Sequence[Data]) -> HeldOut:
    """Encode graphs and classify them."""
    with preserved_random_state():
        embedded = embed_all(model, graphs)[2]
    return HeldOut(EncodedGraphs(graphs), embedded.predictions, embedded.num_classes)
