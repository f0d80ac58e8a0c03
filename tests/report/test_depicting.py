import re
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from protograph.explanation import Example, Prototype, Reason, Support
from protograph.graphs.origins import Origin
from protograph.graphs.subgraph import induced_subgraph
from protograph.molecules.draw import BOND_PIXELS
from protograph.molecules.read import molecule_arrays, molecule_graphs, parse
from protograph.report.depicted_molecules import PART_BOND
from protograph.report.depicting import (
    example_picture,
    pattern_picture,
    prototype_pictures,
)
from protograph.report.figure import shared_palette
from protograph.report.markup import CSS
from protograph.report.palette import ALL_ALIKE
from tests.explanation.by_hand import asking
from tests.made import made_explanation

SMILES = ["CC(=O)Oc1ccccc1", "CCC(=O)OC", "COC(=O)c1ccncc1"]
# Carbon, the oxygen by a double bond, and the other one.
MATCHES = torch.tensor([[1, 2, 2], [2, 3, 3], [3, 4, 1]])
HOLDS = Support(num_in_class=1, num_class=3, num_elsewhere=0, num_others=0)


@pytest.fixture(scope="module")
def esters():
    """An explanation of three esters, found in all of them whatever the bonds are."""
    arrays = molecule_arrays(map(parse, SMILES))
    graphs = molecule_graphs(arrays, torch.zeros(3, dtype=torch.long), SMILES)
    names = tuple(map(str, arrays["atom_types"]))
    part = graphs[0].subgraph(torch.tensor([1, 2, 3]))
    ester = Prototype(
        graph=Data(x=part.x, edge_index=part.edge_index),
        probability=0.9,
        margin=2.0,
        sources=[0, 1, 2],
        source=0,
        nodes=[1, 2, 3],
        matches=MATCHES,
        feature_names=names,
    )
    return made_explanation(
        target=0,
        prototypes=[ester],
        explainer="PAGE",
        options={},
        source_graphs=dict(enumerate(graphs)),
        origins={0: Origin(position=0, line=2, name="<phenyl> acetate", smiles=SMILES[0])},
        num_graphs=3,
        num_predicted=3,
        class_names=("ester",),
        feature_names=names,
    )


def drawn(explanation, prototype):
    return prototype_pictures(explanation, prototype, palette=shared_palette([explanation]))


def discs(picture, which="match"):
    """Where the nodes with a number in the prototype are."""
    found = re.findall(rf'class="pg-node"[^>]* data-{which}="(\d+)" cx="([-\d.]+)" cy="([-\d.]+)"', picture.markup)
    return {int(number): np.array([float(x), float(y)]) for number, x, y in found}


def test_matched_atoms_lie_alike_in_all_sources(esters):
    alone, sources = drawn(esters, esters.prototypes[0])
    shapes = [[places[1] - places[0], places[2] - places[0]] for places in map(discs, (alone, *sources))]
    assert len(shapes) == 4
    shapes[0] = [shift * BOND_PIXELS / PART_BOND for shift in shapes[0]]  # by itself it is drawn larger
    assert all(np.allclose(shape, shapes[0], atol=2.0) for shape in shapes)


def test_names_smiles_and_groups_stand_beside(esters):
    _, (first, second, _) = drawn(esters, esters.prototypes[0])
    assert (first.kind, first.place, first.smiles) == ("molecule", "graph 0 (line 2, <phenyl> acetate)", SMILES[0])
    assert 'aria-label="graph 0 (line 2, &lt;phenyl&gt; acetate' in first.markup
    assert (second.place, second.smiles, second.groups) == ("graph 1 (line 2)", SMILES[1], ("ester group",))


def test_a_pattern_by_itself_has_no_orders_where_bonds_did_not_count(esters):
    alone, _ = drawn(esters, esters.prototypes[0])
    lines = re.findall(r'<path[^>]* d="([^"]*)" fill="none"', alone.markup)
    # Two bonds, each in two halves of the colours of its ends: C=O is no double line.
    assert sum(path.count("M") for path in lines) == 4


def test_examples_are_marked_in_the_whole_molecule(esters):
    prototype = esters.prototypes[0]
    pattern = asking(prototype.graph, prototype.feature_names, closed=(1,))
    part = Data(x=prototype.graph.x, edge_index=prototype.graph.edge_index)
    example = Example(source=2, nodes=(2, 3, 1), graph=part, marked=((0, 1, 2),), probability=0.9)
    reason = Reason(has=(pattern,), example=example, searched=HOLDS, confirming=HOLDS, holds_in_indices=(0, 1))
    picture = example_picture(esters, reason, palette=ALL_ALIKE)
    assert picture.smiles == SMILES[2]
    assert set(re.findall(r'data-edge="([\d-]+)"', picture.markup)) == {"2-3", "1-2"}
    assert example_picture(esters, replace(reason, example=None), palette=ALL_ALIKE) is None
    assert pattern_picture(esters, pattern, palette=ALL_ALIKE, label="").kind == "molecule"


def test_plain_graphs_have_matched_nodes_at_matched_places(explain, house, graph_of):
    edges = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 4), (3, 4)]
    other = graph_of(
        [(8 - u, 8 - v) for u, v in edges] + [(3, 4), (2, 3), (1, 2), (0, 1)], x=torch.eye(3)[[2] * 4 + [1] * 4 + [0]]
    )
    matches = torch.tensor([[node, 8 - node] for node in range(5)])
    found = replace(house, sources=[17, 4], matches=matches)
    explanation = explain(prototypes=[found])
    explanation = replace(explanation, source_graphs={**explanation.source_graphs, 4: other})
    alone, sources = drawn(explanation, found)
    assert {picture.kind for picture in (alone, *sources)} == {"graph"}
    shapes = [np.array([places[n] - places[0] for n in range(5)]) for places in map(discs, sources)]
    assert np.allclose(shapes[0], shapes[1], atol=0.2)


def test_sentences_and_images_are_what_they_are(explain, house):
    pos = torch.tensor([[column, -row] for row in range(3) for column in range(3)], dtype=torch.float)
    edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    whole = {
        "sentence": Data(edge_index=edges, num_nodes=3, sentence="a lovely film"),
        "superpixels": Data(x=torch.linspace(0, 1, 9)[:, None], pos=pos, edge_index=edges),
    }
    for kind, graph in whole.items():
        cut = induced_subgraph(graph, [1, 0, 2])
        part = Prototype(graph=cut, probability=0.5, margin=0.0, sources=[3], source=3, nodes=[1, 0, 2])
        one = explain(prototypes=[part], source_graphs={3: graph}, feature_names=(), feature_colors=())
        alone, sources = drawn(one, part)
        assert [picture.kind for picture in (alone, *sources)] == [kind, kind]


def test_a_prototype_that_was_made_is_drawn_alone(explain, house):
    made = Prototype(graph=house.graph, probability=0.5, margin=0.0)
    assert drawn(explain(prototypes=[made]), made)[1] == []


def test_the_style_makes_no_request():
    assert "url(" not in CSS
    assert "@import" not in CSS
