"""Memory that a stack of models computes in, made once.

At every step anew, PyTorch would ask the system for megabytes, which must be cleared first, and make some fifty views;
for small graphs either takes as long as computing.
"""

from collections.abc import Sequence
from typing import NamedTuple

from torch import Tensor

# Rows are rounded up to a multiple of this, so that mini-batches have few sizes.
ROWS = 32


class Both(NamedTuple):
    """A matrix as it stands and model by model.

    Attributes:
        whole: Shape ``[num_rows, num_models * width]``.
        models: Shape ``[num_models, num_rows, width]``.
        transposed: Shape ``[num_models, width, num_rows]``.
    """

    whole: Tensor
    models: Tensor
    transposed: Tensor


class Room(NamedTuple):
    """Matrices of one size of mini-batch; the letters are those of :mod:`protograph.training.stack`.

    Attributes:
        h: After each layer.
        p: Before each layer but the first: what goes into its product with the weights.
        d: Gradient after each layer; all are the same memory.
        pooled: Of each graph.
        d_pooled: Gradient of ``pooled``.
    """

    h: Sequence[Both]
    p: Sequence[Both]
    d: Sequence[Both]
    pooled: Both
    d_pooled: Both


class StackMemory:
    """Rooms of the sizes that were asked for, all in the same memory.

    Args:
        widths: Padded width of each layer.
        num_models: How many models stand side by side.
        like: A tensor of the type and on the device to compute in.
    """

    def __init__(self, widths: Sequence[int], num_models: int, like: Tensor) -> None:
        self._widths, self._num_models, self._like = widths, num_models, like
        self._most_rows = self._most_graphs = 0
        self._blocks: dict[str, Tensor] = {}
        self._rooms: dict[tuple[int, int], Room] = {}

    def room(self, num_rows: int, num_graphs: int) -> Room:
        """Matrices for so many nodes and graphs, with what was last written there still in them."""
        found = self._rooms.get((num_rows, num_graphs))
        if found is None:
            if num_rows > self._most_rows or num_graphs > self._most_graphs:
                self._grow(num_rows, num_graphs)
            found = self._rooms[num_rows, num_graphs] = self._new_room(num_rows, num_graphs)
        return found

    def _grow(self, num_rows: int, num_graphs: int) -> None:
        # A quarter more, so that a slightly larger mini-batch finds room too.
        self._most_rows = max(self._most_rows, num_rows + num_rows // 4)
        self._most_graphs = max(self._most_graphs, num_graphs)
        widths = {f"h{number}": width for number, width in enumerate(self._widths)}
        widths |= {f"p{number}": width for number, width in enumerate(self._widths[:-1])}
        widths["d"] = max(self._widths)
        sizes = {name: self._most_rows * width for name, width in widths.items()}
        sizes |= dict.fromkeys(("pooled", "d_pooled"), self._most_graphs * self._widths[-1])
        self._blocks = {name: self._like.new_empty(size * self._num_models) for name, size in sizes.items()}
        self._rooms.clear()

    def _new_room(self, num_rows: int, num_graphs: int) -> Room:
        def both(name: str, rows: int, width: int) -> Both:
            whole = self._blocks[name][: rows * width * self._num_models].view(rows, -1)
            models = whole.view(rows, self._num_models, width).transpose(0, 1)
            return Both(whole, models, models.transpose(1, 2))

        return Room(
            h=[both(f"h{number}", num_rows, width) for number, width in enumerate(self._widths)],
            p=[both(f"p{number}", num_rows, width) for number, width in enumerate(self._widths[:-1])],
            d=[both("d", num_rows, width) for width in self._widths],
            pooled=both("pooled", num_graphs, self._widths[-1]),
            d_pooled=both("d_pooled", num_graphs, self._widths[-1]),
        )
