"""Graphs that prototypes are counted in, with what the model predicts for them."""

from collections.abc import Sequence

from torch_geometric.data import Data

from protograph._base.randomness import preserved_random_state
from protograph.evaluation.evaluation import HeldOut
from protograph.graphs.encoding import EncodedGraphs
from protograph.graphs.store import GraphStore
from protograph.metrics.judging import Model
from protograph.models.classifier import GraphClassifier
from protograph.models.embedding import embed

_SAMPLE = 8


def held_out(model: Model, graphs: Sequence[Data]) -> HeldOut:
    """Encode graphs and classify them."""
    classifier = model if isinstance(model, GraphClassifier) else GraphClassifier(model)
    with preserved_random_state():
        store = GraphStore(graphs)
        running = classifier.start([store[index] for index in range(min(_SAMPLE, len(store)))])
        found = embed(running, store, batch_size=256, return_type=classifier.return_type)
    return HeldOut(EncodedGraphs(graphs), found.predictions, found.num_classes)
