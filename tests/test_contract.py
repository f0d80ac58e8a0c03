"""What every explainer owes, whatever its method (``tests/contract.py``), and what only some of ours promise."""

import warnings
from functools import partial

import numpy as np
import pytest
import torch

import protograph as pg
from tests import contract, zoo

# Small enough for a test; the options of the method itself are tested beside it.
EXPLAINERS = {
    "PAGE": partial(pg.PAGE, num_clusters=1, num_graphs=2, max_nodes=5, max_reasons=0),
    "walk": partial(pg.PAGE, search="walk", num_clusters=1, num_graphs=2, max_nodes=5),
    "XGNN": partial(pg.baselines.XGNN, max_nodes=5, num_epochs=2, num_rollouts=1),
    "GNNInterpreter": partial(pg.baselines.GNNInterpreter, max_nodes=5, num_iterations=4),
    "RandomSubgraph": partial(pg.baselines.RandomSubgraph, max_nodes=5, num_candidates=8),
}
BY_CHANCE = ("XGNN", "GNNInterpreter", "RandomSubgraph")
pytestmark = pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")


@pytest.fixture(scope="module", params=EXPLAINERS)
def subject(request, tmp_path_factory):
    return contract.Subject(EXPLAINERS[request.param], tmp_path_factory.mktemp(request.param))


@pytest.mark.parametrize("check", contract.CHECKS, ids=lambda check: check.__name__)
def test_the_contract(subject, check):
    check(subject)


def test_reasons_are_kept_and_the_same_again(tmp_path):
    """What reasons add to PAGE; all else does not depend on them."""
    contract.saved_and_loaded_is_the_same(contract.Subject(partial(EXPLAINERS["PAGE"], max_reasons=2), tmp_path))


@pytest.fixture(scope="module")
def graphs():
    return zoo.random_graphs(16)


def model_of():
    torch.manual_seed(1)
    return zoo.make()


def explained(name, model, graphs, **options):
    explainer = EXPLAINERS[name](**options).fit(model, graphs)
    return explainer.explain(int(np.bincount(explainer.predictions_).argmax()))


def same(one, other):
    return torch.equal(one.graph.x, other.graph.x) and torch.equal(one.graph.edge_index, other.graph.edge_index)


@pytest.mark.parametrize("name", BY_CHANCE)
def test_other_seeds_other_results(name, graphs):
    found = [explained(name, model_of(), graphs, random_state=seed).prototypes[0] for seed in range(3)]
    assert not all(same(found[0], other) for other in found[1:])


class Certain(zoo.Net):
    """Log probabilities of 0 and minus infinity for all but the closest cases."""

    def forward(self, x, edge_index, batch):
        return (1e4 * super().forward(x, edge_index, batch)).softmax(dim=1).log()


@pytest.mark.parametrize("name", BY_CHANCE)
def test_a_probability_of_0_is_no_error(name, graphs):
    prototype = explained(name, zoo.make(kind=Certain), graphs).prototypes[0]
    assert (prototype.probability, prototype.margin) == (1.0, 1000.0)


@pytest.mark.parametrize("name", BY_CHANCE)
def test_an_interrupt_keeps_the_best_so_far(name, graphs):
    options = {"num_candidates": 200} if name == "RandomSubgraph" else {}

    def interrupt(stage, done, total):
        if stage in ("generating", "sampling") and done >= 2:
            raise KeyboardInterrupt

    make = {"RandomSubgraph": lambda: pg.baselines.RandomSubgraph(max_nodes=5, **options)}.get(name, EXPLAINERS[name])
    explainer = make().fit(model_of(), graphs, progress=interrupt)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        explanation = explainer.explain(int(np.bincount(explainer.predictions_).argmax()))
    assert explanation.prototypes
    assert any("interrupted" in note for note in explanation.warnings)
    assert any("interrupted" in str(item.message) for item in caught)
