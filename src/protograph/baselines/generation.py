"""What explainers that generate graphs share: a vocabulary from the data, and a model that must take the graphs."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Batch, Data
from torch_geometric.utils import to_undirected

from protograph._utils.arrays import Floats, Ints
from protograph._utils.progress import timed
from protograph._utils.randomness import preserved_random_state
from protograph.explainer import Explainer, best_first
from protograph.explanation import Explanation, Prototype
from protograph.models.predictions import Judgement

# The table of types must stay small: continuous features give one for every node.
MAX_TYPES = 200
# What a generated graph and its batch have, and a label, which no model is given.
_GENERATED = frozenset({"x", "edge_index", "edge_attr", "batch", "ptr", "num_graphs", "num_nodes", "y"})


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Types of nodes, the distinct rows of ``x``, most frequent first, and how they are joined.

    Attributes:
        x: Features of each type, ``[num_types, num_features]``; ``None`` where graphs have none.
        counts: How many nodes are of each type, ``[num_types]``.
        max_degree: Largest number of neighbours of a node of each type, self-loops not counted, ``[num_types]``.
        joined: How many undirected edges join the types, ``[num_types, num_types]``, symmetric.
        edge_attr: Most frequent attributes of an edge between the types, ``[num_types, num_types, num_attributes]``,
            those most frequent of all where no edge is; ``None`` where edges have none.
        edges_per_node: How many undirected edges a node each graph has, ``[num_graphs]``.
        num_left_out: How many rarer types are left out.
    """

    x: Tensor | None
    counts: Ints
    max_degree: Ints
    joined: Ints
    edge_attr: Tensor | None
    edges_per_node: Floats
    num_left_out: int = 0

    def graph(self, types: Sequence[int] | Tensor, edges: Sequence[tuple[int, int]] | Tensor) -> Data:
        """The graph with nodes of these types and undirected edges, each given once.

        >>> edge = Data(x=torch.eye(2), edge_index=torch.tensor([[0, 1], [1, 0]]))
        >>> learn([edge]).graph([0, 1, 0], [(0, 1), (1, 2)])
        Data(x=[3, 2], edge_index=[2, 4])
        """
        kinds = torch.as_tensor(types, dtype=torch.long)
        ends = torch.as_tensor(edges, dtype=torch.long).reshape(-1, 2).t()
        edge_index = torch.cat([ends, ends.flip(0)], dim=1)
        edge_attr = None if self.edge_attr is None else self.edge_attr[kinds[edge_index[0]], kinds[edge_index[1]]]
        return assembled(len(kinds), None if self.x is None else self.x[kinds], edge_index, edge_attr)


def learn(graphs: Iterable[Data]) -> Vocabulary:
    """Learn the vocabulary of graphs, whose edges are taken to go both ways, once.

    >>> star = Data(x=torch.eye(2)[[0, 1, 1]], edge_index=torch.tensor([[0, 0, 1, 2], [1, 2, 0, 0]]))
    >>> vocabulary = learn([star, star])
    >>> vocabulary.x, vocabulary.counts, vocabulary.max_degree, vocabulary.joined
    (tensor([[0., 1.],
            [1., 0.]]), array([4, 2]), array([1, 2]), array([[0, 4],
           [4, 0]]))
    """
    batch = Batch.from_data_list([bare(graph) for graph in graphs])
    num_nodes = int(batch.num_nodes or 0)
    rows, type_of, counts = _distinct(torch.zeros(num_nodes, 1) if batch.x is None else batch.x)
    kept = min(MAX_TYPES, len(counts))
    ends = to_undirected(batch.edge_index, num_nodes=num_nodes).numpy()
    first, second = ends
    max_degree = np.zeros(len(counts), dtype=np.int64)
    np.maximum.at(max_degree, type_of, np.bincount(first[first != second], minlength=num_nodes))
    # Each edge once: a pair of nodes is there in both directions.
    num_edges = np.bincount(batch.batch.numpy()[first[first < second]], minlength=batch.num_graphs)
    joined = _frequency(type_of[ends[:, first != second]], (kept, kept))
    joined[np.diag_indices(kept)] //= 2  # an edge within a type was counted from both ends
    return Vocabulary(
        x=None if batch.x is None else batch.x[torch.from_numpy(rows[:kept])],
        counts=counts[:kept],
        max_degree=max_degree[:kept],
        joined=joined,
        edge_attr=_edge_attr(batch, type_of, kept),
        edges_per_node=num_edges / batch.ptr.diff().clamp(min=1).numpy(),
        num_left_out=len(counts) - kept,
    )


def bare(graph: Data) -> Data:
    """Only what is learned from, and generated: other attributes may not fit into one batch."""
    return assembled(graph.num_nodes, graph.x, graph.edge_index, graph.edge_attr)


def assembled(num_nodes: int | None, x: Tensor | None, edge_index: Tensor, edge_attr: Tensor | None) -> Data:
    """A graph of these tensors; ``x`` tells the number of nodes, where there is any."""
    tensors = {"x": x, "num_nodes": num_nodes if x is None else None, "edge_index": edge_index, "edge_attr": edge_attr}
    return Data(**{name: value for name, value in tensors.items() if value is not None})


def _distinct(values: Tensor) -> tuple[Ints, Ints, Ints]:
    """First place of each distinct row, most frequent row first; the row each place has; and their counts."""
    flat = values.reshape(len(values), -1).double().numpy()
    if not flat.shape[1]:  # rows of nothing are all the same
        flat = np.zeros((len(flat), 1))
    _, first, inverse, counts = np.unique(flat, axis=0, return_index=True, return_inverse=True, return_counts=True)
    order = np.lexsort((first, -counts))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[inverse.reshape(-1)], counts[order]


def _edge_attr(batch: Batch, type_of: Ints, num_types: int) -> Tensor | None:
    attributes: Tensor | None = batch.get("edge_attr")
    if attributes is None or not len(attributes):
        return None
    rows, kind_of, _ = _distinct(attributes)
    places = np.stack([*type_of[batch.edge_index.numpy()], kind_of])
    counts = _frequency(places, (num_types, num_types, len(rows)))
    # Between types that edges join one way only, they hold the same the other way.
    chosen = np.where(counts.any(axis=2, keepdims=True), counts, counts.transpose(1, 0, 2)).argmax(axis=2)
    # Where no edge is, the first kind wins, which is the most frequent of all.
    return attributes[torch.from_numpy(rows[chosen])]


def _frequency(places: Ints, shape: tuple[int, ...]) -> Ints:
    """How often each place of an array occurs among the columns of ``places``; those outside are left out."""
    inside = (places < np.array(shape)[:, None]).all(axis=0)
    frequency = np.zeros(shape, dtype=np.int64)
    np.add.at(frequency, tuple(places[:, inside]), 1)
    return frequency


@dataclass(kw_only=True, eq=False)
class GeneratingExplainer(Explainer):
    """Base of the explainers whose prototypes are made, not found in the data."""

    num_prototypes: int = 1
    max_nodes: int = 13
    random_state: int = 0

    @property
    def vocabulary_(self) -> Vocabulary:
        """The types of nodes in the fitted graphs, most frequent first, and how they are joined."""
        self._fitted()
        return self._once("vocabulary", lambda: learn(self._store))

    def explain(self, target: int | str) -> Explanation:
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
            prototypes, notes = self._generate(target)
        if len(prototypes) < self.num_prototypes:
            notes.append(f"only {len(prototypes)} different graphs were found, {self.num_prototypes} were asked for")
        missing = sorted((self._running.call.attributes or frozenset()) & set(self._other_attributes()))
        if missing:
            notes.insert(0, f"generated graphs have no {', '.join(missing)}, which the model takes")
        if vocabulary.num_left_out:
            num_types = len(vocabulary.counts)
            notes.insert(
                0,
                f"the graphs have {num_types + vocabulary.num_left_out} different rows of x; graphs are generated from "
                f"the {num_types} most frequent ones",
            )
        return self._explanation(
            target,
            prototypes=best_first(prototypes, self._running.resolution),
            timings=timings,
            notes=notes,
        )

    @abstractmethod
    def _generate(self, target: int) -> tuple[list[Prototype], list[str]]:
        """The best graphs of a class, and notes on what went otherwise than asked for."""

    def _prototype(self, graph: Data, target: int, judgement: Judgement, place: int) -> Prototype:
        """The graph that a judgement has in that place as a prototype of the class that was judged."""
        return Prototype(
            graph=graph,
            probability=float(judgement.probabilities[place]),
            margin=float(judgement.margins[place]),
            target=target,
            predicted=int(judgement.predictions[place]),
            pattern=self._pattern(graph),
            **self._names.of_columns,
        )

    def _other_attributes(self) -> list[str]:
        """What the data has and generated graphs do not."""
        return sorted(set(self._store[0].to_dict()) - _GENERATED)

    def _check_accepted(self, graph: Data) -> None:
        """A model does not say all that it reads, so it is tried."""
        try:
            self._running.classify([graph])
        except Exception as error:
            others = ", ".join(map(repr, self._other_attributes()))
            hint = f"; the data also has {others}" if others else ""
            raise ValueError(
                f"the model cannot classify a generated graph, which has x, edge_index and edge_attr alone{hint} "
                f"({type(error).__name__}: {error}); use PAGE, which finds prototypes in the data"
            ) from error
