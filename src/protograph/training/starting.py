"""What a training starts from: seeds, classes, names, and a model with its first weights."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from protograph._base.randomness import preserved_random_state
from protograph.training.gcn import GCN

MOST_CLASSES = 1000


class Seeds(NamedTuple):
    """Seeds of the three things that chance decides."""

    split: int
    weights: int
    order: int


def seeds_of(random_state: int) -> Seeds:
    """Seeds that have nothing to do with each other, from one.

    >>> seeds_of(0)
    Seeds(split=2968811710, weights=3677149159, order=745650761)
    """
    return Seeds(*np.random.SeedSequence(random_state).generate_state(3).tolist())


def num_classes_of(labels: Tensor) -> int:
    """How many classes the labels number.

    >>> num_classes_of(torch.tensor([0, 2, 0, 2]))
    3
    """
    classes: list[int] = sorted(set(labels.tolist()))
    if len(classes) < 2:
        raise ValueError(f"graphs must have at least 2 classes, got only class {classes[0]}")
    if classes[-1] >= max(MOST_CLASSES, len(labels)):
        raise ValueError(f"labels must number the classes 0, 1, ..., got {classes[-1]} for {len(labels)} graphs")
    return classes[-1] + 1


def seeded_gcn(graphs: object, num_features: int, num_classes: int, hidden: Sequence[int], seed: int) -> GCN:
    """A model with its first weights, and with the names that a data set has for its features and classes."""
    # Not torch.manual_seed: that would start the CUDA generators too.
    with preserved_random_state():
        torch.default_generator.manual_seed(seed)
        model = GCN(num_features, num_classes, hidden)
    model.feature_names = _names(graphs, "feature_names", num_features)
    model.class_names = _names(graphs, "class_names", num_classes)
    return model


def _names(graphs: object, attribute: str, count: int) -> tuple[str, ...]:
    names = getattr(graphs, attribute, ())
    return tuple(map(str, names)) if isinstance(names, tuple | list) and len(names) == count else ()
