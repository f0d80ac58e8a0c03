import pickle

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from protograph.datasets import GraphDataset
from protograph.datasets.lazy import LazyGraphs

LABELS = torch.tensor([0, 1, 1, 0, 1])
made = []


def make(position):
    made.append(position)
    return Data(x=torch.full((1, 1), float(position)), y=LABELS[position : position + 1])


@pytest.fixture(autouse=True)
def graphs():
    made.clear()
    return LazyGraphs(make, LABELS)


@pytest.fixture
def dataset(graphs):
    return GraphDataset(
        graphs=graphs,
        name="mine",
        class_names=("a", "b"),
        splits={"train": torch.arange(3), "test": torch.arange(3, 5)},
    )


def numbers(graphs):
    return [int(graph.x) for graph in graphs]


def test_a_graph_is_made_when_asked_for_and_anew_each_time(graphs):
    assert len(graphs) == 5
    assert made == []
    first = graphs[1]
    first.x += 7
    assert graphs[1].x.tolist() == [[1.0]]
    assert made == [1, 1]


@pytest.mark.parametrize(("index", "expected"), [(0, 0), (4, 4), (-1, 4), (-5, 0), (np.int64(2), 2)])
def test_index(graphs, index, expected):
    assert int(graphs[index].x) == expected


@pytest.mark.parametrize("index", [5, -6])
def test_index_out_of_range(graphs, index):
    with pytest.raises(IndexError, match=rf"^index {index} is out of bounds for axis 0 with size 5$"):
        graphs[index]


def test_selection_of_a_selection(graphs):
    part = graphs[np.array([4, 0, 3, 0])]
    assert numbers(part) == [4, 0, 3, 0]
    assert part.labels.tolist() == [1, 0, 0, 0]
    assert numbers(part[np.array([2, 0])]) == [3, 4]
    assert numbers(part[1:][::-1]) == [0, 3, 0]
    assert len(graphs[np.array([], dtype=int)]) == 0


def test_data_set_stays_lazy(dataset):
    train = dataset[dataset.splits["train"]]
    part = train[train.labels == 1]
    assert isinstance(part.graphs, LazyGraphs)
    assert part.labels.tolist() == [1, 1]
    assert repr(dataset[::-2]) == "GraphDataset('mine', 3 graphs: 1 a, 2 b)"
    assert {name: index.tolist() for name, index in dataset[[-1, 0]].splits.items()} == {"train": [1], "test": [0]}
    assert made == []
    assert numbers(part) == [1, 2]
    assert made == [1, 2]


def test_data_set_with_lazy_graphs_is_a_sequence(dataset):
    assert numbers(dataset) == [0, 1, 2, 3, 4]
    assert numbers(reversed(dataset)) == [4, 3, 2, 1, 0]
    assert int(dataset[torch.tensor(-2)].x) == 3
    with pytest.raises(IndexError, match=r"^index 5 is out of bounds for axis 0 with size 5$"):
        dataset[[0, 5]]


def test_labels_may_be_changed_by_who_asked(dataset):
    dataset.labels.fill_(9)
    assert dataset.labels.tolist() == LABELS.tolist()


def test_it_can_be_pickled(dataset):
    again = pickle.loads(pickle.dumps(dataset[1:3]))
    assert numbers(again) == [1, 2]
    assert isinstance(again.graphs, LazyGraphs)
