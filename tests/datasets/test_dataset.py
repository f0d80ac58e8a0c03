from dataclasses import replace

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from protograph.datasets.dataset import GraphDataset, LazyGraphs


@pytest.fixture
def dataset():
    graphs = [Data(x=torch.full((2, 1), float(i)), y=torch.tensor([i % 2])) for i in range(5)]
    return GraphDataset(
        graphs=graphs,
        name="mine",
        class_names=("even", "odd"),
        feature_names=("number",),
        colors=("#000000",),
        ground_truths={1: (graphs[1],)},
        hidden=(4,),
    )


def numbers(graphs):
    return [int(graph.x[0, 0]) for graph in graphs]


@pytest.mark.parametrize("index", [3, -2, np.int64(3), torch.tensor(3), np.array(3)])
def test_an_integer_gives_a_graph(dataset, index):
    assert dataset[index] is dataset.graphs[3]


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (slice(1, None, 2), [1, 3]),
        ([4, 0, -1], [4, 0, 4]),
        ((2,), [2]),
        ([], []),
        (range(2), [0, 1]),
        (np.array([1, 1]), [1, 1]),
        (torch.tensor([3]), [3]),
        (torch.tensor([], dtype=torch.long), []),
        (torch.tensor([True, False, False, True, False]), [0, 3]),
        ([False, True, False, False, False], [1]),
    ],
)
def test_other_indices_give_a_data_set_with_the_same_facts(dataset, index, expected):
    part = dataset[index]
    assert isinstance(part, GraphDataset)
    assert numbers(part) == expected
    assert part.class_names == dataset.class_names
    assert part.colors == dataset.colors
    assert part.ground_truths is dataset.ground_truths
    assert part.hidden == (4,)


def test_repr_tells_name_size_and_classes(dataset):
    assert repr(dataset) == "GraphDataset('mine', 5 graphs: 3 even, 2 odd)"
    assert repr(dataset[:0]) == "GraphDataset('mine', 0 graphs: 0 even, 0 odd)"


def test_one_colour_a_feature():
    with pytest.raises(ValueError, match=r"one colour for each of the 2 feature names, got 1$"):
        GraphDataset(graphs=[], name="x", class_names=(), feature_names=("a", "b"), colors=("#000000",))


def test_names_of_values_are_read_and_checked():
    graphs = [Data(x=torch.tensor([[6], [8]]), y=torch.tensor([label])) for label in (0, 1)]
    dataset = GraphDataset(graphs=graphs, name="mine", feature_names={6: "C", 8: "O"}, colors=("black", "red"))
    assert (dataset.feature_names, dataset.feature_values) == (("column 0",), {0: {6: "C", 8: "O"}})
    assert dataset[1:].feature_values == dataset.feature_values
    assert repr(dataset) == "GraphDataset('mine', 2 graphs: 1 of class 0, 1 of class 1)"
    with pytest.raises(
        ValueError, match=r"^edge_names must be left out where graphs have no edge_attr, got 1 \(bond\)$"
    ):
        replace(dataset, edge_names=("bond",))
    with pytest.raises(TypeError, match=r"^class_names must be a list of names, got 'no'$"):
        replace(dataset, class_names="no")
    message = r"^class_names must have a name for each class, got 1 \(no\) where a graph has the label 1$"
    with pytest.raises(ValueError, match=message):
        replace(dataset, class_names=("no",))


def test_a_selection_knows_where_its_graphs_came_from(dataset):
    chosen = dataset[::-1][[0, 2]]
    last = len(dataset) - 1
    assert [chosen.origins[n].position for n in range(2)] == [last, last - 2]
    assert replace(chosen, graphs=[dataset[0]]).origins[0].position == 0


def test_a_selection_keeps_the_split_of_its_graphs(dataset):
    whole = replace(dataset, splits={"train": torch.tensor([0, 1, 3]), "test": torch.tensor([2, 4])})

    def parts(index):
        return {part: numbers(chosen[places]) for chosen in [whole[index]] for part, places in chosen.splits.items()}

    assert parts(slice(1, 4)) == {"train": [1, 3], "test": [2]}
    assert parts([-1, 0, 3]) == {"train": [0, 3], "test": [4]}
    assert parts(whole.labels == 1) == {"train": [1, 3], "test": []}
    assert parts([]) == {"train": [], "test": []}
    assert dataset[:2].splits == {}


def test_a_split_must_name_graphs(dataset):
    with pytest.raises(ValueError, match=r"^splits must have positions in \[0, 5\), got 0 to 5 in 'test'$"):
        replace(dataset, splits={"train": torch.tensor([1]), "test": torch.tensor([0, 5])})


LABELS = torch.tensor([0, 1, 1, 0, 1])
made = []


def make(position):
    made.append(position)
    return Data(x=torch.full((1, 1), float(position)), y=LABELS[position : position + 1])


@pytest.fixture(autouse=True)
def lazy():
    made.clear()
    return LazyGraphs(make, LABELS)


@pytest.fixture
def lazy_dataset(lazy):
    return GraphDataset(
        graphs=lazy,
        name="mine",
        class_names=("a", "b"),
        splits={"train": torch.arange(3), "test": torch.arange(3, 5)},
    )


def test_a_graph_is_made_when_asked_for_and_anew_each_time(lazy):
    assert len(lazy) == 5
    assert made == []
    first = lazy[1]
    first.x += 7
    assert lazy[1].x.tolist() == [[1.0]]
    assert made == [1, 1]


def test_data_set_stays_lazy(lazy_dataset):
    train = lazy_dataset[lazy_dataset.splits["train"]]
    part = train[train.labels == 1]
    assert isinstance(part.graphs, LazyGraphs)
    assert part.labels.tolist() == [1, 1]
    assert repr(lazy_dataset[::-2]) == "GraphDataset('mine', 3 graphs: 1 a, 2 b)"
    assert {name: index.tolist() for name, index in lazy_dataset[[-1, 0]].splits.items()} == {"train": [1], "test": [0]}
    assert made == []
    assert numbers(part) == [1, 2]
    assert made == [1, 2]
