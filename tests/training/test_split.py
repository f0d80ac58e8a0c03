import numpy as np
import pytest
import torch

from protograph.training.split import check_split, make_split, published_split, random_split

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
    split = random_split(num_graphs, shares, np.random.default_rng(0))
    assert (len(split.train), len(split.validation), len(split.test)) == sizes


def test_each_graph_is_in_one_part():
    split = random_split(97, PAPER, np.random.default_rng(0))
    every = torch.cat([split.train, split.validation, split.test])
    assert torch.equal(every.sort().values, torch.arange(97))
    assert split.train.dtype == torch.long
    assert torch.equal(split.train, split.train.sort().values)


def test_too_few_graphs():
    with pytest.raises(
        ValueError, match=r"^graphs must be enough that .* \(0.9, 0.05, 0.05\) has one, got 2; give more"
    ):
        random_split(2, PAPER, np.random.default_rng(0))


@pytest.mark.parametrize(
    "shares", [(0.9, 0.05, 0.06), (0.9, 0.0, 0.1), (1.1, 0.1, -0.2), (0.5, 0.5), (float("nan"), 0.5, 0.5)]
)
def test_impossible_shares(shares):
    with pytest.raises(ValueError, match=r"split must be positive shares .* that sum to 1 .*, got \("):
        check_split(shares)


class Published(list):
    def __init__(self, splits, paper_split):
        super().__init__(range(12))
        self.splits, self.paper_split = splits, paper_split


PARTS = {"train": torch.tensor([9, 0, 2, 4, 6, 8, 10]), "test": torch.tensor([3, 1])}


def test_published_split_keeps_test_graphs_and_takes_a_sixth_for_validation():
    parts = {"train": torch.arange(60).flip(0), "test": torch.arange(60, 70)}
    split = published_split(parts, np.random.default_rng(3))
    assert torch.equal(split.test, torch.arange(60, 70))
    assert (len(split.train), len(split.validation)) == (50, 10)
    assert torch.equal(torch.cat([split.train, split.validation]).sort().values, torch.arange(60))
    assert torch.equal(split.train, split.train.sort().values)


def test_published_validation_graphs_are_kept():
    split = published_split(PARTS | {"validation": torch.tensor([7, 5])}, np.random.default_rng(0))
    assert [part.tolist() for part in (split.train, split.validation, split.test)] == [
        [0, 2, 4, 6, 8, 9, 10], [5, 7], [1, 3],
    ]  # fmt: skip


@pytest.mark.parametrize(("how", "paper_split"), [("paper", "published"), ("published", "random")])
def test_published_split_where_the_paper_or_the_caller_wants_it(how, paper_split):
    split = make_split(how, Published(PARTS, paper_split), 12, np.random.default_rng(0))
    assert split.test.tolist() == [1, 3]


@pytest.mark.parametrize(
    "graphs",
    [
        Published(PARTS, "random"),
        Published({"train": torch.arange(12), "test": torch.arange(0)}, "published"),  # a part without test graphs
    ],
)
def test_random_split_where_the_paper_wants_it_or_nothing_else_can_be(graphs):
    split = make_split("paper", graphs, 12, np.random.default_rng(0))
    expected = random_split(12, PAPER, np.random.default_rng(0))
    assert torch.equal(split.test, expected.test)
    assert torch.equal(split.train, expected.train)


def test_nothing_published():
    with pytest.raises(ValueError, match=r"^split='published' wants .* got none for 'train'; use shares"):
        make_split("published", [1, 2, 3], 3, np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"got none for 'test'"):
        published_split({"train": torch.arange(3), "test": torch.arange(0)}, np.random.default_rng(0))
