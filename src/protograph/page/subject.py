"""What Phase 2 works on: a model, its graphs, and the class to explain."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph.explanation.explanation import Session
from protograph.graphs.cleaning import node_count
from protograph.graphs.encoding import EncodedGraphs
from protograph.graphs.store import GraphStore
from protograph.models.classifier import RunningClassifier
from protograph.models.embedding import Embedded
from protograph.page.consensus.contributions import LinearHead
from protograph.page.walk.scoring import Floats


class NoPrototypeError(Exception):
    """A cluster has no prototype; the message says why."""


@dataclass(frozen=True, kw_only=True)
class Draft:
    """What the search found for a cluster, before its evidence is counted; see :class:`~protograph.Prototype`.

    Attributes:
        graph: The prototype.
        probability: The model's probability of the class for it.
        margin: Its log-odds.
        sources: Indices of the k graphs.
        source: Index of the graph that it was cut from.
        nodes: Its nodes there.
        matches: ``[num_nodes, k]``.
        sessions: One record a session.
        contributions: Mean contribution of each node to the margin; empty where it is not known.
        contribution_share: Share of all nodes' contributions in the sources that its nodes have.
        steps: What led to it.
    """

    graph: Data
    probability: float
    margin: float
    sources: list[int]
    source: int
    nodes: list[int]
    matches: Tensor
    sessions: list[Session]
    contributions: tuple[float, ...] = ()
    contribution_share: float | None = None
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A fitted model and the class to explain.

    Attributes:
        classifier: The model.
        store: All graphs.
        embedded: What the model makes of them.
        target: The class.
        encoded: Gives all graphs as the counting reads them; made on first use.
        head: Gives the linear map that the model ends in, if it does; found on first use.
    """

    classifier: RunningClassifier
    store: GraphStore
    embedded: Embedded
    target: int
    encoded: Callable[[], EncodedGraphs]
    head: Callable[[], LinearHead | None]

    def split(self, node_embeddings: Tensor, graphs: Sequence[Data]) -> list[Floats]:
        """Embeddings of all nodes, cut up by the graphs they belong to."""
        return [part.numpy() for part in torch.split(node_embeddings, [node_count(graph) for graph in graphs])]

    def node_embeddings(self, graphs: Sequence[Data]) -> list[Floats]:
        """Embeddings of the nodes of each graph."""
        return self.split(self.classifier.embed(graphs, nodes=True).node_embeddings, graphs)
