"""Random split into training, validation and test graphs."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

PARTS = ("train", "validation", "test")


@dataclass(frozen=True, eq=False)
class Split:
    """Indices of the graphs of each part, integer tensors in ascending order."""

    train: Tensor
    validation: Tensor
    test: Tensor


def part_sizes(num_graphs: int, shares: tuple[float, float, float]) -> tuple[int, int, int]:
    """Sizes of the three parts: the shares rounded, at least one graph where a share is not 0.

    >>> part_sizes(2000, (0.9, 0.05, 0.05))
    (1800, 100, 100)
    >>> part_sizes(4, (0.9, 0.05, 0.05))
    (2, 1, 1)
    """
    check_shares(shares)
    validation, test = (max(round(num_graphs * share), int(share > 0)) for share in shares[1:])
    train = num_graphs - validation - test
    if train < 1:
        raise ValueError(
            f"graphs must be enough that each part of the split {tuple(shares)} has one, got {num_graphs}; "
            f"give more graphs, or another split"
        )
    return train, validation, test


def check_shares(shares: tuple[float, float, float]) -> None:
    """Raise ``ValueError`` unless the shares sum to 1 and only the test share may be 0.

    >>> check_shares((0.8, 0.1, 0.1))
    """
    positive = len(shares) == len(PARTS) and shares[0] > 0 and shares[1] > 0 and shares[2] >= 0
    if not (positive and math.isclose(sum(shares), 1.0, abs_tol=1e-6)):
        raise ValueError(
            f"split must be positive shares of {', '.join(PARTS)} that sum to 1 (test may be 0), got {tuple(shares)}"
        )


def random_split(num_graphs: int, shares: tuple[float, float, float], rng: np.random.Generator) -> Split:
    """Put each graph in one part, by chance.

    >>> random_split(4, (0.5, 0.25, 0.25), np.random.default_rng(0)).train
    tensor([0, 2])
    """
    train, validation, _ = part_sizes(num_graphs, shares)
    order = np.split(rng.permutation(num_graphs), [train, train + validation])
    return Split(*(torch.from_numpy(np.sort(part)) for part in order))
