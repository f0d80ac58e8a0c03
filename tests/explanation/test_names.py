"""Names through ``fit``: PyG's integer features of molecules come out as molecules, in words, SMILES and pictures."""

import re

import pytest
import torch
from torch import nn
from torch.utils.data import Subset
from torch_geometric.data import Data
from torch_geometric.nn import global_add_pool
from torch_geometric.utils import from_smiles
from torch_geometric.utils.smiles import e_map, x_map

import protograph as pg

CORE = "C1C(NC(=O){})C(=O)N1"
RESTS = ("C", "CC", "CCC", "c1ccccc1", "CCO", "CCCl", "CF", "C(C)C")


def molecule(smiles, label):
    graph = from_smiles(smiles)
    graph.y = torch.tensor([label])
    return graph


GRAPHS = [
    molecule(smiles, label) for rest in RESTS for label, smiles in enumerate((f"NC(=O){rest}", CORE.format(rest)))
]


class Nitrogens(nn.Module):
    """Class 1 has two nitrogens or more."""

    def __init__(self):
        super().__init__()
        self.embedding, self.head = nn.Embedding(119, 2), nn.Linear(2, 2)
        with torch.no_grad():
            self.embedding.weight.copy_(torch.tensor([[float(n == 7), float(n == 8)] for n in range(119)]))
            self.head.weight.copy_(torch.tensor([[-1.0, 0.0], [1.0, 0.0]]))
            self.head.bias.copy_(torch.tensor([1.5, -1.5]))

    def forward(self, x, edge_index, batch):
        return self.head(global_add_pool(self.embedding(x[:, 0]), batch))


def explained(graphs=GRAPHS, **names):
    """A cheap explanation: one prototype by chance."""
    explainer = pg.baselines.RandomSubgraph(max_nodes=4, num_candidates=1)
    return explainer.fit(Nitrogens(), graphs, **names).explain(target=1)


def consensus(graphs=GRAPHS, match_features="auto", match_edges="auto", **names):
    page = pg.PAGE(num_clusters=1, num_graphs=2, match_features=match_features, match_edges=match_edges)
    return page.fit(Nitrogens(), graphs, **names).explain(target=1)


def test_integer_features_come_out_as_a_molecule(tmp_path):
    """A real finding once came out as "seven nodes, seven edges, of which one closes a ring"."""
    names = {"feature_names": x_map, "edge_names": e_map, "class_names": ["passes", "stays out"]}
    explanation = consensus(match_features=True, match_edges=True, **names)
    (prototype,) = explanation.prototypes
    assert (prototype.num_nodes, prototype.num_edges) == (7, 7)
    # Its bonds were compared, and make no difference; what it is in all molecules, their SMILES say.
    words = "a part made of four carbons, two nitrogens and one oxygen (C1-C2-N3-C4-C1-N5-C6, C4-O7) "
    assert prototype.describe().startswith(f"{words}(in every molecule: a lactam); ")
    assert prototype.smiles == "CNC1CNC1=O"
    assert "; SMILES CNC1CNC1=O; SMARTS [#6]~[#7]~[#6]1~[#6]~[#7]~[#6]~1~[#8]\n" in explanation.summary()
    # All columns had to agree, and a formal line says which of them it takes.
    assert {variable.name for variable in explanation.node_rule.variables} >= {"atomic_num", "degree", "num_hs"}
    assert {variable.name for variable in explanation.edge_rule.variables} == {"bond_type", "is_conjugated"}
    assert '"nodes": [{"atomic_num": "C"}, {"atomic_num": "C"}, ' in prototype.pattern.query
    assert "\nClass 1 (stays out): 8 of 16 graphs are predicted as it.\n" in explanation.summary()
    assert "7 nodes, 7 edges (4 C, 2 N, 1 O); " in explanation.summary()
    assert {node["feature"] for _, node in prototype.to_networkx().nodes(data=True)} == {"C", "N", "O"}
    assert {edge["bond"] for *_, edge in prototype.to_networkx().edges(data=True)} == {"SINGLE", "DOUBLE"}
    explanation.save(tmp_path / "named.json")
    again = pg.load(tmp_path / "named.json")
    assert again.summary() == explanation.summary()
    assert again.names == explanation.names
    explanation.report(tmp_path / "named.html")
    assert ">1 (C)<" in (tmp_path / "named.html").read_text()


def test_only_what_the_model_reads_is_said():
    explanation = consensus(feature_names=x_map, edge_names=e_map)
    (prototype,) = explanation.prototypes
    assert [variable.name for variable in explanation.sensitivity.sufficient] == ["atomic_num"]
    assert (
        "is shuffled: atomic_num (38%); degree, num_hs, hybridization, is_aromatic, is_in_ring, bond_type, "
        "is_conjugated and edges make no difference beyond that.\n"
    ) in explanation.summary()
    assert prototype.describe().startswith("a nitrogen joined to two carbons; ")
    assert prototype.smarts == "[#6]~[#7]~[#6]"
    assert prototype.pattern.query == (
        '{"nodes": [{"atomic_num": "C"}, {"atomic_num": "C"}, {"atomic_num": "N"}], "edges": [[0, 2, {}], [1, 2, {}]]}'
    )


def test_a_data_set_s_names_are_used_in_every_form():
    dataset = pg.datasets.GraphDataset(graphs=GRAPHS, name="mine", feature_names=x_map, edge_names=e_map)
    by_set, by_fit = explained(dataset), explained(feature_names=x_map, edge_names=e_map)
    assert by_set.summary() == by_fit.summary()
    assert explained(Subset(dataset, range(16))).names == by_fit.names
    assert by_set.feature_colors[6] == "#4D4D4D"
    assert explained(dataset, feature_names=()).feature_names == ()


def single_column(graphs=GRAPHS):
    return [Data(x=graph.x[:, :1], edge_index=graph.edge_index) for graph in graphs]


def test_one_column_has_a_name_a_value():
    symbols = {6: "C", 7: "N", 8: "O", 9: "F", 17: "Cl"}
    explanation = explained(single_column(), feature_names=symbols)
    assert explanation.names.features.values == {0: symbols}
    counts = re.search(r"4 nodes, \d edges \((.*?)\)", explanation.summary())
    assert sum(int(part.split()[0]) for part in counts[1].split(", ")) == 4
    assert set(re.findall("[A-Z][a-z]?", counts[1])) <= {"C", "N", "O", "F", "Cl"}


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        ({"feature_names": ["C", "N"]}, r"feature_names must have an entry for each of the 9 .* got 2 \(C, N\); "),
        (
            {"feature_names": {**x_map, "atomic_num": {6: "C", 7: "N"}}},
            r"feature_names .* column 0 of x, got none for 8, which is in graph 0 \(NC\(=O\)C\); add one",
        ),
        (
            {"edge_names": {**e_map, "bond_type": ["", "single"]}},
            r"edge_names .* column 0 of edge_attr, got none for 2, which is in graph 0 .*; add one",
        ),
        ({"class_names": ["a"]}, r"class_names must have a name for each of the 2 classes .*, got 1 \(a\)"),
        ({"class_names": "ab"}, r"class_names must be a list of names, got 'ab'"),
    ],
)
def test_given_names_must_fit(names, problem):
    with pytest.raises((TypeError, ValueError), match=f"^{problem}"):
        pg.baselines.RandomSubgraph().fit(Nitrogens(), GRAPHS, **names)


def test_names_of_a_data_set_that_do_not_fit_are_not_dropped_without_a_word():
    dataset = pg.datasets.GraphDataset(graphs=GRAPHS, name="mine", class_names=("no", "yes", "other"))
    with pytest.warns(
        pg.ProtographWarning, match=r"names of the data set are left out: class_names .* got 3 \(no, yes"
    ):
        explanation = explained(dataset)
    assert explanation.warnings[0].startswith("names of the data set are left out: class_names must have a name")
    assert explanation.class_names == ("0", "1")


def test_graphs_are_called_by_where_they_came_from(tmp_path):
    """An index into a subset once was shown as if it were the user's own."""
    explanation = explained(Subset(GRAPHS, range(4, 16)))
    (prototype,) = explanation.prototypes
    place = prototype.source + 4
    assert explanation.source_graphs[prototype.source].smiles == GRAPHS[place].smiles
    label = f"graph {place} ({GRAPHS[place].smiles})"
    assert explanation.graph_label(prototype.source) == label
    assert f"; cut from {label}" in explanation.summary()
    explanation.report(tmp_path / "one.html")
    assert f"<td>{label}</td>" in (tmp_path / "one.html").read_text()
