"""What match_features comes to, for models and graphs whose answer is known."""

import numpy as np
import pytest
import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import global_add_pool
from torch_geometric.utils import to_undirected

import protograph as pg
from protograph.graphs.conditions import NodeRule

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


def graphs(columns, number=200, seed=0, dtype=torch.float):
    rng = np.random.default_rng(seed)
    return [Data(x=torch.tensor(columns(rng), dtype=dtype), edge_index=RING) for _ in range(number)]


def centres(rng):
    return rng.integers(4, size=(4, 1)) + 0.1 * rng.normal(size=(4, 1))


def rule_of(model, own, **options):
    return pg.PAGE(**options).fit(model, own).explain(1).node_rule


@pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")
class TestResolved:
    def test_few_values_must_be_equal(self):
        assert rule_of(Counts(), graphs(lambda rng: rng.integers(4, size=(4, 1)))) == NodeRule()

    def test_gaps_are_cut(self):
        rule = rule_of(Counts(), graphs(centres))
        assert np.round(rule.cuts, 1).tolist() == [[0.5, 1.5, 2.5]]
        assert (rule.sample, rule.reasons) == ("all 800 nodes", ("x is cut at the gaps between its values",))

    def test_a_column_that_is_not_read_is_ignored(self):
        own = graphs(lambda rng: np.concatenate([rng.integers(4, size=(4, 1)), rng.random((4, 1))], axis=1))
        rule = rule_of(Counts(), own)
        assert (rule.ignored, rule.reasons) == ((1,), ("x[1] is ignored: the model does not read it",))

    def test_whole_numbers_that_are_multiplied_are_quantities(self):
        own = graphs(lambda rng: rng.integers(1, 41, size=(4, 1)))
        rule = rule_of(Counts(high=20.0), own)
        # At 20 the model is undecided: that is a kind of its own.
        assert (rule.cuts, rule.whole, rule.groups) == (((19.5, 20.5),), (0,), ())
        assert rule.reasons == ("x is cut where the model's answers change",)

    def test_a_lattice_is_divided_at_some_of_its_gaps(self):
        own = graphs(lambda rng: rng.integers(12, size=(4, 1)) + 0.01 * rng.normal(size=(4, 1)), number=1500)
        rule = rule_of(Counts(high=5.5), own)
        assert np.round(rule.cuts, 1).tolist() == [[2.5, 5.5, 8.5]]
        assert rule.reasons == ("x is cut at the gaps between its values",)

    def test_a_walk_and_those_who_ask_compare_rows_as_they_are(self):
        own = graphs(lambda rng: rng.integers(4, size=(4, 1)) + 0.0)
        assert rule_of(Counts(), own, search="walk") == rule_of(Counts(), own, match_features=True) == NodeRule()

    def test_the_order_of_graphs_does_not_matter(self):
        own = graphs(centres)
        assert rule_of(Counts(), own[::-1]) == rule_of(Counts(), own)

    def test_the_models_view_has_the_kinds_that_it_tells_apart(self):
        own = graphs(lambda rng: rng.random((4, 1)) * 3)
        (group,) = rule_of(Counts(), own, match_features="model").groups
        assert (group.origin, group.num_kinds) == ("model", 2)
        low, high = group.kinds_of(np.array([[0.3], [2.7]]))
        assert low != high
        assert group.kinds_of(np.array([[0.1], [1.2]])).tolist() == [low, low]

    def test_where_the_model_sees_no_kinds_features_must_be_equal(self):
        own = graphs(lambda rng: np.ones((4, 1)))
        explanation = pg.PAGE(match_features="model").fit(Counts(high=0.5), own).explain(1)
        assert explanation.node_rule == NodeRule()
        assert any("comes to equal features" in note for note in explanation.warnings)

    def test_it_is_saved_counted_by_and_told(self, tmp_path):
        own = graphs(centres)
        explanation = pg.PAGE().fit(Counts(), own).explain(1)
        explanation.save(tmp_path / "saved.json")
        loaded = pg.load(tmp_path / "saved.json")
        assert loaded.node_rule == explanation.node_rule == explanation.prototypes[0].node_rule
        new = graphs(centres, seed=1)
        assert loaded.predict(new).tolist() == explanation.predict(new).tolist()
        assert "Features: x is cut at the gaps between its values; bins: low x (below" in explanation.summary()
        counted = pg.metrics.support(
            explanation.prototypes[0].graph, own, explanation.graph_predictions, match_features=explanation.node_rule
        )
        assert counted.counts[1] == explanation.prototypes[0].evidence.num_in_class


def test_what_is_no_way_to_match_is_refused():
    with pytest.raises(TypeError, match=r"^match_features must be 'auto', 'model', True, False, .* got 'bins'$"):
        pg.PAGE(match_features="bins")
