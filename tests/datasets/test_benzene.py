import pickle
import re
from collections import Counter

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.data import Batch

from protograph import datasets
from protograph.datasets import benzene, benzene_smiles
from protograph.datasets.sources import find_file
from protograph.molecules import toolkit
from tests.datasets.real_files import contains, directed_edges, needs, typed

REAL = needs(benzene.FILE)
REAL_TABLE = needs(f"{benzene_smiles.FILE.relative}.gz")


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROTOGRAPH_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def dataset():
    return datasets.load("benzene")


# C-N-C, C-O with three columns of attributions, and a lone C.
SMALL = {
    "atom": np.array([0, 1, 0, 0, 2, 0], dtype=np.int8),
    "senders": np.array([0, 1, 1, 2, 0, 1], dtype=np.int16),
    "receivers": np.array([1, 0, 2, 1, 1, 0], dtype=np.int16),
    "bond": np.array([0, 0, 1, 1, 0, 0], dtype=np.int8),
    "node_ptr": np.array([0, 3, 5, 6], dtype=np.int32),
    "edge_ptr": np.array([0, 4, 6, 6], dtype=np.int32),
    "y": np.array([0, 1, 0], dtype=np.int8),
    "att": np.array([0, 0, 0, 1, 0, 1, 0, 1, 1, 0], dtype=np.int8),
    "att_k": np.array([1, 3, 1], dtype=np.int16),
    "att_ptr": np.array([0, 3, 9, 10], dtype=np.int32),
    "train_index": np.array([0, 2], dtype=np.int32),
    "test_index": np.array([1], dtype=np.int32),
    "atom_types": np.array(["C", "N", "O"]),
    "bond_types": np.array(["SINGLE", "DOUBLE"]),
}


@pytest.fixture
def small(tmp_path):
    """Write a root folder with a small file, some of its arrays changed, or left out by ``None``."""

    def write(**changes):
        path = tmp_path / benzene.FILE
        path.parent.mkdir()
        arrays = {name: array for name, array in (SMALL | changes).items() if array is not None}
        np.savez_compressed(path, **arrays)
        return path

    return write


@REAL
def test_counts_are_those_of_the_paper(dataset):
    assert len(dataset) == 12000
    assert sum(graph.num_nodes for graph in dataset) == 246993
    assert sum(graph.num_edges for graph in dataset) == 523842
    assert torch.bincount(dataset.labels).tolist() == [5999, 6001]


@REAL
def test_atoms_are_the_counted_ones(dataset):
    atoms = sum(graph.x.sum(dim=0) for graph in dataset).long().tolist()
    assert {name: count for name, count in zip(dataset.feature_names, atoms, strict=True) if count} == {
        "C": 176589, "N": 31821, "O": 26982, "F": 5056, "S": 4484, "Cl": 1426, "Br": 530, "I": 61, "P": 44,
    }  # fmt: skip
    assert sum(graph.edge_attr.sum(dim=0) for graph in dataset).tolist() == [294998, 35138, 2516, 191190, 0]


@REAL
def test_edges_go_both_ways_with_equal_bonds(dataset):
    edges = directed_edges(dataset)
    bonds = torch.cat([graph.edge_attr.argmax(dim=1) for graph in dataset]).tolist()
    bond_of = dict(zip(edges, bonds, strict=True))
    assert len(bond_of) == 523842  # none is repeated
    assert all(bond == bond_of[number, v, u] for (number, u, v), bond in bond_of.items())
    assert all(u != v for _, u, v in edges)


@REAL
def test_attributions_are_there_exactly_for_class_1(dataset):
    assert all(bool(graph.attributions.any()) == bool(graph.y == 1) for graph in dataset)
    assert all(torch.equal(graph.node_mask, graph.attributions.any(dim=1)) for graph in dataset)


@REAL
def test_attributions_are_all_unions_of_rings(dataset):
    widths = Counter(int(graph.attributions.any(dim=0).sum()) for graph in dataset)
    rings = {0: 5999, 1: 3982, 2: 1855, 3: 161, 4: 3}
    assert widths == {2**num - 1: count for num, count in rings.items()}


@REAL
def test_attributions_equal_the_file(dataset):
    with np.load(find_file(None, benzene.FILE), allow_pickle=False) as file:
        att, bounds, widths = file["att"], file["att_ptr"], file["att_k"]
    for number in (*range(0, 12000, 97), *np.flatnonzero(widths == 15)):
        graph = dataset[int(number)]
        published = att[bounds[number] : bounds[number + 1]].reshape(graph.num_nodes, widths[number])
        assert np.array_equal(graph.attributions[:, : widths[number]].numpy(), published == 1)
        assert not graph.attributions[:, widths[number] :].any()


@REAL
def test_marked_atoms_are_rings_of_aromatic_carbons(dataset):
    for graph in dataset[dataset.labels == 1][::200]:
        smallest = graph.attributions.sum(dim=0)[graph.attributions.any(dim=0)].min()
        assert smallest == 6
        assert (graph.x[graph.node_mask].argmax(dim=1) == 0).all()
        for column in graph.attributions.T[graph.attributions.sum(dim=0) == 6]:
            ring = graph.subgraph(column)
            assert nx.is_isomorphic(typed(ring), nx.cycle_graph(6))
            assert (ring.edge_attr.argmax(dim=1) == 3).all()


@REAL
def test_ground_truth_occurs_in_every_graph_of_class_1(dataset):
    (ring,) = dataset.ground_truths[1]
    counts = Counter((int(graph.y), contains(graph, ring)) for graph in dataset[::60])
    assert counts[1, True] == int((dataset[::60].labels == 1).sum())
    # A ring of six carbons that is not aromatic is no benzene.
    assert counts[0, True] < counts[0, False] / 4


@REAL
def test_splits_are_the_published_ones(dataset):
    assert dataset.splits["train"].tolist() == list(range(10000))
    assert dataset.splits["test"].tolist() == list(range(10000, 12000))
    assert len(dataset[dataset.splits["test"]]) == 2000


@REAL
def test_types_and_shapes(dataset):
    for graph in dataset[:50]:
        assert graph.x.dtype == graph.edge_attr.dtype == torch.float32
        assert torch.equal(graph.x.sum(dim=1), torch.ones(graph.num_nodes))
        assert torch.equal(graph.edge_attr.sum(dim=1), torch.ones(graph.num_edges))
        assert graph.attributions.shape == (graph.num_nodes, 15)
        assert graph.attributions.dtype == graph.node_mask.dtype == torch.bool
        assert (graph.y.shape, graph.y.dtype) == ((1,), torch.long)
        assert graph.edge_index.is_contiguous()
        graph.validate()


@REAL
def test_graphs_can_be_batched_and_taken_apart(dataset):
    graphs = dataset[:64]
    assert len({int(graph.attributions.any(dim=0).sum()) for graph in graphs}) > 2
    for graph, again in zip(graphs, Batch.from_data_list(graphs).to_data_list(), strict=True):
        assert graph.smiles == again.smiles
        assert all(torch.equal(graph[key], again[key]) for key in graph.to_dict() if key != "smiles")


@REAL
def test_a_graph_does_not_carry_the_data_set_along(dataset):
    assert len(pickle.dumps(dataset[0])) < 20_000


@REAL
def test_fewer_graphs_are_the_first(dataset):
    fewer = datasets.load("benzene", num_graphs=7)
    assert len(fewer) == 7
    assert {part: len(index) for part, index in fewer.splits.items()} == {"train": 7, "test": 0}
    assert torch.equal(fewer[6].attributions, dataset[6].attributions)
    with pytest.raises(ValueError, match=r"^num_graphs must be in \[1, 12000\], got 0$"):
        datasets.load("benzene", num_graphs=0)


@REAL
def test_facts(dataset):
    assert dataset.hidden == (32, 32, 32)
    assert dataset.class_names == ("no benzene", "benzene")
    assert len(set(dataset.colors)) == 14
    assert dataset.edge_names == ("single", "double", "triple", "aromatic", "unspecified")
    assert set(dataset.ground_truths) == {1}
    (ring,) = dataset.ground_truths[1]
    assert ring.x.argmax(dim=1).tolist() == [dataset.feature_names.index("C")] * 6


@pytest.fixture(scope="module")
def only_table(tmp_path_factory):
    """A data folder with the published table, but not the graphs."""
    root = tmp_path_factory.mktemp("data")
    (root / "benzene").mkdir()
    path = find_file(None, benzene_smiles.FILE.relative)
    (root / "benzene" / path.name).symlink_to(path)
    return root


@REAL
@REAL_TABLE
def test_smiles_give_the_arrays_of_the_file_in_all_molecules(only_table):
    arrays = benzene_smiles.read_arrays(benzene_smiles.read_table(only_table))
    benzene.check(arrays)
    with np.load(find_file(None, benzene.FILE), allow_pickle=False) as file:
        assert {name for name in file.files if not np.array_equal(file[name], arrays[name])} == set()
        assert set(arrays) - set(file.files) == {"charge"}


@REAL
@REAL_TABLE
def test_graphs_of_smiles_are_those_of_the_file(dataset, only_table):
    same = benzene.load(only_table)  # the test above has filled the cache
    assert (same.feature_names, same.edge_names, same.colors) == (
        dataset.feature_names,
        dataset.edge_names,
        dataset.colors,
    )
    assert all(torch.equal(same.splits[part], dataset.splits[part]) for part in ("train", "test"))
    for one, other in zip(same[::97], dataset[::97], strict=True):
        assert one.smiles == other.smiles
        assert set(one.to_dict()) == set(other.to_dict()) >= {"charge", "smiles"}
        assert all(torch.equal(one[key], other[key]) for key in other.to_dict() if key != "smiles")


@REAL_TABLE
def test_charges_are_those_of_the_smiles(only_table):
    for graph in benzene.load(only_table, num_graphs=300):
        # Every charge stands in brackets, as in [N+] or [O-].
        assert int((graph.charge == 1).sum()) == graph.smiles.count("+]")
        assert int((graph.charge == -1).sum()) == graph.smiles.count("-]")


def test_small_table():
    table = benzene_smiles.Table(("c1ccc2ccccc2c1", "C[NH3+]", "Clc1ccccc1"), (1, 0, 1))
    arrays = benzene_smiles.make_arrays(table, num_train=2)
    benzene.check(arrays)
    fused, charged, single = benzene.from_arrays(arrays, smiles=table.smiles)
    assert fused.attributions.sum(dim=0).tolist() == [6, 6, 10]
    assert not charged.attributions.any()
    assert charged.charge.tolist() == [0, 1]
    assert single.node_mask.tolist() == [False] + [True] * 6
    assert [graph.smiles for graph in (fused, charged, single)] == list(table.smiles)


def test_without_the_graphs_rdkit_is_asked_for_before_a_download(monkeypatch, tmp_path):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(toolkit, "import_module", missing)
    message = r"^the data set 'benzene' without benzene_graphs.npz needs RDKit; pip install 'protograph\[molecules\]'$"
    with pytest.raises(ImportError, match=message):
        benzene.load(tmp_path)


def test_folder_has_neither_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"^benzene/benzene_smiles\.csv was looked for in "):
        benzene.load(tmp_path)


def test_small_file_graph_by_graph(small, tmp_path):
    small()
    dataset = datasets.load("benzene", tmp_path)
    first, second, third = dataset
    assert dataset.feature_names == ("C", "N", "O")
    assert first.x.argmax(dim=1).tolist() == [0, 1, 0]
    assert first.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    assert first.edge_attr.tolist() == [[1, 0], [1, 0], [0, 1], [0, 1]]
    assert first.attributions.tolist() == [[False] * 3] * 3
    assert second.edge_index.tolist() == [[0, 1], [1, 0]]
    assert second.attributions.tolist() == [[True, False, True], [False, True, True]]
    assert second.node_mask.tolist() == [True, True]
    assert third.edge_index.shape == (2, 0)
    assert third.edge_attr.shape == (0, 2)
    assert dataset.labels.tolist() == [0, 1, 0]
    assert {part: index.tolist() for part, index in dataset.splits.items()} == {"train": [0, 2], "test": [1]}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bond": SMALL["bond"][:-1]}, "bond must have one dimension of 6 entries, got (5,)"),
        ({"att_k": SMALL["att_k"][:-1]}, "att_k must have one dimension of 3 entries, got (2,)"),
        ({"node_ptr": SMALL["node_ptr"][:-1]}, "node_ptr must have one dimension of 4 entries, got (3,)"),
        ({"atom": SMALL["atom"][None]}, "atom must have one dimension of any entries, got (1, 6)"),
        ({"atom": SMALL["atom"] * 0.5}, "atom must have integers, got float64"),
        ({"atom": SMALL["atom"][:-1]}, "node_ptr must rise from 0 to the length of atom, 5"),
        ({"edge_ptr": np.array([0, 6, 4, 6])}, "edge_ptr must rise from 0 to the length of senders, 6"),
        ({"att_k": np.array([1, 2, 1])}, "att_ptr must leave att_k entries, at least 1, for each node of each graph"),
        ({"y": np.array([0, 1, 2])}, "y must be in [0, 2), got 2"),
        ({"atom": SMALL["atom"] + 1}, "atom must be in [0, 3), got 3"),
        ({"bond": SMALL["bond"] - 1}, "bond must be in [0, 2), got -1"),
        ({"test_index": np.array([3])}, "test_index must be in [0, 3), got 3"),
        ({"receivers": SMALL["receivers"] + 1}, "receivers must be nodes of their graph, got one that it does not"),
        ({"atom_types": np.array(["C", "N", "Xx"])}, "atom_types must be among C, H, N, "),
        ({"atom_types": np.arange(3)}, "atom_types must have texts, got int64"),
    ],
)
def test_arrays_that_do_not_fit(small, tmp_path, changes, message):
    path = small(**changes)
    with pytest.raises(ValueError, match=f"^{re.escape(f'{path}: {message}')}"):
        datasets.load("benzene", tmp_path)


@pytest.mark.parametrize(
    ("changes", "why"),
    [({"att": None}, "KeyError: .*att"), ({"y": np.array([0, 1, None])}, "ValueError: Object arrays")],
)
def test_file_lacks_an_array_or_would_run_code(small, tmp_path, changes, why):
    path = small(**changes)
    with pytest.raises(ValueError, match=rf"^{re.escape(str(path))} cannot be read \({why}"):
        datasets.load("benzene", tmp_path)


@pytest.mark.parametrize("share", [0, 0.5, 0.95])
def test_file_cut_short(small, tmp_path, share):
    path = small()
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))} cannot be read .*; it is damaged or another file"):
        datasets.load("benzene", tmp_path)


def test_file_of_another_kind(small, tmp_path):
    path = small()
    with path.open("wb") as file:
        np.save(file, np.arange(3))
    with pytest.raises(ValueError, match=r"cannot be read \(ValueError: not an .npz archive\)"):
        datasets.load("benzene", tmp_path)
    path.write_text("not an archive at all")
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))} cannot be read"):
        datasets.load("benzene", tmp_path)


def test_damaged_bytes_never_give_another_error(small, tmp_path):
    path = small()
    content = path.read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(200):
        damaged = bytearray(content)
        for place in rng.integers(len(content), size=5):
            damaged[place] = rng.integers(256)
        path.write_bytes(damaged)
        # Some bytes of an archive, such as dates, do not matter.
        message = ""
        try:
            datasets.load("benzene", tmp_path)
        except ValueError as error:
            message = str(error)
        assert not message or message.startswith(str(path))
