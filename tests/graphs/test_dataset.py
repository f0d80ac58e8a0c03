"""Whatever graphs come in, they are validated once, made simple and laid end to end, and come back as they were."""

import pickle

import numpy as np
import pytest
import torch
from torch.utils.data import Subset
from torch_geometric.data import Batch, Data, InMemoryDataset, OnDiskDataset
from torch_geometric.loader import DataLoader

from protograph.graphs import dataset
from protograph.graphs.dataset import GraphStore, collate
from tests import zoo

GRAPHS = zoo.random_graphs(11)
EDGES = torch.tensor([[0, 1], [1, 0]])


class Collated(InMemoryDataset):
    def __init__(self, graphs):
        super().__init__()
        self.data, self.slices = self.collate(graphs)


def on_disk(folder):
    found = OnDiskDataset(str(folder))
    found.extend(GRAPHS)
    return found


def files(folder):
    torch.save(GRAPHS[:5], folder / "part1.pt")
    torch.save(InMemoryDataset.collate(GRAPHS[5:]), folder / "part2.pt")
    return str(folder)


class ByIndex:
    """No list: it has a length and gives graphs by index."""

    def __len__(self):
        return len(GRAPHS)

    def __getitem__(self, index):
        return GRAPHS[index]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """What is read block by block, and joined, has to be what it is in one: all other tests have one block."""
    monkeypatch.setattr(dataset, "BLOCK", 2)
    monkeypatch.setattr(dataset, "MOST_PARTS", 2)


SOURCES = {
    "list": lambda folder: GRAPHS,
    "tuple": lambda folder: tuple(GRAPHS),
    "by index": lambda folder: ByIndex(),
    "generator": lambda folder: (graph for graph in GRAPHS),
    "loader of batches": lambda folder: DataLoader(GRAPHS, batch_size=4),
    "InMemoryDataset": lambda folder: Collated(GRAPHS),
    "selection of it": lambda folder: Collated(GRAPHS[::-1])[list(range(10, -1, -1))],
    "Subset": lambda folder: Subset([GRAPHS[0], *GRAPHS], range(1, 12)),
    "OnDiskDataset": on_disk,
    "folder": files,
}


def same(one, other):
    """Whether two graphs hold the same to the last bit."""
    if list(one.to_dict()) != list(other.to_dict()) or type(one) is not type(other):
        return False
    pairs = [(value, other[key]) for key, value in one.to_dict().items()]
    return all(
        torch.equal(a, b) and a.dtype is b.dtype if isinstance(a, torch.Tensor) else type(a) is type(b) and a == b
        for a, b in pairs
    )


@pytest.mark.parametrize("source", SOURCES)
def test_graphs_come_back_from_whatever_they_came_in(source, tmp_path, monkeypatch):
    validated = []
    real = dataset.validate
    monkeypatch.setattr(dataset, "validate", lambda graph, label: validated.append(graph) or real(graph, label))
    store = GraphStore(SOURCES[source](tmp_path))
    assert len(store) == len(validated) == 11
    assert all(same(*pair) for pair in zip(store, GRAPHS, strict=True))
    assert [len(block) for block in store.blocks(4)] == [4, 4, 3]
    assert all(same(*pair) for pair in zip(store.take([7, 0, 7]), [GRAPHS[7], GRAPHS[0], GRAPHS[7]], strict=True))
    assert same(store[-1], GRAPHS[10])
    assert [int(label) for label in store.values("y")] == [int(graph.y) for graph in GRAPHS]
    assert store.notes == []
    copied = pickle.loads(pickle.dumps(store))
    assert all(same(*pair) for pair in zip(copied, GRAPHS, strict=True))
    assert len(validated) == 11
    with pytest.raises(IndexError):
        store[11]


def test_what_differs_between_blocks_is_kept_too():
    graphs = [Data(x=torch.ones(2, 1), edge_index=EDGES, y=torch.tensor([place])) for place in range(9)]
    for place, graph in enumerate(graphs):
        graph.late = torch.ones(1, dtype=torch.long if place < 4 else torch.float)
        graph.wide = torch.ones(1, 2 if place < 8 else 3)
        if place >= 4:
            graph.some = place
    store = GraphStore(graphs)
    assert all(same(*pair) for pair in zip(store, graphs, strict=True))
    assert store.notes == ["only some graphs have some, so the model is given none"]
    graphs[7].x = torch.ones(2, 2)
    with pytest.raises(ValueError, match=r"same kind of x; the first graph has 1 columns .* graph 7 has 2 columns"):
        GraphStore(graphs)
    graphs[7].x = torch.ones(2, 1)
    graphs[8].edge_index = EDGES + 5
    with pytest.raises(ValueError, match="edge_index of graph 8 has the edge"):
        GraphStore(iter(graphs))


@pytest.mark.parametrize("empty", [[], iter([])])
def test_no_graphs_are_an_error(empty):
    with pytest.raises(ValueError, match="graphs is empty; pass at least one"):
        GraphStore(empty)


class Own(Data):
    """A user's class, which has its tensors numbered on in its own way."""

    def __init__(self, size=None, **more):
        super().__init__(**more)
        if size is not None:
            self.size_of = size

    def __inc__(self, key, value, *args, **kwargs):
        return 100 if key == "link" else super().__inc__(key, value, *args, **kwargs)


def full(number, kind=Data):
    """A graph with everything that one may hold."""
    return kind(
        x=torch.tensor([[0.5, -0.0], [number, 2.0]]),
        edge_index=EDGES,
        edge_attr=torch.tensor([[number], [70_000]]),
        pos=torch.rand(2, 3, dtype=torch.float64),
        y=torch.tensor(number),
        train_mask=torch.tensor([True, False]),
        link=torch.arange(number),
        odd=torch.ones(2, number + 1),
        far=torch.ones(3).to_sparse(),
        name=f"né {number}",
        weight=0.1 * number,
        is_odd=bool(number % 2),
        parts=[number, None],
    )


@pytest.mark.parametrize("kind", [Data, Own])
def test_all_that_graphs_hold_is_kept(kind):
    graphs = [full(number, kind) for number in range(3)]
    graphs[1].some = torch.ones(1)
    store = GraphStore(iter(graphs))
    for one, other in zip(store, graphs, strict=True):
        assert type(one) is kind
        sparse = one.far.to_dense(), other.far.to_dense()
        assert torch.equal(*sparse)
        del one.far
        assert same(one, Data.from_dict({k: v for k, v in other.to_dict().items() if k != "far"})) or kind is Own
    batch = store[:].batch()
    assert batch.name == ["né 0", "né 1", "né 2"]
    assert not batch.to_dict().keys() & {"odd", "some"}  # what cannot be joined, or not all have
    assert batch.link.tolist() == ([100, 200, 201] if kind is Own else [0, 0, 1])
    assert any("some" in note for note in store.notes)


def test_the_users_graphs_stay_as_they_are_and_may_be_written_to():
    weights = torch.ones(2, 4, requires_grad=True)
    graph = Data(x=weights * 2, edge_index=EDGES[:, :1], extra=weights)
    before = graph.to_dict()
    store = GraphStore([graph])
    assert (store[0].x.requires_grad, store[0].extra.requires_grad) == (False, False)
    assert list(graph.to_dict()) == list(before)
    assert all(graph[key] is value for key, value in before.items())
    store[0].x.zero_()
    store[:].batch(frozenset({"x"})).x.zero_()
    graph.edge_index += 5
    assert store[0].x.tolist() == [[2.0] * 4] * 2
    assert store[0].edge_index.tolist() == [[0], [1]]


def data(edges, num_nodes=4, **more):
    return Data(x=torch.eye(4)[:num_nodes], edge_index=torch.tensor(edges, dtype=torch.long).reshape(-1, 2).t(), **more)


@pytest.mark.parametrize(
    ("edges", "is_told"),
    [
        ([[0, 1], [1, 0], [1, 2], [3, 3]], True),  # no way back from 2
        ([[0, 1], [1, 0], [0, 1], [1, 0]], True),
        ([[3, 3], [3, 3]], True),
        ([[0, 1], [1, 0], [3, 3]], False),
        ([], False),
    ],
)
def test_edges_stay_as_they_are_and_it_is_told_what_the_search_makes_of_them(edges, is_told):
    graph = data(edges, edge_attr=torch.arange(float(len(edges))))
    store = GraphStore([data([[0, 1], [1, 0]], edge_attr=torch.ones(2)), graph])
    assert torch.equal(store[1].edge_index, graph.edge_index)
    assert torch.equal(store[1].edge_attr, graph.edge_attr)
    assert [note[:7] for note in store.notes] == ["graph 1"] * is_told


def test_several_are_counted_and_the_first_is_named():
    graphs = [data([[0, 1], [1, 0]]), data([[0, 1], [0, 1], [2, 3]]), data([[2, 1]]), Data(x=torch.ones(2, 4))]
    (note,) = GraphStore(graphs).notes
    assert note.startswith("2 graphs (the first is graph 1")


BAD = {
    "an end outside": (data([[0, 7], [7, 0]]), r"edge_index of graph 12 has the edge 0 -> 7, .* 0 to 3"),
    "an end below": (data([[0, -1]]), r"edge_index of graph 12 has the edge 0 -> -1"),
    "width": (Data(x=torch.ones(2, 9)), r"the same kind of x; .* 4 columns of float32, graph 12 has 9 columns"),
    "type": (Data(x=torch.ones(2, 4).long()), r"4 columns of float32, graph 12 has 4 columns of int64; make"),
    "no x": (Data(num_nodes=2), r"graph 12 has none; make them alike"),
    "NaN": (Data(x=torch.full((2, 4), float("nan"))), r"x of graph 12 has NaN or infinite values; replace"),
    "more": (data([[0, 1]], edge_attr=torch.ones(1)), r"the first graph has none, graph 12 has 1 columns"),
    "no nodes": (Data(x=torch.ones(0, 4)), r"graph 12 has no nodes; leave it out"),
    "no graph": (3, r"graph 12 must be a single .*Data, got int; leave it out"),
    "a batch": (Batch.from_data_list([data([[0, 1]])]), r"graph 12 must be a single .*, got DataBatch; take it apart"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_graphs_are_named(name):
    bad, message = BAD[name]
    with pytest.raises((TypeError, ValueError), match=message):
        GraphStore([*[data([[0, 1], [1, 0]])] * 12, bad])


def test_errors_speak_by_where_a_graph_came_from():
    bad = Data(x=torch.ones(2, 3), edge_index=torch.tensor([[0], [5]]), smiles="CO", name="methanol")
    with pytest.raises(ValueError, match=r"^edge_index of graph 3 \(methanol, CO\) has the edge 0 -> 5"):
        GraphStore(Subset([*GRAPHS[:3], bad], [1, 3]))
    one_way = Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0], [1]]), id=7)
    store = GraphStore(Subset([GRAPHS[0], one_way], [1]))
    assert (store.label(0), store.origin(0).position) == ("graph 1 (7)", 1)
    assert store.notes[0].startswith("graph 1 (7) has edges that go one way only")


def test_an_error_of_whoever_reads_is_passed_on_with_the_place():
    def broken():
        yield GRAPHS[0]
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match=r"^the disk is gone") as caught:
        GraphStore(broken())
    assert caught.value.__notes__ == ["this happened while item 1 of graphs was read, counted from 0"]
    with pytest.raises(AttributeError) as caught:
        GraphStore(iter([Batch.from_data_list(GRAPHS[:2]), Batch(x=torch.ones(2, 1))]))
    assert "item 1 of graphs" in caught.value.__notes__[0]


def with_all(size):
    ring = torch.arange(size)
    ends = torch.stack([ring, ring.roll(1)])
    tensors = {"edge_attr": torch.rand(2 * size, 2), "edge_weight": torch.rand(2 * size), "pos": torch.rand(size, 3)}
    both = torch.cat([ends, ends.flip(0)], dim=1)
    return Data(x=torch.rand(size, 4), edge_index=both, y=torch.tensor([1]), mask=torch.ones(size), **tensors)


class Numbered(Data):
    """A graph with numbers of nodes and of its own motifs, and what is stacked in a batch."""

    @classmethod
    def of(cls, size):
        numbers = {"motif_index": torch.tensor([0, size - 1]), "root": torch.tensor([size - 1]), "num_motifs": 2}
        of_motif = {"motif_of": torch.tensor([[size - 1, 0], [0, 1]]), "code": torch.arange(3)}
        return cls(**with_all(size).to_dict(), **numbers, **of_motif)

    def __inc__(self, key, value, *args, **kwargs):
        if key == "motif_of":
            return torch.tensor([[self.num_nodes], [self.num_motifs]])
        return self.num_nodes if key == "root" else super().__inc__(key, value, *args, **kwargs)

    def __cat_dim__(self, key, value, *args, **kwargs):
        if key in ("code", "motif_of"):
            return None if key == "code" else 1
        return super().__cat_dim__(key, value, *args, **kwargs)


WANTED = frozenset({"x", "edge_index", "edge_attr", "edge_weight", "pos", "batch", "ptr", "num_graphs"})


@pytest.mark.parametrize(
    "graphs",
    [
        [with_all(size) for size in (3, 1, 5)],
        [with_all(4)],
        [Numbered.of(size) for size in (3, 1, 5)],
        [Data(edge_index=with_all(size).edge_index, num_nodes=size) for size in (3, 1, 5)],
        [Data(edge_index=with_all(size).edge_index.int(), x=torch.ones(size, 1)) for size in (3, 2)],
        [Data(x=torch.ones(size), edge_index=EDGES[:, :0]) for size in (3, 2)],
        GRAPHS,
    ],
    ids=["all tensors", "one graph", "numbers of nodes", "no features", "short integers", "flat, no edges", "random"],
)
@pytest.mark.parametrize("wanted", [WANTED, frozenset({"x", "edge_index", "batch"}), None])
def test_a_batch_is_that_of_pyg(graphs, wanted):
    excluded = [key for key in graphs[0].to_dict() if wanted is not None and key not in wanted | {"edge_index", "x"}]
    expected = Batch.from_data_list(graphs, exclude_keys=excluded)
    several = collate([*graphs, *graphs])
    for batch in (collate(graphs).batch(wanted), several[len(graphs) :].batch(wanted)):
        assert type(batch) is type(expected)
        assert (batch.num_graphs, batch.num_nodes) == (expected.num_graphs, expected.num_nodes)
        assert set(batch.to_dict()) - {"num_nodes"} == set(expected.to_dict()) - {"num_nodes"}
        for key, value in expected.to_dict().items():
            if isinstance(value, torch.Tensor):
                assert batch[key].dtype is value.dtype
                assert torch.equal(batch[key], value), key


@pytest.mark.parametrize("key", ["num_graphs", "batch", "ptr"])
@pytest.mark.parametrize("value", [torch.empty(2, device="meta"), torch.ones(3), 7, "one"])
@pytest.mark.parametrize("wanted", [WANTED | {"mask"}, None])
def test_what_a_batch_has_of_its_own_is_made_anew(key, value, wanted):
    graphs = [with_all(3), with_all(2)]
    expected = Batch.from_data_list(graphs)
    batch = collate([graph.clone().update({key: value}) for graph in graphs]).batch(wanted)
    assert batch.num_graphs == 2
    assert all(torch.equal(batch[name], expected[name]) for name in ("x", "mask", "edge_index", "batch", "ptr"))


def test_parts_are_views():
    graphs = collate(GRAPHS)
    part = graphs[3:6][1:]
    assert part.sizes.tolist() == [graph.num_nodes for graph in GRAPHS[4:6]]
    assert part.counts.tolist() == [graph.num_edges for graph in GRAPHS[4:6]]
    assert part.tensor("x").untyped_storage().data_ptr() == graphs.tensor("x").untyped_storage().data_ptr()
    assert np.array_equal(part.edges, torch.cat([graph.edge_index for graph in GRAPHS[4:6]], dim=1))
    assert all(same(*pair) for pair in zip(graphs[-4:], GRAPHS[-4:], strict=True))
    assert len(graphs[5:2]) == 0
    assert len(pickle.dumps(graphs[0])) < 4000


def test_a_path_that_is_no_folder_is_refused_with_the_way_to_read_it(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no folder .*nowhere\.pt.*read_graphs"):
        GraphStore(tmp_path / "nowhere.pt")
