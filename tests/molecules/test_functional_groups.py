"""Groups and rings have their names."""

import pytest
import torch
from rdkit import Chem

from protograph.graphs.encoding import EncodedGraphs
from protograph.graphs.names import ColumnNames
from protograph.molecules.functional_groups import (
    EVERY_KIND,
    KINDS,
    RINGS,
    NamedPart,
    PartNamer,
    found_groups,
    matches_of,
    named_in_all,
)
from protograph.molecules.read import molecule_arrays, molecule_graphs, parse

# A molecule for each, all of its names by the alphabet.
KNOWN = {
    "CC(=O)O": "carboxylic acid group",
    "CC(=O)[O-]": "carboxylate group",
    "CC(=O)OC": "ester group",
    "COC=O": "ester group",
    "O=C1CCCO1": "lactone",
    "CC(=O)OC(C)=O": "acid anhydride group",
    "CNC(C)=O": "amide group",
    "O=C1CCCN1": "lactam",
    "CC(=O)Cl": "acyl halide group",
    "NC(N)=O": "urea group",
    "CNC(=O)OC": "carbamate group",
    "CCOC(=O)OC": "carbonate group",
    "CC(=O)NO": "hydroxamic acid group",
    "NS(C)(=O)=O": "sulfonamide group",
    "CS(=O)(=O)O": "sulfonic acid group",
    "CS(C)(=O)=O": "sulfone group",
    "CS(C)=O": "sulfoxide group",
    "CCOP(=O)(OCC)OCC": "phosphate group",
    "CCOP(=S)(OCC)OCC": "phosphorothioate group",
    "C[N+](=O)[O-]": "nitro group",
    "CO[N+](=O)[O-]": "nitrate ester group",
    "CN(C)N=O": "nitrosamine group",
    "CN=[N+]=[N-]": "azide group",
    "CN=NC": "azo group",
    "CC#N": "nitrile group",
    "CC(C)=NO": "oxime group",
    "CC=NC": "imine group",
    "CCN": "primary amine group",
    "CNC": "secondary amine group",
    "CN(C)C": "tertiary amine group",
    "C[N+](C)(C)C": "quaternary ammonium group",
    "CCO": "alcohol group",
    "CC=O": "aldehyde group",
    "CC(C)=O": "ketone group",
    "CCOCC": "ether group",
    "COC": "methoxy group",
    "CCSCC": "thioether group",
    "CS": "thiol group",
    "CSSC": "disulfide group",
    "C1CO1": "epoxide",
    "CCCl": "alkyl halide",
    "CC(F)(F)F": "trifluoromethyl group",
    "CC#CC": "alkyne",
    "CC=CC": "alkene",
    "c1ccccc1": "benzene ring",
    "c1ccc2ccccc2c1": "naphthalene",
    "c1ccc2cc3ccccc3cc2c1": "anthracene",
    "c1ccc2[nH]ccc2c1": "indole",
    "c1ccncc1": "pyridine ring",
    "c1cc[nH]c1": "pyrrole ring",
    "c1c[nH]cn1": "imidazole ring",
    "c1ccsc1": "thiophene ring",
    "c1ccoc1": "furan ring",
    "C1CCCCC1": "cyclohexane ring",
}


@pytest.mark.parametrize(("smiles", "names"), KNOWN.items())
def test_each_has_its_name_and_no_other(smiles, names):
    assert {group.name for group in found_groups(parse(smiles))} == {names}


@pytest.mark.parametrize("smiles", ["CC(=O)O", "CCN", "CO", "CC=O"])
def test_hydrogens_as_atoms_change_nothing(smiles):
    plain = parse(smiles)
    assert found_groups(Chem.AddHs(plain)) == found_groups(plain)


def test_what_is_a_part_of_a_larger_one_is_not_named_beside_it():
    assert {group.name for group in found_groups(parse("c1ccc2ncccc2c1"))} == {"quinoline"}
    (benzene,) = [kind for kind in RINGS if kind.name == "benzene ring"]
    assert matches_of(parse("c1ccc2ncccc2c1"), benzene) == [frozenset({0, 1, 2, 3, 8, 9})]


def test_names_are_many_and_each_is_read():
    assert len(KINDS) >= 60
    assert len({kind.name for kind in EVERY_KIND}) == len(EVERY_KIND)
    assert all(Chem.MolFromSmarts(kind.smarts) is not None for kind in EVERY_KIND)


ESTER, ACID = (parse("CC(=O)OC"), [(1, 2, 3)]), (parse("CC(=O)O"), [(1, 2, 3)])


def test_a_name_holds_in_every_molecule_or_not_at_all():
    assert named_in_all([ESTER]) == (NamedPart("ester group", (0, 1, 2)),)
    assert named_in_all([ESTER, ESTER]) == named_in_all([ESTER])
    assert named_in_all([ESTER, ACID]) == ()
    assert named_in_all([]) == ()


def test_a_name_holds_at_every_place_of_a_molecule():
    both = parse("COC(=O)CC(=O)O")
    assert named_in_all([(both, [(2, 3, 1)])]) == (NamedPart("ester group", (0, 1, 2)),)
    assert named_in_all([(both, [(2, 3, 1), (5, 6, 7)])]) == ()


def test_patterns_are_named_in_the_graphs_that_have_them():
    smiles = ["CC(=O)OC", "CCC(=O)OCC", "CCCC"]
    arrays = molecule_arrays(map(parse, smiles))
    graphs = molecule_graphs(arrays, torch.zeros(3, dtype=torch.long), smiles)
    namer = PartNamer(graphs.__getitem__, ColumnNames(tuple(arrays["atom_types"])), ColumnNames())
    encoded = EncodedGraphs(graphs)
    pattern = graphs[0].subgraph(torch.tensor([1, 2, 3]))
    assert namer.names(encoded.encode(pattern), encoded, [0, 1]) == (NamedPart("ester group", (0, 1, 2)),)
    chain = graphs[2].subgraph(torch.tensor([0, 1]))
    assert namer.names(encoded.encode(chain), encoded, [0, 1, 2]) == ()
