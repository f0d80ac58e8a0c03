"""What every explainer owes, whatever its method."""

import copy
import random
import warnings

import networkx as nx
import numpy as np
import pytest
import torch

import protograph as pg
from tests import zoo

# Small enough for a test; the options of the method itself are tested beside it.
EXPLAINERS = {
    "PAGE": lambda **o: pg.PAGE(num_clusters=1, num_graphs=2, max_nodes=o.pop("max_nodes", 5), **o),
    "walk": lambda **o: pg.PAGE(search="walk", num_clusters=1, num_graphs=2, max_nodes=o.pop("max_nodes", 5), **o),
    "XGNN": lambda **o: pg.XGNN(max_nodes=o.pop("max_nodes", 5), num_epochs=2, num_rollouts=2, **o),
    "GNNInterpreter": lambda **o: pg.GNNInterpreter(max_nodes=o.pop("max_nodes", 5), num_iterations=8, **o),
    "RandomSubgraph": lambda **o: pg.RandomSubgraph(max_nodes=o.pop("max_nodes", 5), num_candidates=8, **o),
}
BY_CHANCE = ("XGNN", "GNNInterpreter", "RandomSubgraph")
CLASSES = {"walk": "PAGE"}
every = pytest.mark.parametrize("name", EXPLAINERS)
pytestmark = pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")


@pytest.fixture(scope="module")
def graphs():
    return zoo.random_graphs(40)


def model_of(conv="gcn", num_classes=2):
    torch.manual_seed(1)
    return zoo.make(conv=conv, num_classes=num_classes)


def most_predicted(explainer):
    return int(np.bincount(explainer.predictions_).argmax())


def explained(name, model, graphs, **options):
    explainer = EXPLAINERS[name](**options).fit(model, graphs)
    return explainer.explain(most_predicted(explainer))


def same(one, other):
    return (
        torch.equal(one.graph.x, other.graph.x)
        and torch.equal(one.graph.edge_index, other.graph.edge_index)
        and one.margin == pytest.approx(other.margin, abs=1e-6)
    )


@every
@pytest.mark.parametrize("conv", ["gcn", "gin", "gat"])
def test_prototypes_are_connected_graphs_of_the_data(name, conv, graphs):
    explanation = explained(name, model_of(conv), graphs)
    rows = {tuple(row) for graph in graphs for row in graph.x.tolist()}
    assert explanation.explainer == CLASSES.get(name, name)
    assert explanation.prototypes
    for prototype in explanation.prototypes:
        graph = prototype.graph
        graph.validate()
        assert 1 <= graph.num_nodes <= 5
        assert {tuple(row) for row in graph.x.tolist()} <= rows
        assert graph.x.dtype == graphs[0].x.dtype
        assert graph.is_undirected()
        assert not graph.has_self_loops()
        assert graph.is_coalesced() or len(set(map(tuple, graph.edge_index.T.tolist()))) == graph.num_edges
        joined = nx.Graph(graph.edge_index.T.tolist())
        joined.add_nodes_from(range(graph.num_nodes))
        assert nx.is_connected(joined)


@every
@pytest.mark.parametrize("conv", ["gcn", "gin", "gat"])
def test_probability_and_margin_are_the_model_s(name, conv, graphs):
    model = model_of(conv)
    explanation = explained(name, model, graphs)
    for prototype in explanation.prototypes:
        graph = prototype.graph
        with torch.no_grad():
            scores = model.double()(graph.x.double(), graph.edge_index, torch.zeros(graph.num_nodes, dtype=torch.long))
        model.float()
        chance = scores.softmax(dim=1)[0, explanation.target].item()
        assert prototype.probability == pytest.approx(chance, abs=1e-6)
        assert prototype.margin == pytest.approx(np.log(chance) - np.log1p(-chance), abs=1e-5)
    margins = [prototype.margin for prototype in explanation.prototypes]
    assert margins == sorted(margins, reverse=True)


@every
def test_a_prototype_knows_what_the_model_takes_it_for(name, graphs):
    explainer = EXPLAINERS[name]().fit(model_of(num_classes=3), graphs)
    for target in np.unique(explainer.predictions_).tolist():
        for prototype in explainer.explain(target).prototypes:
            again = EXPLAINERS["RandomSubgraph"]().fit(model_of(num_classes=3), [prototype.graph, *graphs])
            assert prototype.target == target
            assert prototype.predicted == again.predictions_[0]


@every
def test_same_seed_same_result(name, graphs):
    first, second = (explained(name, model_of(), graphs, random_state=3) for _ in range(2))
    assert all(same(a, b) for a, b in zip(first.prototypes, second.prototypes, strict=True))


@every
def test_options_make_the_same_explainer_again(name, graphs, tmp_path):
    explainer = EXPLAINERS[name](random_state=7).fit(model_of(), graphs)
    explanation = explainer.explain(most_predicted(explainer))
    explanation.save(tmp_path / "explanation.json")
    again = type(explainer)(**pg.load(tmp_path / "explanation.json").options).fit(model_of(), graphs)
    repeated = again.explain(explanation.target)
    assert repeated.options == explanation.options
    assert all(same(a, b) for a, b in zip(explanation.prototypes, repeated.prototypes, strict=True))


@pytest.mark.parametrize("name", BY_CHANCE)
def test_other_seeds_other_results(name, graphs):
    found = [explained(name, model_of(), graphs, random_state=seed).prototypes[0] for seed in range(6)]
    assert not all(same(found[0], other) for other in found[1:])


@every
def test_model_graphs_and_generators_are_left_as_found(name, graphs):
    model = model_of().train()
    model.conv1.eval()
    before = copy.deepcopy(model.state_dict()), [module.training for module in model.modules()]
    tensors = [(graph.x.clone(), graph.edge_index.clone()) for graph in graphs]
    torch.manual_seed(5), np.random.seed(5), random.seed(5)
    states = torch.get_rng_state(), np.random.get_state()[1].copy(), random.getstate()
    explained(name, model, graphs)
    assert torch.equal(torch.get_rng_state(), states[0])
    assert np.array_equal(np.random.get_state()[1], states[1])
    assert random.getstate() == states[2]
    assert all(torch.equal(value, model.state_dict()[key]) for key, value in before[0].items())
    assert [module.training for module in model.modules()] == before[1]
    assert all(weight.grad is None for weight in model.parameters())
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())
    assert all(torch.equal(g.x, x) and torch.equal(g.edge_index, e) for g, (x, e) in zip(graphs, tensors, strict=True))


class Certain(zoo.Net):
    """Log probabilities of 0 and minus infinity for all but the closest cases."""

    def forward(self, x, edge_index, batch):
        return (1e4 * super().forward(x, edge_index, batch)).softmax(dim=1).log()


@pytest.mark.parametrize("name", BY_CHANCE)
def test_a_probability_of_0_is_no_error(name, graphs):
    prototype = explained(name, zoo.make(kind=Certain), graphs).prototypes[0]
    assert (prototype.probability, prototype.margin) == (1.0, 1000.0)


@every
def test_many_classes(name, graphs):
    explainer = EXPLAINERS[name]().fit(model_of(num_classes=4), graphs)
    found = explainer.explain_all()
    assert list(found) == sorted(set(explainer.predictions_.tolist()))
    assert all(found[target].target == target for target in found)


@every
@pytest.mark.parametrize(("target", "error"), [(2, ValueError), (-1, ValueError), (True, TypeError), ("a", TypeError)])
def test_bad_targets(name, target, error, graphs):
    explainer = EXPLAINERS[name]().fit(model_of(), graphs)
    with pytest.raises(error, match=r"^target must be"):
        explainer.explain(target)


@every
def test_before_fit(name):
    with pytest.raises(pg.NotFittedError, match=rf"^this {CLASSES.get(name, name)} has no model yet; call fit"):
        EXPLAINERS[name]().explain(0)


@every
def test_saved_and_loaded(name, graphs, tmp_path):
    explanation = explained(name, model_of(), graphs)
    explanation.save(tmp_path / "explanation.json")
    again = pg.load(tmp_path / "explanation.json")
    assert again.explainer == CLASSES.get(name, name)
    assert again.options == explanation.options
    assert again.model_calls == explanation.model_calls > 40
    for one, other in zip(explanation.prototypes, again.prototypes, strict=True):
        assert torch.equal(one.graph.x, other.graph.x)
        assert torch.equal(one.graph.edge_index, other.graph.edge_index)
        assert (one.probability, one.margin, one.source) == (other.probability, other.margin, other.source)
    assert again.summary() == explanation.summary()


@every
def test_progress_is_told(name, graphs):
    told = []
    explainer = EXPLAINERS[name]().fit(model_of(), graphs, progress=lambda *step: told.append(step))
    explainer.explain_all()
    assert all(isinstance(stage, str) and done >= 0 and (total is None or done <= total) for stage, done, total in told)
    assert len({stage for stage, _, _ in told}) >= 2


@pytest.mark.parametrize("name", BY_CHANCE)
def test_an_interrupt_keeps_the_best_so_far(name, graphs):
    options = {"num_candidates": 200} if name == "RandomSubgraph" else {}

    def interrupt(stage, done, total):
        if stage in ("generating", "sampling") and done >= 2:
            raise KeyboardInterrupt

    make = {"RandomSubgraph": lambda: pg.RandomSubgraph(max_nodes=5, **options)}.get(name, EXPLAINERS[name])
    explainer = make().fit(model_of(), graphs, progress=interrupt)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        explanation = explainer.explain(most_predicted(explainer))
    assert explanation.prototypes
    assert any("interrupted" in note for note in explanation.warnings)
    assert any("interrupted" in str(item.message) for item in caught)


@pytest.mark.parametrize("name", BY_CHANCE)
def test_as_many_prototypes_as_asked_for(name, graphs):
    explanation = explained(name, model_of(), graphs, num_prototypes=3)
    assert len(explanation.prototypes) == 3
    assert explanation.summary().count("\n  ") >= 3


@every
def test_a_picture_and_a_report(name, graphs, tmp_path):
    explanation = explained(name, model_of(), graphs)
    explanation.plot(tmp_path / "found.png")
    explanation.report(tmp_path / "report.html")
    assert (tmp_path / "found.png").read_bytes().startswith(b"\x89PNG")
    assert CLASSES.get(name, name) in (tmp_path / "report.html").read_text()
