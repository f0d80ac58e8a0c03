"""Attributes of edges decide what a prototype is exactly where the model reads them."""

import networkx as nx
import pytest
import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import global_add_pool

import protograph as pg
from protograph.graphs.conditions import EdgeRule
from tests import zoo
from tests.page.naive_patterns import ring_edges

MATCHED = EdgeRule(is_matched=True)


class LongEdges(nn.Module):
    """Class 1 where the sum over edges of ``weigh`` of their attributes is above 0; nodes are only embedded."""

    def __init__(self, weigh):
        super().__init__()
        self.weigh = weigh
        self.head = nn.Linear(2, 2)
        self.head.weight.data = torch.tensor([[0.0, 0.0], [0.0, 4.0]])
        self.head.bias.data = torch.tensor([0.0, -2.0])

    def forward(self, x, edge_index, edge_attr, batch):
        nodes = torch.cat([x[:, :1], torch.zeros_like(x[:, :1])], dim=1)
        weights = torch.stack([torch.zeros_like(edge_attr[:, 0]), self.weigh(edge_attr)], dim=1)
        return self.head(global_add_pool(nodes.index_add(0, edge_index[0], weights.to(nodes)), batch))


def ring_on_a_path(number, attributes):
    """A ring of five on a path of ``number // 2 % 4 + 1``, all nodes alike; ``attributes`` are of the ring's edges."""
    tail = number // 2 % 4 + 1
    edges = [*ring_edges(0, 1, 2, 3, 4), *((node, node + 1) for node in range(4, 4 + tail))]
    rows = torch.tensor([*attributes, *[attributes[-1]] * tail], dtype=torch.float).reshape(len(edges), -1)
    pairs = torch.tensor(edges).T
    edge_index, edge_attr = torch.cat([pairs, pairs.flip(0)], dim=1), torch.cat([rows, rows])
    return Data(x=torch.ones(5 + tail, 1), edge_index=edge_index, edge_attr=edge_attr)


# One-hot: single, double. Every second graph has a double edge in its ring, not always at the same place.
SINGLE, DOUBLE = [1.0, 0.0], [0.0, 1.0]
GRAPHS = [ring_on_a_path(n, [DOUBLE if n % 2 and place == n % 3 else SINGLE for place in range(5)]) for n in range(40)]
READS_DOUBLE = LongEdges(lambda rows: rows[:, 1])


def explained(model, graphs, **options):
    return pg.PAGE(**{"num_clusters": 1} | options).fit(model, graphs).explain(1)


def contains(graph, part, agree):
    """Whether a graph contains a part, by networkx; ``agree`` compares two rows of attributes, ``None`` none."""
    whole, pattern = (nx.Graph() for _ in range(2))
    for target, data in ((whole, graph), (pattern, part)):
        rows = zip(data.edge_index.T.tolist(), data.edge_attr.tolist(), strict=True)
        target.add_nodes_from(range(data.num_nodes))
        target.add_edges_from((u, v, {"row": row}) for (u, v), row in rows)
    edge_match = None if agree is None else lambda a, b: agree(a["row"], b["row"])
    return nx.isomorphism.GraphMatcher(whole, pattern, edge_match=edge_match).subgraph_is_monomorphic()


def counts(explanation, graphs, predictions, agree):
    """What evidence must say of the first prototype."""
    has = [contains(graph, explanation.prototypes[0].graph, agree) for graph in graphs]
    inside = sum(one for one, predicted in zip(has, predictions, strict=True) if predicted == 1)
    return inside, sum(has) - inside


def test_the_prototype_has_the_bond_that_the_model_reads():
    explainer = pg.PAGE(num_clusters=1).fit(READS_DOUBLE, GRAPHS)
    explanation = explainer.explain(1)
    (prototype,) = explanation.prototypes
    assert explanation.options["match_edges"] == "auto"
    assert explanation.edge_rule == prototype.edge_rule == MATCHED
    assert DOUBLE in prototype.graph.edge_attr.tolist()
    expected = counts(explanation, GRAPHS, explainer.predictions_, lambda a, b: a == b)
    assert (prototype.evidence.num_in_class, prototype.evidence.num_elsewhere) == expected == (20, 0)


def test_without_looking_at_edges_the_same_model_has_a_prototype_of_all_graphs():
    explanation = explained(READS_DOUBLE, GRAPHS, match_edges=False)
    assert explanation.edge_rule == explanation.prototypes[0].edge_rule == EdgeRule()
    evidence = explanation.prototypes[0].evidence
    assert (evidence.num_in_class, evidence.num_elsewhere) == counts(
        explanation, GRAPHS, [n % 2 for n in range(40)], None
    )
    assert evidence.num_elsewhere == 20


def test_continuous_attributes_agree_within_a_bin():
    # Lengths from 0 to 1, no two alike; the ring of every second graph has one edge as long as 2 and a little.
    generator = torch.Generator().manual_seed(0)
    graphs = []
    for number in range(40):
        lengths = torch.rand(5, generator=generator).tolist()
        lengths[number % 3] += 2.0 * (number % 2)
        graphs.append(ring_on_a_path(number, lengths))
    explainer = pg.PAGE(num_clusters=1, edge_options={"num_bins": 2}).fit(
        LongEdges(lambda rows: (rows[:, 0] > 1.5).double()), graphs
    )
    explanation = explainer.explain(1)
    ((cut,),) = explanation.edge_rule.cuts
    values = sorted(value for graph in graphs for value in graph.edge_attr.flatten().tolist())
    assert max(value for value in values if value < cut) == values[len(values) // 2 - 1]
    expected = counts(explanation, graphs, explainer.predictions_, lambda a, b: (a[0] < cut) == (b[0] < cut))
    evidence = explanation.prototypes[0].evidence
    assert (evidence.num_in_class, evidence.num_elsewhere) == expected


def test_a_model_that_reads_no_edges_is_explained_as_before():
    graphs, model = zoo.random_graphs(40), zoo.make(kind=zoo.TakesData)
    for number, graph in enumerate(graphs):
        graph.edge_attr = ((graph.edge_index.sum(dim=0) + number) % 2).float()
    plain, found = explained(model, graphs, match_edges=False), explained(model, graphs)
    assert plain.edge_rule == found.edge_rule == EdgeRule()
    assert [p.evidence for p in found.prototypes] == [p.evidence for p in plain.prototypes]
    # 32 graphs as they are, again, with the next row, that of another edge, all in turn, and two times one for all.
    assert found.model_calls == plain.model_calls + 32 * 7


def test_what_was_found_out_is_used_for_every_class_and_counted_for_each():
    explainer = pg.PAGE(num_clusters=1, num_graphs=2, budget=1).fit(READS_DOUBLE, GRAPHS)
    calls = [explainer.explain(target).model_calls for target in (1, 1, 0, 0)]
    assert calls[0] == calls[1]
    assert calls[2] == calls[3]


def test_the_walk_is_the_paper_s():
    options = {"search": "walk", "num_graphs": 2, "max_nodes": 5}
    assert explained(READS_DOUBLE, GRAPHS, **options).edge_rule == EdgeRule()
    assert explained(READS_DOUBLE, GRAPHS, match_edges=True, **options).edge_rule == MATCHED


def test_attributes_that_are_asked_for_and_not_there():
    with pytest.raises(ValueError, match=r"^match_edges=True needs edge_attr on every graph; the graphs have none$"):
        explained(zoo.make(), zoo.random_graphs(20), match_edges=True)
    assert explained(zoo.make(), zoo.random_graphs(20)).edge_rule == EdgeRule()


def test_a_note_says_what_was_taken_for_granted():
    def weigh(rows):
        if rows.size(0) > 100 and float(rows[:, 1].std()) == 0:
            raise RuntimeError("no spread")
        return 0 * rows[:, 1] + 1

    note = "edge_attr is taken to be read: with other rows of it the model failed (RuntimeError: no spread)"
    with pytest.warns(pg.ProtographWarning) as warned:
        explanation = explained(LongEdges(weigh), GRAPHS)
    learned_nothing = "the model may have learned nothing: all 40 graphs are predicted as class 1"
    assert [str(one.message) for one in warned] == [learned_nothing, f"class 1: {note}"]
    assert explanation.warnings == ("all graphs are predicted as it: there are no others to tell it from", note)
    assert explanation.edge_rule == MATCHED


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_bins": 1}, "num_bins must be at least 2, got 1"),
        ({"num_graphs": 0}, "num_graphs must be at least 1, got 0"),
    ],
)
def test_options_that_say_nothing_are_refused(options, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        pg.PAGE(edge_options=options)


def test_what_it_came_to_is_saved(tmp_path):
    rule = EdgeRule(is_matched=True, cuts=((0.1 + 0.2, 1.5), ()))
    explanation = pg.Explanation(
        target=0,
        prototypes=[],
        explainer="PAGE",
        options={},
        num_graphs=1,
        num_predicted=1,
        class_names=("0",),
        edge_rule=rule,
    )
    explanation.save(tmp_path / "saved.json")
    assert pg.load(tmp_path / "saved.json").edge_rule == rule
