"""What a model reads of its input: columns of nodes that it looks up or ignores, and attributes of edges."""

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch_geometric.data import Data

from protograph._utils.arrays import Floats, Ints
from protograph._utils.ties import tolerance_for
from protograph._utils.words import one_line
from protograph.graphs.dataset import CollatedGraphs, GraphStore
from protograph.graphs.validate import node_count
from protograph.models.inference import ForwardResult, RunningClassifier
from protograph.models.predictions import Judge
from protograph.models.readout.capture import tensors_in

# Operations that take rows of a table by number; which argument has the numbers shows by their being whole.
_LOOK_UPS = frozenset({"embedding", "one_hot", "__getitem__", "index_select", "embedding_bag", "take", "gather"})


def looked_up_columns(classifier: RunningClassifier, graphs: Sequence[Data]) -> frozenset[int]:
    """Columns of ``x`` whose values a model uses as numbers of rows in a table: types, where it multiplies quantities.

    Args:
        classifier: The model.
        graphs: Graphs to watch it with, at least one.
    """
    x = torch.cat([graph.x.reshape(node_count(graph), -1) for graph in graphs]).cpu().double()
    with _LookUps(x) as watched:
        classifier.classify(graphs)
    return frozenset(watched.columns)


class _LookUps(TorchFunctionMode):
    """Notes which columns of some rows are numbers by which something is looked up."""

    def __init__(self, x: Tensor) -> None:
        super().__init__()
        self._x, self.columns = x, set[int]()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if getattr(func, "__name__", "") in _LOOK_UPS:
            # What is taken from may be the features themselves, by places of columns.
            several = args[1:] if func.__name__ == "__getitem__" else args
            for index in tensors_in((*several, *kwargs.values())):
                self._note(index)
        return func(*args, **kwargs)

    def _note(self, index: Tensor) -> None:
        is_whole = not index.is_floating_point() and index.dtype is not torch.bool and not index.is_complex()
        if not is_whole or not index.numel():
            return
        numbers = index.detach().cpu().double()
        if numbers.numel() == self._x.numel():
            numbers = numbers.reshape(self._x.shape)
            self.columns |= {column for column in range(self._x.size(1)) if self._is(column, numbers[:, column])}
        elif numbers.numel() == self._x.size(0):
            own = numbers.flatten()
            self.columns |= {column for column in range(self._x.size(1)) if self._is(column, own)}

    def _is(self, column: int, numbers: Tensor) -> bool:
        """Whether numbers are those of a column, all of them shifted alike; a column of one value tells nothing."""
        away = numbers - self._x[:, column].trunc()
        return bool((away == away[0]).all()) and bool((numbers != numbers[0]).any())


def column_effects(judge: Judge, graphs: Sequence[Data], lots: Sequence[Sequence[int]], seed: int = 0) -> Floats:
    """How much the probabilities of classes change where the values of columns are shuffled among all nodes.

    Args:
        judge: The model.
        graphs: Graphs to try it on.
        lots: Columns that are shuffled together, lot by lot.
        seed: Of the order.

    Returns:
        For each lot the mean over graphs of half the sum of the changes, in [0, 1].
    """
    before = judge.scores(graphs).softmax(dim=1)
    order = torch.from_numpy(np.random.default_rng(seed).permutation(sum(map(node_count, graphs))))
    whole = torch.cat([graph.x.reshape(node_count(graph), -1) for graph in graphs])
    effects = []
    for columns in map(list, lots):
        changed = whole.clone()
        changed[:, columns] = whole[order.to(whole.device)][:, columns]
        parts = torch.split(changed, [node_count(graph) for graph in graphs])
        after = judge.scores([_with_x(graph, part) for graph, part in zip(graphs, parts, strict=True)]).softmax(dim=1)
        effects.append(float((after - before).abs().sum(dim=1).mean()) / 2)
    return np.array(effects)


def _with_x(graph: Data, x: Tensor) -> Data:
    changed = copy.copy(graph)
    changed.x = x.reshape(graph.x.shape)
    return changed


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
    values, kinds = torch.unique(torch.cat([graph.edge_attr for graph in candidates]), dim=0, return_inverse=True)
    if len(values) < 2:
        return EdgeReading(is_read=False)
    sample = candidates[:num_graphs]
    plain = classifier.embed(sample)
    if _differ(plain, classifier.embed(sample), classifier.resolution):
        return EdgeReading(True, "edge_attr is taken to be read: the model's output is random, so it cannot be told")
    each = torch.split(kinds.cpu(), [graph.num_edges for graph in candidates])
    firsts, places = zip(*map(_undirected_edges, sample), strict=True)
    own = [kinds.numpy()[first] for kinds, first in zip(each, firsts, strict=False)]
    for change in _changes(own, len(values), num_rows):
        changed = [copy.copy(graph) for graph in sample]
        for graph, new, place in zip(changed, change, places, strict=True):  # both directions of an edge alike
            graph.edge_attr = values[torch.from_numpy(new[place]).to(values.device)]
        if _differ(plain, classifier.embed(changed), classifier.resolution):
            return EdgeReading(is_read=True)
    return EdgeReading(is_read=False)


def _changes(kinds: Sequence[Ints], number: int, num_rows: int) -> Iterator[list[Ints]]:
    """Other kinds for the edges of each graph: the next one, another edge's, every one in turn, one for all."""
    yield [(own + 1) % number for own in kinds]
    yield [np.roll(own, 1) for own in kinds]
    ends = np.cumsum([own.size for own in kinds])
    yield [np.arange(end - own.size, end) % number for own, end in zip(kinds, ends, strict=True)]
    for kind in np.unique(np.linspace(0, number - 1, num_rows).round().astype(np.int64)):
        yield [np.full(own.size, kind) for own in kinds]


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
        counts = [len(torch.unique(graph.edge_attr, dim=0)) if graph.num_edges else 0 for graph in graphs]
        ranked.append([graphs[place] for place in np.argsort(-np.array(counts), kind="stable").tolist()])
    most = max(map(len, ranked))
    in_turn = [graphs[place] for place in range(most) for graphs in ranked if place < len(graphs)]
    row = next((graph.edge_attr[:1] for graph in in_turn if graph.num_edges), None)
    # Perhaps a single graph of many has another row.
    if not any(graph.num_edges and bool((graph.edge_attr != row).any()) for graph in in_turn):
        other = _with_other(store[:], row)
        in_turn = in_turn if other is None else [other, *in_turn]
    return in_turn


def _with_other(graphs: CollatedGraphs, row: Tensor | None) -> Data | None:
    """The first graph that has another row."""
    rows = graphs.tensor("edge_attr")
    if rows is None or not len(rows):
        return None
    is_other = torch.ones(len(rows), dtype=torch.bool) if row is None else (rows != row).reshape(len(rows), -1).any(1)
    first = int(is_other.int().argmax())
    place = int(np.searchsorted(graphs.counts.cumsum(), first, side="right"))
    return graphs[place] if bool(is_other.any()) else None


def _undirected_edges(graph: Data) -> tuple[Ints, Ints]:
    """The first of the edges with the same two ends, and for each edge the number of its two ends."""
    ends = np.sort(graph.edge_index.cpu().numpy(), axis=0)
    _, first, place = np.unique(ends[0] * node_count(graph) + ends[1], return_index=True, return_inverse=True)
    return first, place
