"""Prototype retrieval (paper, Section 4.2.4): the model decides which candidate is the prototype."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
import torch
from torch_geometric.data import Data

from protograph.graphs.cutting import induced_subgraph
from protograph.models.classifier import RunningClassifier
from protograph.models.outputs import ReturnType, log_scores, margins, probabilities
from protograph.page.walk.search import Walk


@dataclass(frozen=True)
class Candidate:
    """A session's best subgraph.

    Attributes:
        session: Number of the session.
        source: Which of the k graphs it was cut from.
        graph: The subgraph.
        probability: The model's probability of the target class.
        margin: Its log-odds.
    """

    session: int
    source: int
    graph: Data
    probability: float
    margin: float


def retrieve(
    classifier: RunningClassifier,
    graphs: Sequence[Data],
    walks: Sequence[Walk],
    *,
    target: int,
    return_type: ReturnType,
) -> list[Candidate]:
    """Return each session's best candidate, by the class margin; of those that tie, the earlier graph's."""
    parts = [
        (session, source, induced_subgraph(graphs[source], nodes))
        for session, walk in enumerate(walks)
        for source, nodes in enumerate(walk.nodes)
    ]
    outputs = classifier.classify([part for _, _, part in parts])
    if not bool(torch.isfinite(outputs).all()):
        raise ValueError(
            f"the model's output for a subgraph of {min(p.num_nodes for _, _, p in parts)} or more nodes is NaN or "
            f"infinite; it must be able to classify small parts of its graphs"
        )
    scores = log_scores(outputs, return_type)
    chances, odds = probabilities(scores)[:, target], margins(scores, target)
    candidates = [
        Candidate(session, source, part, float(chance), float(odd))
        for (session, source, part), chance, odd in zip(parts, chances, odds, strict=True)
    ]
    return [
        best_of([c for c in candidates if c.session == session], classifier.resolution) for session in range(len(walks))
    ]


class HasMargin(Protocol):
    """Anything that the model has judged."""

    @property
    def margin(self) -> float:
        """Log-odds of the target class."""


T = TypeVar("T", bound=HasMargin)


def best_first(candidates: Sequence[T], resolution: float) -> list[T]:
    """Order by margin, the largest first; those that tie keep their order."""
    left = list(candidates)
    ordered: list[T] = []
    while left:
        ordered.append(best_of(left, resolution))
        left = [candidate for candidate in left if candidate is not ordered[-1]]
    return ordered


def best_of(candidates: Sequence[T], resolution: float) -> T:
    """The candidate with the largest margin, the first of those that tie.

    Probabilities saturate at 1 long before margins stop telling graphs apart.
    """
    values = np.array([candidate.margin for candidate in candidates])
    tolerance = max(1e-9, resolution * float(np.abs(values).max()))
    return candidates[int(np.flatnonzero(values >= values.max() - tolerance)[0])]
