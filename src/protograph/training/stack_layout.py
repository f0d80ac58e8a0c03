"""Where the weights of many models of the same padded widths stand in one tensor."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from torch import Tensor

from protograph.training.gcn import GCN

# Numbers in the widest register of a CPU; what begins at multiples of it is computed alike wherever it stands.
REGISTER = 16


class StackWeights(NamedTuple):
    """Weights of all models of a stack, as views of one tensor.

    Attributes:
        first: Of the first convolution, ``[num_features, num_models, width]``: all models have the same input, and one
            product does for all.
        convs: Of each other convolution, ``[num_models, width_in, width_out]``.
        biases: Of each convolution, ``[num_models, width]``.
        head: Shape ``[num_models, width, num_classes]``.
        head_bias: Shape ``[num_models, num_classes]``.
    """

    first: Tensor
    convs: Sequence[Tensor]
    biases: Sequence[Tensor]
    head: Tensor
    head_bias: Tensor

    @property
    def by_model(self) -> tuple[Tensor, ...]:
        """All weights with the models first: convolutions, biases, head, its bias."""
        return (self.first.transpose(0, 1), *self.convs, *self.biases, self.head, self.head_bias)


@dataclass(frozen=True)
class StackLayout:
    """The shapes that all models of a stack are padded to.

    What is padded is zero and stays zero: a unit without weights is 0 before and after its ReLU, so nothing flows
    through it, forwards or backwards, and Adam leaves a weight alone whose gradient was always 0.

    Attributes:
        num_features: Columns of ``x``.
        widths: Padded width of each convolution.
        num_classes: Columns of the output.
    """

    num_features: int
    widths: tuple[int, ...]
    num_classes: int

    def weights(self, values: Tensor, num_models: int) -> StackWeights:
        """The weights as views of the values."""
        views, start = [], 0
        for shape in self._shapes(num_models):
            size = math.prod(shape)
            views.append(values[start : start + size].view(shape))
            start += rounded_up(size)
        depth = len(self.widths)
        return StackWeights(views[0], views[1:depth], views[depth : 2 * depth], views[-2], views[-1])

    def values_of(self, models: Sequence[GCN]) -> Tensor:
        """The weights of models that are no wider, padded with zeros."""
        values = self._zeros(models[0].head.weight.detach(), len(models))
        weights = self.weights(values, len(models)).by_model
        for number, model in enumerate(models):
            for view, weight in _pairs([each[number] for each in weights], model):
                view.copy_(weight)
        return values

    def load_into(self, model: GCN, values: Tensor, num_models: int, number: int) -> None:
        """Give a model its weights back, from its place among the values."""
        for view, weight in _pairs([each[number] for each in self.weights(values, num_models).by_model], model):
            weight.copy_(view)

    def rows(self, values: Tensor, num_models: int, rows: Sequence[int]) -> Tensor:
        """The values of these models only."""
        chosen = self._zeros(values, len(rows))
        self.copy(values, num_models, rows, chosen, len(rows), range(len(rows)))
        return chosen

    def copy(
        self,
        values: Tensor,
        num_models: int,
        rows: Sequence[int],
        to_values: Tensor,
        to_num_models: int,
        to_rows: Sequence[int],
    ) -> None:
        """Write these models' values to the places of those others."""
        weights, to_weights = self.weights(values, num_models), self.weights(to_values, to_num_models)
        for given, taken in zip(weights.by_model, to_weights.by_model, strict=True):
            taken[list(to_rows)] = given[list(rows)]

    def _shapes(self, num_models: int) -> list[tuple[int, ...]]:
        convs = [(num_models, *pair) for pair in zip(self.widths, self.widths[1:], strict=False)]
        biases = [(num_models, width) for width in self.widths]
        head = [(num_models, self.widths[-1], self.num_classes), (num_models, self.num_classes)]
        return [(self.num_features, num_models, self.widths[0]), *convs, *biases, *head]

    def _zeros(self, like: Tensor, num_models: int) -> Tensor:
        return like.new_zeros(sum(rounded_up(math.prod(shape)) for shape in self._shapes(num_models)))


def _pairs(padded: Sequence[Tensor], model: GCN) -> list[tuple[Tensor, Tensor]]:
    """Of each padded weight of a model the part that is not padding, with the parameter that it is of."""
    convs = [conv.get_parameter("lin.weight").detach().T for conv in model.convs]
    biases = [conv.get_parameter("bias").detach() for conv in model.convs]
    of_model = [*convs, *biases, model.head.weight.detach().T, model.head.bias.detach()]
    return [
        (view[tuple(slice(size) for size in weight.shape)], weight)
        for view, weight in zip(padded, of_model, strict=True)
    ]


def rounded_up(size: int, step: int = REGISTER) -> int:
    """The least multiple of a step that is no less.

    >>> rounded_up(16), rounded_up(17)
    (16, 32)
    """
    return -(-size // step) * step


def padded_width(width: int, least: int = REGISTER) -> int:
    """The width that a convolution is padded to: a power of 2, so that models of many widths are few stacks.

    >>> [padded_width(width) for width in (4, 16, 17, 64)]
    [16, 16, 32, 64]
    """
    return max(least, 1 << (width - 1).bit_length())
