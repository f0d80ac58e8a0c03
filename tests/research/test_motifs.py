import torch
from torch_geometric.data import Data

from protograph.datasets import GraphDataset, load
from protograph.datasets.molecules import molecule
from protograph.datasets.tu import MUTAGENICITY_ATOMS, RING_NITRO
from research.paper.motifs import PARTS, RING, TRUTHS, found_shares, has_whole, motifs_of
from research.paper.sets import SETS


def test_every_class_that_the_paper_explains_has_names_for_its_truths():
    assert set(TRUTHS) == {(name, target) for name, one in SETS.items() if name != "mnist-sp" for target in one.targets}
    assert set(PARTS) <= set(TRUTHS)


def test_the_truths_of_a_generated_set_are_found_in_themselves():
    data = load("ba-house", random_state=0, num_graphs=40)
    motifs = motifs_of(data, 1)
    assert list(motifs) == ["house", "two houses"]
    one, two = motifs.values()
    # One house has 5 of 10 nodes and 6 of 13 edges of two.
    assert found_shares(one, motifs) == {"house": 1.0, "two houses": 11 / 23}
    assert found_shares(two, motifs) == {"house": 1.0, "two houses": 1.0}


def test_parts_that_the_paper_speaks_of_stand_beside_the_truths():
    truths = tuple(molecule(*RING_NITRO, MUTAGENICITY_ATOMS) for _ in range(4))
    data = GraphDataset(graphs=[], name="mutagenicity", feature_names=MUTAGENICITY_ATOMS, ground_truths={0: truths})
    assert list(motifs_of(data, 0)) == ["NO2", "NH2", "ring with NO2", "ring with NH2", RING]
    ring = {RING: motifs_of(data, 0)[RING]}
    assert found_shares(truths[0], ring) == {RING: 1.0}


def test_a_ring_that_is_not_closed_is_no_whole_ring():
    data = GraphDataset(graphs=[], name="solubility", feature_names=("C", "O"), ground_truths={0: (Data(num_nodes=1),)})
    ring = {RING: motifs_of(data, 0)[RING]}
    ends = torch.tensor([[0, 1, 2, 3, 4], [1, 2, 3, 4, 5]])
    chain = Data(x=torch.eye(2)[[0] * 6], edge_index=torch.cat([ends, ends.flip(0)], dim=1))
    # All six atoms and five of six bonds.
    assert found_shares(chain, ring) == {RING: 11 / 12}


def test_one_prototype_with_the_whole_motif_is_enough():
    records = [{"motifs": {"house": 0.9}}, {"motifs": {"house": 1.0}}]
    assert has_whole(records, "house")
    assert not has_whole(records[:1], "house")
    assert not has_whole([], "house")
