"""SMARTS of patterns: RDKit selects with them the molecules that are counted, neither more nor fewer."""

import csv
import gzip
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
import torch
from rdkit import Chem
from torch_geometric.data import Data
from torch_geometric.utils import from_smiles
from torch_geometric.utils.smiles import e_map, x_map

from protograph import datasets
from protograph.baselines.random_subgraph import random_part
from protograph.datasets.molecules import BBBP_FILE, SOLUBILITY_FILE
from protograph.explanation import Pattern
from protograph.explanation.pattern import SearchedGraphs
from protograph.graphs.conditions import Condition, Reading
from protograph.graphs.dataset import collate
from protograph.graphs.subgraph import induced_subgraph
from protograph.graphs.variables import Variable, variables_of
from protograph.molecules.read import read_edge_names, read_feature_names
from tests.datasets.real_files import find, needs
from tests.explanation.by_hand import asking

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


def parts(graphs, number):
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
    searched = SearchedGraphs(dataset)
    for names in ((), bonds):
        sizes = set()
        for part in parts(dataset, 18):
            pattern = asking(part, atoms, names)
            ours = pattern.holds_in(searched).tolist()
            assert selected(pattern, molecules) == ours
            sizes.add(sum(ours))
        assert len(sizes) > 6  # from patterns that are in one molecule to those that are in all


def selected(pattern, molecules):
    query = Chem.MolFromSmarts(pattern.smarts)
    return [molecule.HasSubstructMatch(query) for molecule in molecules]


NUM_MOLECULES, NUM_PATTERNS = 150, 60


@needs(f"{BBBP_FILE.relative}.gz")
def test_any_conditions_on_pyg_s_columns_select_the_molecules_that_are_counted():
    """Elements, degrees, hydrogens, charges, hybridizations, aromatic and ring atoms, bonds: all, some, or none."""
    with gzip.open(find(f"{BBBP_FILE.relative}.gz"), "rt") as file, Chem.rdBase.BlockLogs():
        read = ((row["smiles"], Chem.MolFromSmiles(row["smiles"].strip())) for row in csv.DictReader(file))
        rows = list(islice(((text.strip(), molecule) for text, molecule in read if molecule), NUM_MOLECULES))
        graphs = [from_smiles(text) for text, _ in rows]
    names = read_feature_names(x_map, graphs[0].x), read_edge_names(e_map, graphs[0].edge_attr)
    found = [one for one in variables_of(collate(graphs), *names) if one.is_expressible]
    sides = {
        of: Reading(variables=tuple(one for one in found if one.of == of and one.places)) for of in ("node", "edge")
    }
    assert [one.name for one in sides["node"].variables] == [
        *("atomic_num", "degree", "formal_charge", "num_hs", "hybridization", "is_aromatic", "is_in_ring"),
    ]
    assert [one.name for one in sides["edge"].variables] == ["bond_type"]
    rng, searched, counts = np.random.default_rng(0), SearchedGraphs(graphs), set()
    for part in parts(graphs, NUM_PATTERNS):
        bonds = {tuple(sorted(ends)): row for ends, row in zip(part.edge_index.T.tolist(), part.edge_attr, strict=True)}
        pattern = Pattern(
            graph=Data(edge_index=part.edge_index, num_nodes=part.num_nodes),
            closed=tuple(range(part.num_nodes))[: int(rng.integers(2))],
            node_reading=sides["node"],
            edge_reading=sides["edge"],
            node_conditions=tuple(some_of(sides["node"], row, rng) for row in part.x),
            edge_conditions=tuple(some_of(sides["edge"], bonds[ends], rng) for ends in sorted(bonds)),
        )
        ours = pattern.holds_in(searched).tolist()
        assert selected(pattern, [molecule for _, molecule in rows]) == ours, pattern.query
        counts.add(sum(ours))
    assert len(counts) > 20


def some_of(reading, row, rng):
    """Conditions that a row meets: its value, one end of an interval, or that it is not another value."""
    asked = []
    for variable in reading.variables:
        code = float(variable.codes(row[None].double().numpy())[0])
        other = float(rng.choice([value for value in variable.values if value != code]))
        ways = [(code, code), (other, other), *([(code, np.inf), (-np.inf, code)] if variable.is_ordered else [])]
        low, high = ways[int(rng.integers(len(ways)))]
        if rng.random() < 0.4:
            asked.append(Condition(variable=variable.name, low=low, high=high, is_not=low == high == other))
    return tuple(asked)


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
        texts.add(asking(other, ("C", "N", "O"), BONDS).smarts)
    assert texts == {"[#8]#[#7]-[#6]1-[#6]-[#6]=1"}


@pytest.mark.parametrize(
    ("names", "rows", "smarts"),
    [
        (("C", "N", "*"), [0, 1, 2], "[!#6&!#7]~[#7]~[#6]"),
        (("*", "C"), [1, 0, 1], "[#6]~[!#6]~[#6]"),
        (("C", "Cl", "H"), [0, 0, 1], "[#17]~[#6]~[#6]"),
    ],
)
def test_an_atom_that_no_column_names_is_any_but_those(names, rows, smarts):
    assert asking(Data(x=torch.eye(len(names))[rows], edge_index=CHAIN), names).smarts == smarts


def test_a_bond_that_no_column_names_is_any_but_those():
    graph = Data(x=torch.eye(2)[[0, 1, 1]], edge_index=CHAIN, edge_attr=torch.eye(3)[[0, 0, 2, 2]])
    assert asking(graph, ("C", "N"), ("Single", "DOUBLE", "other")).smarts == "[#6]-[#7]!-&!=[#7]"


PAIR = Data(x=torch.eye(2), edge_index=torch.tensor([[0, 1], [1, 0]]), edge_attr=torch.eye(2)[[0, 0]])


@pytest.mark.parametrize(
    ("bonds", "smarts"),
    [
        ((), "[#6]~[#8]"),
        (("single", "double"), "[#6]-[#8]"),
        (("Aromatic", "Single"), "[#6]:[#8]"),
        (("near", "far"), None),
        (("conjugated", "single"), None),
    ],
)
def test_what_is_said_of_bonds_and_what_cannot_be_said(bonds, smarts):
    assert asking(PAIR, ("C", "O"), bonds).smarts == smarts


def test_nodes_that_are_no_atoms_have_none():
    for names in ((), ("head", "body"), ("A", "C"), ("O", "N")):
        assert asking(PAIR, names).smarts is None


def test_what_no_smarts_can_ask_for_has_none():
    pattern = asking(PAIR, ("C", "O"))
    assert replace(pattern, kind="induced").smarts is None
    assert replace(pattern, closed=(1,)).smarts == "[#6]~[#8&D1]"
    donor = Variable(name="donor", key="donor", values=(0.0, 1.0))
    reading = Reading(variables=(*pattern.node_reading.variables, donor))
    open_ended = replace(pattern, node_reading=reading)
    assert open_ended.smarts == "[#6]~[#8]"  # nothing is asked of it
    asked = ((*pattern.of_nodes[0], Condition(variable="donor", low=1.0)), pattern.of_nodes[1])
    assert replace(open_ended, node_conditions=asked).smarts is None


def test_a_node_that_may_be_anything_is_any_atom():
    pattern = asking(PAIR, ("C", "O"))
    assert replace(pattern, node_conditions=((), pattern.of_nodes[1])).smarts == "*~[#8]"
    either = (Condition(variable="element", low=0.0, high=1.0),)
    assert replace(pattern, node_conditions=(either, ())).smarts == "*~[#6,#8]"


def test_a_graph_that_no_molecule_is_has_none():
    edges = torch.combinations(torch.arange(40)).T
    graph = Data(x=torch.eye(2)[[0] * 40], edge_index=torch.cat([edges, edges.flip(0)], dim=1))
    assert asking(graph, ("C", "O")).smarts is None
