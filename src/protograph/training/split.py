"""Splits into training, validation and test graphs: at random, or as a data set was published."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

PARTS = ("train", "validation", "test")
PAPER_SHARES = (0.9, 0.05, 0.05)
# Where only training and test graphs are published, the paper takes a sixth of the former for validation.
VALIDATION_SHARE = 1 / 6

Shares = tuple[float, float, float]
HowToSplit = Shares | Literal["paper", "published"]


@dataclass(frozen=True, eq=False)
class Split:
    """Indices of the graphs of each part, integer tensors in ascending order."""

    train: Tensor
    validation: Tensor
    test: Tensor


def random_split(num_graphs: int, shares: Shares, rng: np.random.Generator) -> Split:
    """Put each graph in one part, by chance: the shares rounded, at least one graph where a share is not 0.

    >>> random_split(4, (0.5, 0.25, 0.25), np.random.default_rng(0)).train
    tensor([0, 2])
    """
    validation, test = (max(round(num_graphs * share), int(share > 0)) for share in shares[1:])
    train = num_graphs - validation - test
    if train < 1:
        raise ValueError(
            f"graphs must be enough that each part of the split {tuple(shares)} has one, got {num_graphs}; "
            f"give more graphs, or another split"
        )
    order = np.split(rng.permutation(num_graphs), [train, train + validation])
    return Split(*(torch.from_numpy(np.sort(part)) for part in order))


def published_split(splits: Mapping[str, Tensor], rng: np.random.Generator) -> Split:
    """The split that a data set comes with; without validation graphs, a sixth of the training graphs are taken.

    Raises:
        ValueError: If there are no training or test graphs, or too few.

    >>> parts = {"train": torch.arange(6), "test": torch.arange(6, 8)}
    >>> published_split(parts, np.random.default_rng(0))
    Split(train=tensor([0, 2, 3, 4, 5]), validation=tensor([1]), test=tensor([6, 7]))
    """
    missing = _missing(splits)
    if missing:
        raise ValueError(
            f"split='published' wants a data set with published training and test graphs, got none for {missing[0]!r}; "
            f"use shares such as {PAPER_SHARES}"
        )
    train, test = (splits[part].sort().values for part in ("train", "test"))
    if len(splits.get("validation", ())):
        return Split(train, splits["validation"].sort().values, test)
    inner = random_split(len(train), (1 - VALIDATION_SHARE, VALIDATION_SHARE, 0.0), rng)
    return Split(train[inner.train], train[inner.validation], test)


def check_split(split: Any) -> None:
    """Raise ``ValueError`` unless a split is one of the words, or shares that sum to 1, of which the last may be 0.

    >>> check_split((0.8, 0.1, 0.1))
    >>> check_split("given")
    Traceback (most recent call last):
    ValueError: split must be 'paper', 'published' or three shares, got 'given'
    """
    if split in ("paper", "published"):
        return
    if isinstance(split, str):
        raise ValueError(f"split must be 'paper', 'published' or three shares, got {split!r}")
    is_positive = len(split) == len(PARTS) and split[0] > 0 and split[1] > 0 and split[2] >= 0
    if not (is_positive and math.isclose(sum(split), 1.0, abs_tol=1e-6)):
        raise ValueError(
            f"split must be positive shares of {', '.join(PARTS)} that sum to 1 (test may be 0), got {tuple(split)}"
        )


def make_split(how: HowToSplit, graphs: Any, num_graphs: int, rng: np.random.Generator) -> Split:
    """Split graphs by shares, as they were published, or as the paper splits them: either, by what the set says.

    >>> make_split("paper", [], 4, np.random.default_rng(0)).train
    tensor([0, 2])
    """
    splits = getattr(graphs, "splits", {})
    if how == "paper":
        # A part of the data set may have lost its test graphs.
        is_published = getattr(graphs, "paper_split", "random") == "published" and not _missing(splits)
        how = "published" if is_published else PAPER_SHARES
    return published_split(splits, rng) if how == "published" else random_split(num_graphs, how, rng)


def _missing(splits: Mapping[str, Tensor]) -> list[str]:
    """The parts that a published split must have and these have not."""
    return [part for part in ("train", "test") if not len(splits.get(part, ()))]
