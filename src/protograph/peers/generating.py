"""What explainers that generate graphs share: a vocabulary to generate from, and a model that must take the graphs."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property

import torch
from torch_geometric.data import Data

from protograph._base.options import check_count
from protograph._base.randomness import checked_seed, preserved_random_state
from protograph.explainer import Explainer, best_first, timed
from protograph.explanation import Explanation, Prototype
from protograph.patterns.canonical import canonical_graph
from protograph.peers.vocabulary import MAX_TYPES, Vocabulary, learn

# What a generated graph and its batch have, and a label, which no model is given.
_GENERATED = frozenset({"x", "edge_index", "edge_attr", "batch", "ptr", "num_graphs", "num_nodes", "y"})


@dataclass(frozen=True, eq=False)
class GeneratedGraph:
    """A graph that was made, with the model's judgement.

    Attributes:
        graph: The graph.
        probability: Probability of the class.
        margin: Its log-odds.
    """

    graph: Data
    probability: float
    margin: float

    @cached_property
    def key(self) -> bytes:
        """The same for isomorphic graphs."""
        return canonical_graph(self.graph).key


@dataclass(kw_only=True, eq=False)
class GeneratingExplainer(Explainer):
    """Base of the explainers whose prototypes are made, not found in the data."""

    num_prototypes: int = 1
    max_nodes: int = 13
    max_types: int = MAX_TYPES
    random_state: int = 0

    def __post_init__(self) -> None:
        for name in ("num_prototypes", "max_nodes", "max_types"):
            check_count(name, getattr(self, name))
        checked_seed(self.random_state)

    @property
    def vocabulary_(self) -> Vocabulary:
        """The types of nodes in the fitted graphs, most frequent first, and how they are joined."""
        self._fitted()
        graphs = (graph for chunk in self._store.chunks(256) for graph in chunk)
        return self._once("vocabulary", lambda: learn(graphs, self.max_types))

    def explain(self, target: int) -> Explanation:
        """Generate prototypes of a class.

        Ctrl-C ends the search early; the best graphs until then are returned, with a warning.

        Args:
            target: The class, as an index into the model's output.

        Raises:
            ValueError: If the model cannot do without attributes that generated graphs do not have, such as ``pos``, or
                if there is nothing to learn from.
        """
        target = self._checked_target(target)
        timings: dict[str, float] = {}
        with timed(timings, "vocabulary"):
            vocabulary = self.vocabulary_
        with timed(timings, "generation"), preserved_random_state(), torch.inference_mode(False), torch.enable_grad():
            generated, notes = self._generate(target)
        if len(generated) < self.num_prototypes:
            notes.append(f"only {len(generated)} different graphs were found, {self.num_prototypes} were asked for")
        prototypes = [
            Prototype(graph=one.graph, probability=one.probability, margin=one.margin, **self._column_names)
            for one in generated
        ]
        ordered = best_first(prototypes, self._classifier().resolution)
        return self._explanation(target, prototypes=ordered, timings=timings, notes=[*self._notes(vocabulary), *notes])

    @abstractmethod
    def _generate(self, target: int) -> tuple[list[GeneratedGraph], list[str]]:
        """The best graphs of a class, and notes on what went otherwise than asked for."""

    def _notes(self, vocabulary: Vocabulary) -> list[str]:
        notes = []
        if vocabulary.num_left_out:
            notes.append(
                f"the graphs have {vocabulary.num_types + vocabulary.num_left_out} different rows of x; graphs are "
                f"generated from the {vocabulary.num_types} most frequent ones"
            )
        missing = sorted((self._classifier().call.attributes or frozenset()) & set(self._other_attributes()))
        if missing:
            notes.append(f"generated graphs have no {', '.join(missing)}, which the model takes")
        return notes

    def _other_attributes(self) -> list[str]:
        """What the data has and generated graphs do not."""
        return sorted(set(self._store[0].to_dict()) - _GENERATED)

    def _check_accepted(self, graph: Data) -> None:
        """A model does not say all that it reads, so it is tried."""
        try:
            self._classifier().classify([graph])
        except Exception as error:
            others = ", ".join(map(repr, self._other_attributes()))
            hint = f"; the data also has {others}" if others else ""
            raise ValueError(
                f"the model cannot classify a generated graph, which has x, edge_index and edge_attr alone{hint} "
                f"({type(error).__name__}: {error}); use PAGE, which finds prototypes in the data"
            ) from error
