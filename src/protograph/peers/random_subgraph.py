"""RandomSubgraph: the baseline that knows nothing of the method, only its budget."""

import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from torch_geometric.data import Data

from protograph._base.errors import ProtographWarning
from protograph._base.options import check_count
from protograph._base.randomness import checked_seed, preserved_random_state
from protograph.explainer import Explainer, timed
from protograph.explanation.explanation import Explanation, Prototype
from protograph.graphs.cutting import induced_subgraph
from protograph.models.outputs import log_scores, margins, probabilities
from protograph.page.walk.retrieval import best_first

# Candidates shown to the model at a time; between two of these Ctrl-C is heard.
_CHUNK = 64


@dataclass(kw_only=True, eq=False)
class RandomSubgraph(Explainer):
    """The best of some random connected subgraphs of graphs that are predicted as the class.

    Every comparison of explainers needs it: with the same size and the same number of model calls, what is better than
    chance?

    Args:
        num_prototypes: How many to return, each from another graph where there are enough.
        max_nodes: Number of nodes of a subgraph; a smaller graph, or part of one, is taken as a whole.
        num_candidates: How many subgraphs the model is shown; the default is what PAGE shows it with its own.
        random_state: Seed of the choices.

    >>> RandomSubgraph(num_candidates=0)
    Traceback (most recent call last):
    ...
    ValueError: num_candidates must be at least 1, got 0
    """

    num_prototypes: int = 1
    max_nodes: int = 13
    num_candidates: int = 30
    random_state: int = 0

    def __post_init__(self) -> None:
        for name in ("num_prototypes", "max_nodes", "num_candidates"):
            check_count(name, getattr(self, name))
        checked_seed(self.random_state)

    def explain(self, target: int) -> Explanation:
        """Draw subgraphs and keep those that the model gives the highest margin.

        Ctrl-C ends the drawing early; the best until then are returned, with a warning.

        Args:
            target: The class, as an index into the model's output.
        """
        target = self._checked_target(target)
        timings: dict[str, float] = {}
        notes: list[str] = []
        with timed(timings, "sampling"), preserved_random_state():
            judged = best_first(self._judged(target, notes), self._classifier().resolution)
        prototypes = _from_different_graphs(judged, self.num_prototypes)
        if len(prototypes) < self.num_prototypes:
            notes.append(f"only {len(prototypes)} subgraphs were drawn, {self.num_prototypes} were asked for")
        for note in notes:
            warnings.warn(f"class {target}: {note}", ProtographWarning, stacklevel=2)
        sources = {p.source: self._store[p.source] for p in prototypes if p.source is not None}
        return self._explanation(target, prototypes=prototypes, source_graphs=sources, timings=timings, warnings=notes)

    def _options(self) -> Mapping[str, Any]:
        return asdict(self)

    def _judged(self, target: int, notes: list[str]) -> list[Prototype]:
        members = self._members(target)
        rng = np.random.default_rng([self.random_state, target])
        found: list[Prototype] = []
        try:
            while len(found) < self.num_candidates:
                count = min(_CHUNK, self.num_candidates - len(found))
                found += self._chunk(rng.choice(members, size=count), target, rng)
                if self._progress is not None:
                    self._progress("sampling", len(found), self.num_candidates)
        except KeyboardInterrupt:
            if not found:
                raise
            notes.append(
                f"interrupted after {len(found)} of {self.num_candidates} subgraphs; the best of them are kept"
            )
        return found

    def _chunk(self, sources: Any, target: int, rng: np.random.Generator) -> list[Prototype]:
        chosen = [(int(source), random_part(self._store[int(source)], self.max_nodes, rng)) for source in sources]
        graphs = [induced_subgraph(self._store[source], nodes) for source, nodes in chosen]
        outputs = self._classifier().classify(graphs)
        if not bool(torch.isfinite(outputs).all()):
            raise ValueError(
                "the model's output for a small part of a graph is NaN or infinite; it must be able to classify such"
            )
        scores = log_scores(outputs, self._fitted().return_type)
        chances, odds = probabilities(scores)[:, target], margins(scores, target)
        return [
            Prototype(
                graph=graph,
                probability=float(chance),
                margin=float(odd),
                sources=[source],
                source=source,
                nodes=nodes,
                feature_names=self._names["feature_names"],
                edge_names=self._names["edge_names"],
            )
            for graph, (source, nodes), chance, odd in zip(graphs, chosen, chances, odds, strict=True)
        ]


def random_part(graph: Data, num_nodes: int, rng: np.random.Generator) -> list[int]:
    """Nodes of a random connected part: a random node, then one at a time a random neighbour of those chosen.

    >>> import torch
    >>> path = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
    >>> sorted(random_part(path, 5, np.random.default_rng(0)))
    [0, 1, 2]
    """
    source, neighbour = graph.edge_index.cpu().numpy()
    chosen = [int(rng.integers(int(graph.num_nodes or 0)))]
    around = {int(node) for node in neighbour[source == chosen[0]]} - set(chosen)
    while around and len(chosen) < num_nodes:
        # Sorted: the order of a set is not the same in every run.
        chosen.append(int(rng.choice(sorted(around))))
        around |= {int(node) for node in neighbour[source == chosen[-1]]}
        around -= set(chosen)
    return chosen


def _from_different_graphs(judged: list[Prototype], count: int) -> list[Prototype]:
    """The best of each graph first, then the others."""
    seen: set[int | None] = set()
    firsts: list[Prototype] = []
    others: list[Prototype] = []
    for prototype in judged:
        (others if prototype.source in seen else firsts).append(prototype)
        seen.add(prototype.source)
    return (firsts + others)[:count]
