import pytest
import torch
from torch_geometric.nn import global_add_pool

import protograph as pg
from protograph.evaluation.evaluation import accuracy_of
from research.paper.variants import Variant, default_of, outcome, outcomes, varied, walk_of

pytestmark = pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")


@pytest.fixture(scope="module")
def case():
    data = pg.datasets.load("ba-house", num_graphs=120)
    trained = pg.train(data, hidden=(16, 16), learning_rate=0.01, max_epochs=25)
    return trained.model, data[trained.split.train], data


def test_a_variant_is_what_an_explainer_with_its_options_gives(case):
    model, graphs, data = case
    variants = [Variant(name="as it is"), Variant(name="k = 2", options={"num_graphs": 2})]
    found = outcomes(walk_of(3), variants, model, graphs, data)
    assert list(found) == ["as it is", "k = 2"]
    for name, options in (("as it is", {}), ("k = 2", {"num_graphs": 2})):
        plain = pg.PAGE(search="walk", num_clusters=2, random_state=3, **options).fit(model, graphs).explain(1)
        right = [accuracy_of(one, plain, graphs, data.ground_truths[1]).value for one in plain.prototypes]
        assert found[name]["accuracy"] == pytest.approx(sum(right) / len(right))
        assert found[name]["num_prototypes"] == len(plain.prototypes)
        assert found[name]["num_nodes"] == sum(one.num_nodes for one in plain.prototypes) / len(plain.prototypes)


def test_options_are_checked_and_the_fitted_explainer_keeps_its_own(case):
    fitted = walk_of(0).fit(*case[:2])
    with pytest.raises(ValueError, match=r"^budget must be at least 1, got 0$"):
        varied(fitted, {"budget": 0})
    assert varied(fitted, {"budget": 2}).budget == 2
    assert fitted.budget == 5


def test_the_default_without_reasons(case):
    model, graphs, data = case
    found = outcomes(default_of(0), [Variant(name="as it is")], model, graphs, data)["as it is"]
    plain = pg.PAGE(max_reasons=0).fit(model, graphs).explain(1)
    assert found["probability"] == pytest.approx(sum(p.probability for p in plain.prototypes) / len(plain.prototypes))


class Blind(torch.nn.Module):
    """Every graph is of class 0."""

    def forward(self, x, edge_index, batch):
        total = global_add_pool(x, batch).sum(dim=1, keepdim=True)
        return torch.cat([total, -total], dim=1)


def test_a_class_that_is_never_predicted_does_not_count(case):
    _, graphs, data = case
    found = outcome(walk_of(0).fit(Blind(), graphs), graphs, data)
    assert (found["accuracy"], found["probability"], found["num_prototypes"]) == (None, None, 0)
