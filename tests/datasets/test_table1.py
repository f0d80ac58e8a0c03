import pytest
import torch
from torch_geometric.data import Data

from protograph import datasets
from protograph.datasets.dataset import GraphDataset
from protograph.datasets.registry import SPECS
from protograph.datasets.spec import PaperCounts
from protograph.datasets.table1 import count, verdict


def quiet(stage, done, total):
    """Say nothing."""


@pytest.fixture
def dataset():
    """Two joined nodes twice; the second has a self-loop too."""
    pair = torch.tensor([[0, 1], [1, 0]])
    edges = [pair, torch.cat([pair, torch.tensor([[0, 1], [0, 1]])], dim=1)]
    graphs = [Data(edge_index=edge_index, num_nodes=2, y=torch.tensor([0])) for edge_index in edges]
    splits = {"train": torch.tensor([1]), "test": torch.tensor([0])}
    return GraphDataset(graphs=graphs, name="mine", class_names=("a", "b"), splits=splits)


@pytest.mark.parametrize(
    ("counting", "edges"), [("directed", 6), ("undirected", 3), ("undirected, training graphs only", 2)]
)
def test_edges_as_the_paper_counts_them(dataset, counting, edges):
    assert count(dataset, counting, quiet) == (2, 4, edges)


@pytest.mark.parametrize(
    ("paper", "wanted"),
    [
        (PaperCounts(2, 4, 6, "directed"), "equal"),
        (PaperCounts(2, 4, 7, "directed"), "different"),
        (PaperCounts(2, 4, 7, "directed", 0.2, "chance"), "explained"),
        (PaperCounts(2, 4, 7, "directed", 0.1, "chance"), "different"),
        (PaperCounts(3, 4, 6, "directed", 0.9, "chance"), "different"),
    ],
)
def test_verdicts(paper, wanted):
    assert verdict((2, 4, 6), paper) == wanted


@pytest.mark.parametrize("name", ["ba-grid", "ba-house"])
def test_generated_sets_differ_by_what_is_explained(name):
    paper = SPECS[name].paper
    assert verdict(count(datasets.load(name), paper.counting, quiet), paper) == "explained"
