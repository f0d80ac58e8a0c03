"""What a graph of each class counts in the loss."""

from collections.abc import Sequence
from typing import Any, Literal

import torch
from torch import Tensor

from protograph._base.options import check_number

ClassWeights = Literal["balanced"] | Sequence[float]


def check_class_weights(class_weights: Any) -> None:
    """Raise unless weights are ``None``, ``"balanced"`` or numbers above 0.

    >>> check_class_weights("even")
    Traceback (most recent call last):
    ...
    ValueError: class_weights must be 'balanced' or a number for each class, got 'even'
    """
    if class_weights is None or class_weights == "balanced":
        return
    if isinstance(class_weights, str) or not hasattr(class_weights, "__iter__"):
        raise ValueError(f"class_weights must be 'balanced' or a number for each class, got {class_weights!r}")
    for number, weight in enumerate(class_weights):
        check_number(f"class_weights[{number}]", weight, above=0)


def weight_of_each(class_weights: ClassWeights | None, labels: Tensor, num_classes: int) -> Tensor | None:
    """The weight of each class as the loss takes it; ``None`` where all graphs count alike.

    Args:
        class_weights: As of :func:`protograph.train`.
        labels: Classes of the training graphs.
        num_classes: How many classes there are. One without training graphs cannot be balanced, and weighs 1.

    >>> weight_of_each("balanced", torch.tensor([0, 0, 0, 1]), 2)
    tensor([0.6667, 2.0000])
    """
    if class_weights is None:
        return None
    if class_weights != "balanced":
        if len(class_weights) != num_classes:
            raise ValueError(
                f"class_weights must be a number for each of the {num_classes} classes, got {len(class_weights)}"
            )
        return torch.tensor([float(weight) for weight in class_weights], device=labels.device)
    counts = torch.bincount(labels, minlength=num_classes).float()
    present = counts > 0
    return torch.where(present, len(labels) / (present.sum() * counts.clamp(min=1)), 1.0)
