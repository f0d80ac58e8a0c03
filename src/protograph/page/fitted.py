"""What Phase 2 works on: a fitted model, its graphs as the searches see them, and the class to explain."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph._base.arrays import Floats
from protograph.graphs.encoding import EncodedGraphs
from protograph.graphs.validate import node_count
from protograph.models.predictions import EmbeddedGraphs, Judge
from protograph.patterns.canonical import CanonicalGraph


@dataclass(frozen=True, kw_only=True, eq=False)
class FittedClass:
    """A fitted model and the class to explain.

    Attributes:
        judge: The model.
        embedded: What it makes of all graphs.
        encoded: All graphs as the counting reads them.
        canonical: Gives graphs, by their indices, with their nodes in canonical order: what a search finds first must
            not depend on how the user has numbered them.
        target: The class.
        position: Place of a graph, by its index, in the user's own data: what steps and notes call it by.
        session_done: Called after each session.
    """

    judge: Judge
    embedded: EmbeddedGraphs
    encoded: EncodedGraphs
    canonical: Callable[[Sequence[int]], list[CanonicalGraph]]
    target: int
    position: Callable[[int], int] = int
    session_done: Callable[[], object] = lambda: None

    @property
    def resolution(self) -> float:
        """Relative precision of the model's numbers."""
        return self.judge.classifier.resolution


def split_by_graph(node_embeddings: Tensor, graphs: Sequence[Data]) -> list[Floats]:
    """Embeddings of all nodes, cut up by the graphs they belong to."""
    return [part.numpy() for part in torch.split(node_embeddings, [node_count(graph) for graph in graphs])]
