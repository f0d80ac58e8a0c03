"""Whether a model reads the attributes of edges, found by changing them."""

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph._base.arrays import Ints
from protograph._base.ties import tolerance_for
from protograph._base.words import one_line
from protograph.graphs.cleaning import node_count
from protograph.graphs.store import GraphStore
from protograph.models.running import ForwardResult, RunningClassifier


@dataclass(frozen=True)
class EdgeReading:
    """Whether a model reads the attributes of edges.

    Attributes:
        is_read: Whether it does.
        note: Why that is taken for granted, where it could not be found out; else empty.
    """

    is_read: bool
    note: str = ""


def edge_reading(
    classifier: RunningClassifier,
    store: GraphStore,
    predictions: Ints,
    *,
    num_candidates: int,
    num_graphs: int,
    num_rows: int,
) -> EdgeReading:
    """Find out whether a model tells rows of ``edge_attr`` apart.

    The rows of some graphs are put onto other edges and replaced by others that occur, the same for both directions of
    an edge. If neither the model's outputs nor its graph embeddings change by more than rounding, it does not read
    them. Only rows that occur are used: a model need not know what to do with others, and what all rows have in common
    makes no difference between edges. A model that fails, or whose outputs are random, is taken to read them.

    Args:
        classifier: The model.
        store: All graphs.
        predictions: Their predicted classes.
        num_candidates: Graphs of all classes among which those with the most different rows are chosen.
        num_graphs: Graphs whose rows are changed.
        num_rows: Rows that all edges are given at once.
    """
    wanted = classifier.call.attributes
    attributes = store[0].edge_attr
    if attributes is None or 0 in attributes.shape[1:] or (wanted is not None and "edge_attr" not in wanted):
        return EdgeReading(is_read=False)
    try:
        return _read(classifier, _candidates(store, predictions, num_candidates), num_graphs, num_rows)
    except Exception as error:  # whatever a model does, it must not keep its graphs from being explained
        reason = one_line(f"{type(error).__name__}: {error}")
        return EdgeReading(True, f"edge_attr is taken to be read: with other rows of it the model failed ({reason})")


def _read(classifier: RunningClassifier, candidates: Sequence[Data], num_graphs: int, num_rows: int) -> EdgeReading:
    rows = _Rows.of(candidates, num_graphs)
    if rows.num_kinds < 2:
        return EdgeReading(is_read=False)
    sample = candidates[:num_graphs]
    plain = classifier.embed(sample)
    if _differ(plain, classifier.embed(sample), classifier.resolution):
        return EdgeReading(True, "edge_attr is taken to be read: the model's output is random, so it cannot be told")
    changes = (rows.put(sample, change) for change in rows.changes(num_rows))
    return EdgeReading(any(_differ(plain, classifier.embed(changed), classifier.resolution) for changed in changes))


def _differ(one: ForwardResult, other: ForwardResult, resolution: float) -> bool:
    """Whether outputs or graph embeddings differ by more than rounding; what is not a number differs from all."""
    pairs = (one.outputs, other.outputs), (one.graph_embeddings, other.graph_embeddings)
    for before, after in pairs:
        scale = float(before[before.isfinite()].abs().max(dim=-1).values) if bool(before.isfinite().any()) else 0.0
        is_same = (before == after) | ((before - after).abs() <= scale * tolerance_for(1.0, resolution))
        if not bool(is_same.all()):
            return True
    return False


def _candidates(store: GraphStore, predictions: Ints, num_candidates: int) -> list[Data]:
    """Of each predicted class in turn the graphs with the most different rows."""
    classes = [np.flatnonzero(predictions == target) for target in np.unique(predictions)]
    share = -(-num_candidates // len(classes))
    ranked = []
    for members in classes:
        graphs = store.take(members[:: -(-members.size // share)].tolist())
        ranked.append(sorted(graphs, key=lambda graph: -_num_different(graph)))
    most = max(map(len, ranked))
    in_turn = [graphs[place] for place in range(most) for graphs in ranked if place < len(graphs)]
    row = next((graph.edge_attr[:1] for graph in in_turn if graph.num_edges), None)
    if not any(_has_other(graph, row) for graph in in_turn):  # perhaps a single graph of many has another row
        others = (number for number, graph in enumerate(store.unchecked()) if _has_other(graph, row))
        in_turn = [*(store[number] for number in islice(others, 1)), *in_turn]
    return in_turn


def _num_different(graph: Data) -> int:
    return len(torch.unique(graph.edge_attr, dim=0)) if graph.num_edges else 0


def _has_other(graph: Data, row: Tensor | None) -> bool:
    return graph.num_edges > 0 and (row is None or bool((graph.edge_attr != row).any()))


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows of some graphs, an undirected edge at a time.

    Attributes:
        values: A row of each kind that candidates have.
        kinds: For each undirected edge of each graph the kind of its row, that of its first direction.
        places: For each graph the number of its undirected edge that each of its edges is.
    """

    values: Tensor
    kinds: list[Ints]
    places: list[Ints]

    @classmethod
    def of(cls, candidates: Sequence[Data], num_graphs: int) -> "_Rows":
        """The rows of the first ``num_graphs`` among the kinds that all candidates have."""
        values, kinds = torch.unique(torch.cat([graph.edge_attr for graph in candidates]), dim=0, return_inverse=True)
        each = torch.split(kinds.cpu(), [graph.num_edges for graph in candidates])[:num_graphs]
        firsts, places = zip(*map(_undirected_edges, candidates[:num_graphs]), strict=True)
        return cls(values, [own.numpy()[first] for own, first in zip(each, firsts, strict=True)], list(places))

    @property
    def num_kinds(self) -> int:
        """How many different rows there are."""
        return len(self.values)

    def changes(self, num_rows: int) -> Iterator[list[Ints]]:
        """Other kinds for the edges of each graph: the next one, another edge's, every one in turn, one for all."""
        yield [(kinds + 1) % self.num_kinds for kinds in self.kinds]
        yield [np.roll(kinds, 1) for kinds in self.kinds]
        ends = np.cumsum([kinds.size for kinds in self.kinds])
        yield [np.arange(end - kinds.size, end) % self.num_kinds for kinds, end in zip(self.kinds, ends, strict=True)]
        for kind in np.unique(np.linspace(0, self.num_kinds - 1, num_rows).round().astype(np.int64)):
            yield [np.full(kinds.size, kind) for kinds in self.kinds]

    def put(self, graphs: Sequence[Data], kinds: Sequence[Ints]) -> list[Data]:
        """The graphs with rows of these kinds, both directions of an edge alike."""
        changed = []
        for graph, new, place in zip(graphs, kinds, self.places, strict=True):
            other = copy.copy(graph)
            other.edge_attr = self.values[torch.from_numpy(new[place]).to(self.values.device)]
            changed.append(other)
        return changed


def _undirected_edges(graph: Data) -> tuple[Ints, Ints]:
    """The first of the edges with the same two ends, and for each edge the number of its two ends."""
    ends = np.sort(graph.edge_index.cpu().numpy(), axis=0)
    _, first, place = np.unique(ends[0] * node_count(graph) + ends[1], return_index=True, return_inverse=True)
    return first, place
