"""RandomSubgraph: the baseline that knows nothing of the method, only its budget."""

from dataclasses import dataclass

import numpy as np
from torch_geometric.data import Data

from protograph._utils.options import check_options
from protograph._utils.progress import timed
from protograph._utils.randomness import preserved_random_state
from protograph.explainer import Explainer, best_first
from protograph.explanation import Explanation, Prototype

# Subgraphs drawn and shown to the model at a time, with Ctrl-C heard between. The sources of a chunk are drawn before
# its parts, so this is part of what a seed means.
CHUNK = 64


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
        check_options(self)

    def explain(self, target: int | str) -> Explanation:
        """Draw subgraphs and keep those that the model gives the highest margin.

        Ctrl-C ends the drawing early; the best until then are returned, with a warning.

        Args:
            target: The class, as an index into the model's output.
        """
        target = self._checked_target(target)
        members, rng = self.members(target), np.random.default_rng([self.random_state, target])
        candidates: list[Prototype] = []

        def draw(done: int) -> int:
            sources = rng.choice(members, size=min(CHUNK, self.num_candidates - done)).tolist()
            parts = [(source, random_part(self._store[source], self.max_nodes, rng)) for source in sources]
            candidates.extend(self._prototypes(parts, target))
            return len(candidates)

        timings: dict[str, float] = {}
        with timed(timings, "sampling"), preserved_random_state():
            notes = self._search("sampling", self.num_candidates, "subgraphs", draw, candidates)
            judged = best_first(candidates, self._running.resolution)
        best = {prototype.source: prototype for prototype in reversed(judged)}
        # The best of each graph first, then the others.
        prototypes = sorted(judged, key=lambda one: one is not best[one.source])[: self.num_prototypes]
        if len(prototypes) < self.num_prototypes:
            notes.append(f"only {len(prototypes)} subgraphs were drawn, {self.num_prototypes} were asked for")
        return self._explanation(
            target,
            prototypes=prototypes,
            source_graphs={one.source: self._store[one.source] for one in prototypes if one.source is not None},
            timings=timings,
            notes=notes,
        )


def random_part(graph: Data, num_nodes: int, rng: np.random.Generator) -> list[int]:
    """Nodes of a random connected part: a random node, then one at a time a random neighbour of those chosen.

    >>> import torch
    >>> path = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
    >>> sorted(random_part(path, 5, np.random.default_rng(0)))
    [0, 1, 2]
    """
    ends = graph.edge_index.cpu().numpy()
    source, neighbour = np.concatenate([ends, ends[::-1]], axis=1)  # whichever way edges go
    chosen = [int(rng.integers(int(graph.num_nodes or 0)))]
    while len(chosen) < num_nodes and len(around := np.setdiff1d(neighbour[np.isin(source, chosen)], chosen)):
        chosen.append(int(rng.choice(around)))
    return chosen
