import numpy as np
import pytest
import torch

from protograph.training.split import part_sizes, random_split

PAPER = (0.9, 0.05, 0.05)


@pytest.mark.parametrize(
    ("num_graphs", "shares", "sizes"),
    [
        (2000, PAPER, (1800, 100, 100)),
        (4337, PAPER, (3903, 217, 217)),
        (3, PAPER, (1, 1, 1)),
        (10, (0.8, 0.2, 0.0), (8, 2, 0)),
        (2, (0.8, 0.2, 0.0), (1, 1, 0)),
    ],
)
def test_sizes(num_graphs, shares, sizes):
    assert part_sizes(num_graphs, shares) == sizes


def test_each_graph_is_in_one_part():
    split = random_split(97, PAPER, np.random.default_rng(0))
    together = torch.cat([split.train, split.validation, split.test])
    assert torch.equal(together.sort().values, torch.arange(97))
    assert split.train.dtype == torch.long
    assert torch.equal(split.train, split.train.sort().values)


def test_the_seed_decides():
    first, same, other = (random_split(97, PAPER, np.random.default_rng(seed)) for seed in (0, 0, 1))
    assert torch.equal(first.test, same.test)
    assert not torch.equal(first.test, other.test)


def test_too_few_graphs():
    with pytest.raises(
        ValueError,
        match=r"^graphs must be enough that each part of the split \(0.9, 0.05, 0.05\) has one, got 2; "
        r"give more graphs, or another split$",
    ):
        part_sizes(2, PAPER)


@pytest.mark.parametrize(
    "shares", [(0.9, 0.05, 0.06), (0.9, 0.0, 0.1), (1.1, 0.1, -0.2), (0.5, 0.5), (float("nan"), 0.5, 0.5)]
)
def test_impossible_shares(shares):
    with pytest.raises(ValueError, match=r"that sum to 1 \(test may be 0\), got \(.*\)$"):
        part_sizes(100, shares)
