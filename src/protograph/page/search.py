"""What Phase 2 works on, whichever search it is, and what it comes to."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph._utils.arrays import Floats
from protograph.explanation import Session
from protograph.graphs.conditions import Match
from protograph.graphs.dataset import GraphStore
from protograph.graphs.encoding import EncodedGraphs
from protograph.graphs.validate import node_count
from protograph.models.predictions import EmbeddedGraphs, Judge
from protograph.molecules.functional_groups import PartNamer
from protograph.page.clustering import Cluster
from protograph.patterns.canonical import CanonicalGraph


class NoPrototypeError(Exception):
    """A cluster has no prototype; the message says why."""


@dataclass(frozen=True, kw_only=True, eq=False)
class FittedClass:
    """A fitted model and the class to explain.

    Attributes:
        judge: The model.
        embedded: What it makes of all graphs.
        store: All graphs.
        encoded: The same as the counting reads them; its rule for edges is that of all evidence.
        canonical: Gives graphs, by their indices, with their nodes in canonical order: what a search finds first must
            not depend on how the user has numbered them.
        target: The class.
        match_features: Which nodes may stand for each other.
        namer: Finds what parts of molecules are called; ``None`` for no names.
        session_done: Called after each session.
    """

    judge: Judge
    embedded: EmbeddedGraphs
    store: GraphStore
    encoded: EncodedGraphs
    canonical: Callable[[Sequence[int]], list[CanonicalGraph]]
    target: int
    match_features: Match = True
    namer: PartNamer | None = None
    session_done: Callable[[], object] = lambda: None

    @property
    def resolution(self) -> float:
        """Relative precision of the model's numbers."""
        return self.judge.classifier.resolution

    def position(self, index: int) -> int:
        """Place of a graph, by its index, in the user's own data: what steps and notes call it by."""
        return self.store.origin(index).position


@dataclass(frozen=True, kw_only=True, eq=False)
class Candidate:
    """A pattern that a session has come to; its nodes are numbered as in the user's graphs.

    Attributes:
        graph: The pattern as a graph.
        sources: Indices of the k graphs.
        source: Index of the graph that it was cut from.
        nodes: Its nodes there.
        matches: ``[num_nodes, k]``, the corresponding nodes of the sources.
        session: The record of the session, with the model's judgement of the graph.
        predicted: The class that the model takes it for; ``None`` where that is not known.
        weight: By which sessions of a consensus are compared.
        contributions: Mean contribution of each node to the margin; empty where it is not known.
        contribution_share: Share of its sources' contributions that its nodes have; ``None`` where it is not known.
        steps: What led to it, a sentence a step.
    """

    graph: Data
    sources: tuple[int, ...]
    source: int
    nodes: tuple[int, ...]
    matches: Tensor
    session: Session
    predicted: int | None = None
    weight: float = 0.0
    contributions: tuple[float, ...] = ()
    contribution_share: float | None = None
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class ClusterResult:
    """A cluster and the candidate for its prototype; all of its sessions' candidates, and notes."""

    cluster: Cluster
    candidate: Candidate
    candidates: Sequence[Candidate]
    notes: tuple[str, ...] = ()


def split_by_graph(node_embeddings: Tensor, graphs: Sequence[Data]) -> list[Floats]:
    """Embeddings of all nodes, cut up by the graphs they belong to."""
    return [part.numpy() for part in torch.split(node_embeddings, [node_count(graph) for graph in graphs])]
