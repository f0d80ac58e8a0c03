import pytest
import torch
from torch_geometric.data import Data

from protograph import datasets
from protograph.datasets.catalogue import CATALOGUE, PaperCounts, compare, count, state_of
from protograph.datasets.dataset import GraphDataset


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
    ("paper", "verdict"),
    [
        (PaperCounts(2, 4, 6, "directed"), "equal"),
        (PaperCounts(2, 4, 7, "directed"), "different"),
        (PaperCounts(2, 4, 7, "directed", 0.2, "chance"), "explained"),
        (PaperCounts(2, 4, 7, "directed", 0.1, "chance"), "different"),
        (PaperCounts(3, 4, 6, "directed", 0.9, "chance"), "different"),
    ],
)
def test_verdicts(dataset, paper, verdict):
    assert compare(dataset, paper, quiet).verdict == verdict


def test_every_data_set_is_listed():
    assert tuple(CATALOGUE) == datasets.names()


@pytest.mark.parametrize("name", ["ba-2motifs", "ba-grid", "ba-house"])
def test_listed_numbers_of_generated_sets(name):
    dataset, entry = datasets.load(name), CATALOGUE[name]
    assert (len(dataset), len(dataset.class_names)) == (entry.num_graphs, entry.num_classes)
    if entry.paper is not None:
        assert compare(dataset, entry.paper, quiet).verdict == "explained"


def test_states(tmp_path, no_data_folder, monkeypatch):
    monkeypatch.setenv("PROTOGRAPH_CACHE", str(tmp_path / "cache"))
    states = {name: state_of(entry, None) for name, entry in CATALOGUE.items()}
    assert states["ba-house"] == "generated"
    assert states["solubility"] == "to be downloaded"
    assert states["graph-sst2"] == "not here"
    (tmp_path / "solubility").mkdir()
    (tmp_path / "solubility" / "delaney-processed.csv.gz").touch()
    assert state_of(CATALOGUE["solubility"], tmp_path) == "here"
