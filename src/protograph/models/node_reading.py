"""How a model reads the features of nodes: which columns it looks up, which it does not read, what it makes of rows."""

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch_geometric.data import Data

from protograph._base.arrays import Floats, Ints
from protograph.graphs.cleaning import node_count
from protograph.models.judging import Judge
from protograph.models.running import RunningClassifier
from protograph.models.watching import tensors_in

# Graphs that go through the model at a time.
_BATCH = 256
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


def node_views(
    judge: Judge, graphs: Sequence[Data], places: Sequence[tuple[int, int]], columns: Sequence[int], rows: Floats
) -> Floats:
    """What a model makes of values: its scores for graphs in which a node has them instead of its own.

    Values that give the same scores wherever they are put are the same to the model.

    Args:
        judge: The model.
        graphs: The graphs.
        places: Of each trial the number of the graph and the node there.
        columns: Columns of ``x``.
        rows: Values of these columns, ``[num_rows, num_columns]``.

    Returns:
        ``[num_rows, num_places * num_classes]``: scores less those with the graph's own row, none infinite.
    """
    trials = [_put(graphs[graph], node, columns, row) for row in rows for graph, node in places]
    scores = _log_odds(judge, trials).reshape(len(rows), len(places), -1)
    plain = _log_odds(judge, [graphs[graph] for graph, _ in places])
    views: Floats = (scores - plain[None]).reshape(len(rows), -1)
    return views


def _by_rows(graph: Data) -> Ints:
    rows = graph.x.detach().cpu().double().reshape(node_count(graph), -1).numpy()
    order: Ints = np.lexsort(rows.T[::-1])
    return order


def _log_odds(judge: Judge, graphs: Sequence[Data]) -> Floats:
    scores = torch.cat([judge.scores(graphs[i : i + _BATCH]) for i in range(0, len(graphs), _BATCH)])
    shares = scores.softmax(dim=1).clamp(1e-9, 1 - 1e-9)
    return np.asarray((shares.log() - (1 - shares).log()).numpy())


def _put(graph: Data, node: int, columns: Sequence[int], row: Floats) -> Data:
    x = graph.x.clone().reshape(node_count(graph), -1)
    x[node, list(columns)] = torch.from_numpy(row).to(x)
    return _with_x(graph, x)


def _with_x(graph: Data, x: Tensor) -> Data:
    changed = copy.copy(graph)
    changed.x = x.reshape(graph.x.shape)
    return changed


def spread_places(graphs: Sequence[Data], number: int, seed: int = 0) -> list[tuple[int, int]]:
    """So many nodes of graphs in turn, drawn at random, each once at most; by their rows, not by their numbers."""
    rng = np.random.default_rng(seed)
    orders = [_by_rows(graph)[rng.permutation(node_count(graph))] for graph in graphs]
    most = max(map(len, orders), default=0)
    in_turn = [
        (graph, int(order[turn])) for turn in range(most) for graph, order in enumerate(orders) if turn < len(order)
    ]
    return in_turn[:number]
