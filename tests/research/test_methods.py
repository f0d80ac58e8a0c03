import pytest
import torch

import protograph as pg
from research.paper.methods import IN_PAPER, TITLES, explainer_of
from research.paper.settings import Settings


def test_every_explainer_has_its_defaults_and_the_papers_two_prototypes():
    made = {method: repr(explainer_of(method, 3, Settings())) for method in TITLES}
    assert made == {
        "walk": repr(pg.PAGE(search="walk", num_clusters=2, random_state=3)),
        "page": repr(pg.PAGE(max_reasons=0, random_state=3)),
        "xgnn": repr(pg.baselines.XGNN(num_prototypes=2, random_state=3)),
        "gnninterpreter": repr(pg.baselines.GNNInterpreter(num_prototypes=2, random_state=3)),
        "random": repr(pg.baselines.RandomSubgraph(num_prototypes=2, random_state=3)),
    }
    assert set(IN_PAPER) < set(TITLES)


def test_generators_stop_early_in_a_quick_run():
    quick = explainer_of("xgnn", 0, Settings(is_quick=True))
    assert (quick.num_epochs, quick.num_rollouts) == (1, 1)


def test_an_unknown_one_is_refused():
    with pytest.raises(ValueError, match=r"method must be one of walk, page, .*, random, got 'gradient'$"):
        explainer_of("gradient", 0, Settings())


def test_prototypes_do_not_depend_on_reasons():
    graphs = pg.datasets.load("ba-house", num_graphs=120)
    trained = pg.train(graphs, hidden=(8,), max_epochs=4)
    with_reasons = pg.PAGE(num_clusters=1).fit(trained.model, graphs).explain(1).prototypes[0]
    without = pg.PAGE(num_clusters=1, max_reasons=0).fit(trained.model, graphs).explain(1).prototypes[0]
    assert torch.equal(with_reasons.graph.edge_index, without.graph.edge_index)
    assert with_reasons.probability == without.probability
