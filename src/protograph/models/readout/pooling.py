"""Which rows of a tensor stand for which nodes, followed through a call of a model.

A model that pools hierarchically picks nodes, ``batch[perm]`` being ``batch`` for those that are left, or puts several
together, ``scatter(0, cluster, batch)``. Whoever sees these operations knows which they are, whatever layer does it.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

_COPIES = frozenset({"clone", "to", "int", "long", "contiguous"})
_SCATTERS = frozenset({"scatter", "scatter_"})
# A single graph's nodes are all of graph 0.
_ZEROS = frozenset({"zeros", "new_zeros", "zeros_like"})
# Operations that make an index of rows out of another, or out of nothing.
_FOLLOWED = _COPIES | _SCATTERS | _ZEROS | {"__getitem__", "index_select", "cat"}


@dataclass(frozen=True, eq=False)
class Level:
    """The nodes that are left at some point of a model.

    Attributes:
        index: The graph of each row; kept, so that its memory is not used again meanwhile.
        row_of: The row of each node of the graphs, -1 where it is gone; ``None`` where each has its own.
        is_selection: Whether no node has several rows, as it has in an index of edges.
    """

    index: Tensor
    row_of: Tensor | None = None
    is_selection: bool = True

    @property
    def num_rows(self) -> int:
        """Number of rows."""
        return self.index.numel()

    @property
    def is_pooled(self) -> bool:
        """Whether nodes are gone or share a row; rows may be added, too."""
        if self.row_of is None:
            return False
        own = torch.arange(self.row_of.numel(), device=self.row_of.device)
        return not torch.equal(self.row_of, own)

    def followed(self, index: Tensor, new_row: Tensor, *, is_selection: bool = True) -> "Level":
        """The level of an index made of this one's; ``new_row`` has the row of each row, -1 where it is gone."""
        if self.row_of is not None:
            new_row = torch.cat([new_row, new_row.new_full((1,), -1)])[self.row_of]  # the last is for -1
        return Level(index, new_row, self.is_selection and is_selection)

    def of_nodes(self, rows: Tensor) -> Tensor:
        """The rows put back to the nodes that they stand for, an equal share to each; zeros where a node is gone."""
        if self.row_of is None:
            return rows
        place = self.row_of.clamp(min=0)
        shared = rows[place] / beside(self._num_nodes(rows.dtype)[place], rows)
        return shared.masked_fill(beside(self.row_of < 0, rows), 0)

    def of_rows(self, nodes: Tensor) -> Tensor:
        """An entry a node, as an entry a row: the mean of its nodes'; 1 for rows that stand for none."""
        if self.row_of is None:
            return nodes
        nodes = nodes if nodes.is_floating_point() else nodes.double()
        left, num_nodes = self.row_of >= 0, self._num_nodes(nodes.dtype)
        sums = nodes.new_zeros(self.num_rows).index_add(0, self.row_of[left], nodes[left])
        return torch.where(num_nodes > 0, sums / num_nodes.clamp(min=1), 1.0)

    def _num_nodes(self, dtype: torch.dtype) -> Tensor:
        assert self.row_of is not None
        return torch.bincount(self.row_of[self.row_of >= 0], minlength=self.num_rows).to(dtype)


def beside(entries: Tensor, rows: Tensor) -> Tensor:
    """An entry a row, in the shape that goes with the rows."""
    return entries.view(-1, *[1] * (rows.dim() - 1))


class NodeRows:
    """The levels of one call of a model, by their indices.

    Args:
        batch: Which graph each node is of.
        is_one_graph: Whether there is one graph, whose model may make an index of zeros itself.
    """

    def __init__(self, batch: Tensor, *, is_one_graph: bool = False) -> None:
        self._batch, self._is_one_graph = batch, is_one_graph
        self._levels = {_memory(batch): Level(batch)}

    def level(self, index: Any) -> Level | None:
        """The level that a tensor is the index of, itself or spread over columns; ``None`` for any other.

        The same memory counts, since equal numbers may be chance: a convolution over graphs of one node each, with
        self-loops, has the same numbers as ``batch``.
        """
        if not isinstance(index, Tensor) or index.dim() == 0 or index.is_floating_point():
            return None
        level = self._levels.get(_memory(index))
        return level if level is not None and index.size(0) == level.num_rows else None

    def follow(self, name: str, args: Any, kwargs: dict[str, Any], result: Any) -> None:
        """Take notice of an operation that may have made an index out of another."""
        if name not in _FOLLOWED or not isinstance(result, Tensor) or result.dim() != 1 or not result.numel():
            return
        if result.is_floating_point() or result.dtype == torch.bool or _memory(result) in self._levels:
            return
        level = self._made(name, args, kwargs, result)
        if level is not None:
            self._levels[_memory(result)] = level

    def _made(self, name: str, args: Any, kwargs: dict[str, Any], result: Tensor) -> Level | None:
        if name in _ZEROS:
            is_own = self._is_one_graph and result.numel() == self._batch.numel()
            return Level(result) if is_own else None
        if name in _SCATTERS:  # nodes of a cluster are put together
            level = self.level(args[3] if len(args) > 3 else kwargs.get("src"))
            cluster = args[2] if len(args) > 2 else kwargs.get("index")
            if level is None or not isinstance(cluster, Tensor) or cluster.numel() != level.num_rows:
                return None
            return level.followed(result, cluster)
        source = args[0] if args else kwargs.get("tensors")
        level = self.level(source[0] if name == "cat" and source else source)
        if level is None or name in _COPIES or name == "cat":
            # The further rows that were put below stand for no node: a virtual one, say.
            return None if level is None else level.followed(result, torch.arange(level.num_rows, device=result.device))
        key = args[-1] if name == "__getitem__" else kwargs.get("index", args[-1])
        picked = torch.arange(level.num_rows, device=result.device)[key]
        new_row = picked.new_full((level.num_rows,), -1)
        new_row[picked] = torch.arange(picked.numel(), device=result.device)
        return level.followed(result, new_row, is_selection=int(torch.bincount(picked).max()) == 1)


def _memory(tensor: Tensor) -> int:
    try:
        return tensor.untyped_storage().data_ptr()
    except RuntimeError:  # a wrapper, as PyG's EdgeIndex is, has no memory of its own
        return -1 - id(tensor)
