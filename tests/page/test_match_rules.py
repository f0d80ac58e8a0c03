"""What match_features and match_edges come to, for models and graphs whose answer is known."""

import networkx as nx
import numpy as np
import pytest
import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import global_add_pool
from torch_geometric.utils import to_undirected

import protograph as pg
from protograph.graphs.conditions import Reading
from protograph.graphs.variables import ONE_HOT, WHOLE_NUMBER
from tests import zoo
from tests.page.naive_patterns import ring_edges

RING = to_undirected(torch.tensor([[0, 1, 2, 0], [1, 2, 0, 3]]), num_nodes=4)


class Counts(nn.Module):
    """Class 1 where enough nodes are of a high first column; the others are read as little as is asked for."""

    def __init__(self, *, high=1.5, others=0.0):
        super().__init__()
        self.high, self.others = high, others
        self.head = nn.Linear(2, 2, bias=False)
        self.head.weight.data = torch.tensor([[0.0, 1.5], [1.0, 0.0]])

    def forward(self, x, edge_index, batch):
        bright = torch.sigmoid(20 * (x[:, 0].float() - self.high)) + self.others * x[:, 1:].float().sum(dim=1)
        pooled = global_add_pool(torch.stack([bright, torch.ones_like(bright)], dim=1), batch)
        return self.head(pooled - torch.tensor([0.0, 3.0]))


def rows_on_rings(columns, number=200, seed=0, dtype=torch.float):
    rng = np.random.default_rng(seed)
    return [Data(x=torch.tensor(columns(rng), dtype=dtype), edge_index=RING) for _ in range(number)]


def centres(rng):
    return rng.integers(4, size=(4, 1)) + 0.1 * rng.normal(size=(4, 1))


def readings(model, own, **options):
    found = pg.PAGE(**{"max_reasons": 0} | options).fit(model, own).explain(1)
    return found.node_rule, found.edge_rule


def told(reading):
    return {variable.name: variable.cuts for variable in reading.variables}


@pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")
class TestNodes:
    def test_few_values_must_be_equal(self):
        nodes, edges = readings(Counts(), rows_on_rings(lambda rng: rng.integers(4, size=(4, 1))))
        (variable,) = nodes.variables
        assert (variable.name, variable.kind, variable.values) == ("x", WHOLE_NUMBER, (0.0, 1.0, 2.0, 3.0))
        assert edges == Reading()

    def test_a_continuous_column_is_cut_where_the_model_looks(self):
        assert told(readings(Counts(), rows_on_rings(centres))[0]) == {"x": (1.5,)}
        # At 20 the model is between low and high, which is not worth a cut of its own.
        own = rows_on_rings(lambda rng: rng.integers(1, 41, size=(4, 1)))
        assert told(readings(Counts(high=20.0), own)[0]) == {"x": (20.0,)}

    def test_a_column_that_is_not_read_is_ignored(self):
        own = rows_on_rings(lambda rng: np.concatenate([rng.integers(4, size=(4, 1)), rng.random((4, 1))], axis=1))
        assert told(readings(Counts(), own)[0]) == {"x[0]": ()}
        # Unless equal features are asked for: then all count, as they are.
        nodes, _ = readings(Counts(), own, match_features=True, search="walk", num_graphs=1)
        assert [(variable.name, variable.kind) for variable in nodes.variables] == [
            ("x[0]", WHOLE_NUMBER),
            ("x[1]", WHOLE_NUMBER),
        ]

    def test_several_columns_are_cut_each_by_itself(self):
        own = rows_on_rings(lambda rng: rng.random((4, 2)) * 3)
        cuts = told(readings(Counts(others=0.5), own)[0])
        assert cuts.keys() == {"x[0]", "x[1]"}
        assert min(abs(cut - 1.5) for cut in cuts["x[0]"]) <= 0.15  # so wide is the step of the model

    def test_a_model_that_fails_on_other_rows_is_explained_all_the_same(self):
        class Fails(Counts):
            def forward(self, x, edge_index, batch):
                if x.sum(dim=1).any():
                    raise RuntimeError("odd rows")
                return super().forward(x, edge_index, batch)

        def columns(rng):
            return rng.integers(4, size=(4, 1)) * [1, -1]

        explanation = pg.PAGE(max_reasons=0).fit(Fails(), rows_on_rings(columns)).explain(1)
        note = "the model failed on shuffled graphs (RuntimeError: odd rows)"
        assert explanation.sensitivity.note == note
        assert f"What the model reads is not known: {note}." in explanation.summary()
        assert told(explanation.node_rule) == {"x[0]": (), "x[1]": ()}

    def test_it_is_saved_counted_by_and_told(self, tmp_path):
        own = rows_on_rings(centres, number=100)
        explanation = pg.PAGE().fit(Counts(), own).explain(1)
        explanation.save(tmp_path / "saved.json")
        loaded = pg.load(tmp_path / "saved.json")
        assert loaded.node_rule == explanation.node_rule == explanation.prototypes[0].node_rule
        new = rows_on_rings(centres, seed=1)
        assert loaded.predict(new).tolist() == explanation.predict(new).tolist()
        assert "  Rule: at least two nodes of x of at least 1.5.\n" in explanation.summary()
        counted = pg.metrics.support(
            explanation.prototypes[0].graph, own, explanation.survey.predictions, match_features=explanation.node_rule
        )
        assert counted.counts[1] == explanation.prototypes[0].evidence.num_in_class


# ---- edges ------------------------------------------------------------------------------------------------------


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
    return pg.PAGE(**{"num_clusters": 1, "max_reasons": 0} | options).fit(model, graphs).explain(1)


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
    explainer = pg.PAGE(num_clusters=1, max_reasons=0).fit(READS_DOUBLE, GRAPHS)
    explanation = explainer.explain(1)
    (prototype,) = explanation.prototypes
    assert explanation.options["match_edges"] == "auto"
    assert explanation.edge_rule == prototype.edge_rule
    (variable,) = prototype.edge_rule.variables
    assert (variable.name, variable.kind, variable.places) == ("edge_attr", ONE_HOT, (0, 1))
    assert DOUBLE in prototype.graph.edge_attr.tolist()
    expected = counts(explanation, GRAPHS, explainer.predictions_, lambda a, b: a == b)
    assert (prototype.evidence.num_in_class, prototype.evidence.num_elsewhere) == expected == (20, 0)


def test_continuous_attributes_agree_on_one_side_of_a_cut():
    # Lengths from 0 to 1, no two alike; the ring of every second graph has one edge as long as 2 and a little.
    generator = torch.Generator().manual_seed(0)
    graphs = []
    for number in range(40):
        lengths = torch.rand(5, generator=generator).tolist()
        lengths[number % 3] += 2.0 * (number % 2)
        graphs.append(ring_on_a_path(number, lengths))
    explainer = pg.PAGE(num_clusters=1, max_reasons=0).fit(LongEdges(lambda rows: (rows[:, 0] > 1.5).double()), graphs)
    explanation = explainer.explain(1)
    assert told(explanation.edge_rule) == {"edge_attr": (1.5,)}
    expected = counts(explanation, graphs, explainer.predictions_, lambda a, b: (a[0] < 1.5) == (b[0] < 1.5))
    evidence = explanation.prototypes[0].evidence
    assert (evidence.num_in_class, evidence.num_elsewhere) == expected


def test_a_model_that_reads_no_edges_is_explained_as_before():
    graphs, model = zoo.random_graphs(40), zoo.make(kind=zoo.TakesData)
    for number, graph in enumerate(graphs):
        graph.edge_attr = ((graph.edge_index.sum(dim=0) + number) % 2).float()
    plain, found = explained(model, graphs, match_edges=False), explained(model, graphs)
    assert plain.edge_rule == found.edge_rule == Reading()
    assert [p.evidence for p in found.prototypes] == [p.evidence for p in plain.prototypes]
    assert found.provenance.model_calls == plain.provenance.model_calls


def test_the_walk_is_the_paper_s():
    options = {"search": "walk", "num_graphs": 2, "max_nodes": 5}
    assert explained(READS_DOUBLE, GRAPHS, **options).edge_rule == Reading()
    assert told(explained(READS_DOUBLE, GRAPHS, match_edges=True, **options).edge_rule) == {"edge_attr": ()}


def test_attributes_that_are_asked_for_count_though_the_model_takes_none():
    graphs = [Data(x=graph.x.repeat(1, 3), edge_index=graph.edge_index, edge_attr=graph.edge_attr) for graph in GRAPHS]
    assert told(explained(zoo.make(), graphs, match_edges=True).edge_rule) == {"edge_attr": ()}
    assert explained(zoo.make(), graphs).edge_rule == Reading()


def test_attributes_that_are_asked_for_and_not_there():
    with pytest.raises(ValueError, match=r"^match_edges=True needs edge_attr on every graph; the graphs have none$"):
        explained(zoo.make(), zoo.random_graphs(20), match_edges=True)
    assert explained(zoo.make(), zoo.random_graphs(20)).edge_rule == Reading()
