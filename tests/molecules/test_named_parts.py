import torch

from protograph.graphs.encoding import EncodedGraphs
from protograph.graphs.names import ColumnNames
from protograph.molecules.functional_groups import NamedPart, PartNamer, named_in_all
from protograph.molecules.read import molecule_arrays, molecule_graphs, parse

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


def test_a_molecule_that_is_not_known_leaves_no_name():
    assert named_in_all([ESTER, (None, [(0, 1, 2)])]) == ()


def test_it_stops_where_no_name_is_left():
    def occurrences():
        yield (parse("CC"), [(0, 1)])
        raise AssertionError

    assert named_in_all(occurrences()) == ()


def test_a_ring_of_a_larger_system_keeps_its_name():
    naphthalene, benzene = (parse("c1ccc2ccccc2c1"), [(0, 1, 2, 3, 8, 9)]), (parse("c1ccccc1"), [tuple(range(6))])
    assert named_in_all([naphthalene, benzene]) == (NamedPart("benzene ring", tuple(range(6))),)


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
