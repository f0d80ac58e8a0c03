"""What one session offers as the prototype of its cluster."""

from dataclasses import dataclass

from torch import Tensor
from torch_geometric.data import Data

from protograph.explanation import Session


class NoPrototypeError(Exception):
    """A cluster has no prototype; the message says why."""


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
    contributions: tuple[float, ...] = ()
    contribution_share: float | None = None
    steps: tuple[str, ...] = ()
