import numpy as np
import pytest
import torch
from rdkit import Chem
from torch_geometric.data import Data

from protograph import datasets
from protograph.baselines.random_subgraph import random_part
from protograph.datasets.molecules import SOLUBILITY_FILE
from protograph.graphs.conditions import EdgeRule
from protograph.graphs.encoding import EncodedGraphs
from protograph.graphs.subgraph import induced_subgraph
from protograph.molecules.smarts import atom_columns, to_smarts, unsaid
from protograph.patterns.subgraph_isomorphism import contained_in
from tests.datasets.real_files import needs

MATCHED = EdgeRule(is_matched=True)
CHAIN = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
BONDS = ("single", "double", "triple", "aromatic")


def as_written(graph, atoms, bonds):
    """A molecule with the atoms and bonds of a graph and nothing that RDKit makes of them."""
    kinds = {name: getattr(Chem.BondType, name.upper()) for name in BONDS}
    result = Chem.RWMol()
    for column in graph.x.argmax(dim=1).tolist():
        result.AddAtom(Chem.Atom(atoms[column]))
    for (u, v), row in zip(graph.edge_index.T.tolist(), graph.edge_attr.argmax(dim=1).tolist(), strict=True):
        if u < v:
            result.AddBond(u, v, kinds[bonds[row].lower()])
    return result.GetMol()


def patterns(graphs, number):
    """Random connected parts of every size up to nine, with all their edges."""
    rng = np.random.default_rng(0)
    for place in range(number):
        graph = graphs[int(rng.integers(len(graphs)))]
        yield induced_subgraph(graph, random_part(graph, 1 + place % 9, rng))


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("mutagenicity", marks=needs("mutagenicity/Mutagenicity_tu_raw.zip")),
        pytest.param("solubility", marks=needs(f"{SOLUBILITY_FILE.relative}.gz")),
    ],
)
def test_smarts_selects_exactly_the_molecules_that_are_counted(name, tmp_path, monkeypatch):
    monkeypatch.setenv("PROTOGRAPH_CACHE", str(tmp_path))
    dataset = datasets.load(name, num_graphs=60)
    atoms, bonds = dataset.feature_names, dataset.edge_names
    molecules = [
        Chem.MolFromSmiles(graph.smiles) if "smiles" in graph else as_written(graph, atoms, bonds) for graph in dataset
    ]
    for rule in (EdgeRule(), MATCHED):
        encoded = EncodedGraphs(dataset, match_edges=rule.is_matched)
        sizes = set()
        for pattern in patterns(dataset, 18):
            smarts = Chem.MolFromSmarts(to_smarts(pattern, atoms, bonds, rule))
            ours = (contained_in(pattern, encoded) > 0).tolist()
            assert [molecule.HasSubstructMatch(smarts) for molecule in molecules] == ours
            assert unsaid(pattern, atoms, bonds, rule) == []
            sizes.add(sum(ours))
        assert len(sizes) > 6  # from patterns that are in one molecule to those that are in all


def test_the_order_of_nodes_does_not_matter():
    graph = Data(
        x=torch.eye(3)[[0, 0, 0, 1, 2]],
        edge_index=torch.tensor([[0, 1, 2, 2, 3], [1, 2, 0, 3, 4]]),
        edge_attr=torch.eye(4)[[0, 0, 1, 0, 2]],
    )
    texts = set()
    for seed in range(20):
        order = torch.randperm(5, generator=torch.Generator().manual_seed(seed))
        edges = torch.randperm(5, generator=torch.Generator().manual_seed(seed))
        other = Data(
            x=graph.x[order], edge_index=order.argsort()[graph.edge_index][:, edges], edge_attr=graph.edge_attr[edges]
        )
        texts.add(to_smarts(other, ("C", "N", "O"), BONDS, MATCHED))
    assert texts == {"[#8]#[#7]-[#6]1-[#6]-[#6]=1"}


@pytest.mark.parametrize(
    ("names", "rows", "smarts"),
    [
        (("C", "N", "*"), [0, 1, 2], "[!#6&!#7]~[#7]~[#6]"),
        (("*", "C"), [1, 0, 1], "[#6]~[!#6]~[#6]"),
        (("C", "Cl", "H"), [0, 0, 1], "[#6]~[#6]~[#17]"),
    ],
)
def test_an_atom_that_no_column_names_is_any_but_those(names, rows, smarts):
    graph = Data(x=torch.eye(len(names))[rows], edge_index=CHAIN)
    assert to_smarts(graph, names) == smarts


def test_a_bond_that_no_column_names_is_any_but_those():
    graph = Data(x=torch.eye(2)[[0, 1, 1]], edge_index=CHAIN, edge_attr=torch.eye(3)[[0, 0, 2, 2]])
    assert to_smarts(graph, ("C", "N"), ("Single", "DOUBLE", "other"), MATCHED) == "[#6]-[#7]!-&!=[#7]"
    assert unsaid(graph, ("C", "N"), ("Single", "DOUBLE", "other"), MATCHED) == []


PAIR = {"x": torch.eye(2), "edge_index": torch.tensor([[0, 1], [1, 0]])}


@pytest.mark.parametrize(
    ("edge_attr", "names", "rule", "said"),
    [
        (torch.eye(2)[[0, 0]], ("single", "double"), EdgeRule(), ("~", [])),
        (torch.eye(2)[[0, 0]], (), MATCHED, ("~", ["edge attributes"])),
        (torch.eye(2)[[0, 0]], ("near", "far"), MATCHED, ("~", ["edge attributes"])),
        (torch.tensor([[0.5, 0.5]] * 2), ("single", "double"), MATCHED, ("~", ["edge attributes"])),
        (torch.eye(2)[[0, 0]], ("single", "conjugated"), MATCHED, ("-", ["conjugated"])),
        (
            torch.eye(2)[[0, 0]],
            ("single", "double"),
            EdgeRule(is_matched=True, cuts=((0.5,), (0.5,))),
            ("-", []),
        ),
        (
            torch.eye(2)[[0, 0]],
            ("single", "double"),
            EdgeRule(is_matched=True, cuts=((7.0,), ())),
            ("~", ["edge attributes"]),
        ),
        (None, (), MATCHED, ("~", [])),
    ],
)
def test_what_smarts_says_of_bonds_and_what_it_cannot_say(edge_attr, names, rule, said):
    graph = Data(**PAIR, edge_attr=edge_attr)
    assert (to_smarts(graph, ("C", "O"), names, rule), unsaid(graph, ("C", "O"), names, rule)) == (
        f"[#6]{said[0]}[#8]",
        said[1],
    )


def test_nodes_that_are_no_atoms():
    way_out = "; the data set must give atom symbols as feature_names$"
    for names in ((), ("head", "body"), ("A", "C"), ("C", "O", "N")):
        with pytest.raises(ValueError, match=rf"^SMARTS is for atoms that the columns of x name{way_out}"):
            to_smarts(Data(**PAIR), names)
    several = Data(x=torch.ones(2, 2), edge_index=PAIR["edge_index"])
    with pytest.raises(ValueError, match=r"one atom each.*columns of atoms"):
        to_smarts(several, ("C", "O"))


def test_a_graph_that_no_molecule_is():
    edges = torch.combinations(torch.arange(40)).T
    graph = Data(x=torch.eye(2)[[0] * 40], edge_index=torch.cat([edges, edges.flip(0)], dim=1))
    message = r"^SMARTS is for molecules, got a graph with more rings open at a time than it can number$"
    with pytest.raises(ValueError, match=message):
        to_smarts(graph, ("C", "O"))


def test_columns_beside_those_of_atoms():
    assert atom_columns(("C", "charge", "O")) == [0, 2]
    assert atom_columns(("A", "B", "C", "D")) is None
    graph = Data(x=torch.tensor([[1.0, 3.0, 0.0]]), edge_index=torch.empty(2, 0, dtype=torch.long))
    assert to_smarts(graph, ("C", "charge", "O")) == "[#6]"
    assert unsaid(graph, ("C", "charge", "O")) == ["charge"]
