import copy
import random
import warnings

import networkx as nx
import numpy as np
import pytest
import torch
from networkx.algorithms.isomorphism import categorical_node_match
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv, GraphConv, global_add_pool

from protograph._base.errors import NotFittedError, ProtographWarning
from protograph.models.classifier import GraphClassifier
from protograph.models.outputs import margins
from protograph.peers.generating import learn
from protograph.peers.gnninterpreter import GNNInterpreter, _Search
from tests import zoo

GRAPHS = zoo.random_graphs(40)
QUICK = {"num_iterations": 6, "num_samples": 4, "max_nodes": 6}


def fitted(model=None, graphs=GRAPHS, progress=None, **options):
    return GNNInterpreter(**{**QUICK, **options}).fit(model or zoo.make(), graphs, progress=progress)


def as_networkx(graph):
    result = nx.Graph()
    rows = [()] * graph.num_nodes if graph.x is None else graph.x.reshape(graph.num_nodes, -1).tolist()
    result.add_nodes_from((i, {"x": tuple(row)}) for i, row in enumerate(rows))
    result.add_edges_from(graph.edge_index.t().tolist())
    return result


def is_same(a, b):
    return nx.is_isomorphic(as_networkx(a), as_networkx(b), node_match=categorical_node_match("x", None))


def search_of(explainer, target):
    return _Search(explainer, target, set(), torch.Generator().manual_seed(0))


def check_valid(graph, graphs, max_nodes=6):
    """A connected graph of the data's types, joined as they are in the data and with no more neighbours."""
    vocabulary, shape = learn(graphs), as_networkx(graph)
    assert nx.is_connected(shape)
    assert 1 <= graph.num_nodes <= max_nodes
    assert not nx.number_of_selfloops(shape)
    assert graph.edge_index.size(1) == 2 * shape.number_of_edges()
    kinds = [0] * graph.num_nodes
    if vocabulary.x is not None:
        kinds = [int((vocabulary.x == row).flatten(1).all(dim=1).nonzero()) for row in graph.x]
    for u, v in shape.edges:
        assert vocabulary.joined[kinds[u], kinds[v]] > 0
    for node, degree in shape.degree:
        assert degree <= vocabulary.max_degree[kinds[node]]


# ---- what comes out -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("conv", ["gcn", "gin", "gat"])
def test_prototypes_are_valid_and_judged_by_the_model(conv):
    model = zoo.make(conv=conv)
    explainer = fitted(model, num_prototypes=2)
    for target, explanation in explainer.explain_all().items():
        assert explanation.explainer == "GNNInterpreter"
        assert explanation.target == target
        assert explanation.options == {**vars(GNNInterpreter()), **QUICK, "num_prototypes": 2}
        assert {"fit", "vocabulary", "generation"} <= set(explanation.timings)
        a, b = explanation.prototypes
        assert a.margin >= b.margin
        assert not is_same(a.graph, b.graph)
        for p in (a, b):
            check_valid(p.graph, GRAPHS)
            assert (p.cluster, p.sources, p.source, p.nodes, p.matches, p.sessions) == (None,) * 5 + ([],)
            with torch.no_grad():
                scores = model(p.graph.x, p.graph.edge_index, torch.zeros(p.num_nodes, dtype=torch.long))
            assert p.probability == pytest.approx(float(scores.softmax(1)[0, target]), abs=1e-5)
            assert p.margin == pytest.approx(float(margins(scores, target)), abs=1e-4)


class CountsOf(nn.Module):
    """The score of class 1 is the number of edges between nodes of type 0 and 1, less ``bias``."""

    def __init__(self, bias):
        super().__init__()
        self.conv, self.bias = GraphConv(3, 2, bias=False), nn.Parameter(torch.tensor(bias))
        with torch.no_grad():
            self.conv.lin_rel.weight[:] = torch.eye(3)[:2]
            self.conv.lin_root.weight[:] = 10 * torch.eye(3)[[1, 0]] - 10

    def forward(self, x, edge_index, batch):
        # A node of type 1 counts its neighbours of type 0 and the other way round; others have -10 and count nothing.
        score = global_add_pool(self.conv(x, edge_index).relu(), batch).sum(dim=1, keepdim=True) / 2 - self.bias
        return torch.cat([-score, score], dim=1)


def test_the_best_graph_of_a_model_that_counts_edges_is_found():
    model, graphs = CountsOf(6.5), zoo.random_graphs(40, density=0.6)
    explainer = fitted(model, graphs, num_iterations=60, num_samples=8, max_edges=8)
    best = explainer.explain(1).prototypes[0]
    # Eight edges, each of which joins the two types: 8 - 6.5 to each side.
    assert best.margin == pytest.approx(3, abs=1e-6)
    assert best.num_edges == 8


def test_optimisation_beats_its_own_start():
    model = zoo.make()
    starts, ends = (
        [fitted(model, num_iterations=count, random_state=seed).explain(1).prototypes[0].margin for seed in range(2)]
        for count in (1, 30)
    )
    assert min(ends) > np.mean(starts) + 0.5


def test_max_edges_and_max_nodes_hold():
    assert fitted(max_edges=3).explain(1).prototypes[0].num_edges <= 3
    single = fitted(max_nodes=1).explain(1).prototypes[0]
    assert (single.num_nodes, single.num_edges) == (1, 0)
    with pytest.warns(ProtographWarning, match="only 3 different graphs were found, 5 were asked for"):
        few = fitted(max_nodes=1, num_prototypes=5, num_iterations=4, num_samples=32).explain(1)
    assert len(few.prototypes) == 3
    assert few.warnings == ("only 3 different graphs were found, 5 were asked for",)


def test_the_size_budget_comes_from_the_graphs_of_the_class():
    explainer = fitted(max_nodes=10)
    expected = np.mean([GRAPHS[i].num_edges / 2 / GRAPHS[i].num_nodes for i in explainer._members(1)]) * 10
    assert search_of(explainer, 1).max_edges == round(expected)
    assert search_of(fitted(max_nodes=2), 1).max_edges == 1  # there are no more pairs
    trees = [Data(x=torch.eye(3)[:2], edge_index=torch.tensor([[0, 1], [1, 0]])) for _ in range(3)]
    explainer = fitted(graphs=trees, max_nodes=10)
    target = int(explainer.predictions_[0])
    assert search_of(explainer, target).max_edges == 9


# ---- randomness ---------------------------------------------------------------------------------------------------


def test_the_seed_decides_everything_and_nothing_else_is_touched():
    before = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state()
    first = fitted(random_state=3).explain(1).prototypes[0]
    assert random.getstate() == before[0]
    assert np.random.get_state()[1].tolist() == before[1]
    assert torch.equal(torch.get_rng_state(), before[2])
    torch.rand(5)
    explainer = fitted(random_state=3)
    explainer.explain(0)
    again = explainer.explain(1).prototypes[0]
    assert torch.equal(first.graph.x, again.graph.x)
    assert torch.equal(first.graph.edge_index, again.graph.edge_index)
    assert (first.probability, first.margin) == (again.probability, again.margin)
    others = [fitted(random_state=seed).explain(1).prototypes[0].graph for seed in range(2)]
    assert not all(is_same(first.graph, other) for other in others)


def test_samples_differ_within_a_step_and_between_steps():
    explainer = fitted()
    search = search_of(explainer, 1)
    (edges, types), (edges_later, types_later) = search._sample(0.5), search._sample(0.5)
    assert edges.shape == (4, 15)
    assert types.shape == (4, 6, 3)
    assert torch.allclose(types.sum(dim=2), torch.ones(4, 6).double())
    assert len(torch.cat([edges, edges_later]).unique(dim=0)) == 8
    assert len(torch.cat([types, types_later]).flatten(1).unique(dim=0)) == 8


def test_the_samples_follow_the_distribution():
    explainer = fitted(num_samples=4000)
    search = search_of(explainer, 1)
    edges, types = search._sample(0.3)
    assert torch.allclose((edges > 0.5).double().mean(dim=0), search.edges.sigmoid(), atol=0.03)
    drawn = nn.functional.one_hot(types.argmax(dim=2), 3).double().mean(dim=0)
    assert torch.allclose(drawn, search.types.softmax(dim=1), atol=0.03)


# ---- the model ----------------------------------------------------------------------------------------------------


class OwnFloat(zoo.Net):
    """Runs only in its own precision, so that no copy in double precision is made."""

    def forward(self, x, edge_index, batch):
        if self.head.weight.dtype != torch.float32:
            raise RuntimeError("single precision only")
        return self.classify(x, edge_index, batch)


@pytest.mark.parametrize("kind", [zoo.Net, OwnFloat])
def test_the_model_comes_back_as_it_was_also_on_error(kind):
    model = zoo.make(kind=kind, conv="gat").train()
    model.bn.eval()
    model.head.weight.grad = torch.ones_like(model.head.weight)
    state, keys = copy.deepcopy(model.state_dict()), {n: set(vars(m)) for n, m in model.named_modules()}
    flags = {n: m.training for n, m in model.named_modules()}
    explainer = fitted(model)
    keys[""] |= {"seen_nodes", "seen_graphs"}  # what this model notes itself
    found = explainer.explain(1).prototypes[0]
    check_valid(found.graph, GRAPHS)

    def fail(stage, done, total):
        raise RuntimeError("enough")

    explainer._progress = fail
    with pytest.raises(RuntimeError, match="enough"):
        explainer.explain(1)
    assert all(torch.equal(value, state[name]) for name, value in model.state_dict().items())
    assert {n: m.training for n, m in model.named_modules()} == flags
    assert {n: set(vars(m)) for n, m in model.named_modules()} == keys
    assert model.conv1.weight.grad is None if hasattr(model.conv1, "weight") else True
    assert torch.equal(model.head.weight.grad, torch.ones_like(model.head.weight))
    for module in (*model.modules(), *explainer._classifier().model.modules()):
        assert not any(len(value) for name, value in vars(module).items() if name.endswith("_hooks"))


@pytest.mark.parametrize(("output", "num_classes"), [("probs", 1), ("probs", 3), ("log_probs", 3)])
def test_any_kind_of_output(output, num_classes):
    model = GraphClassifier(zoo.make(output=output, num_classes=num_classes), return_type=output)
    explainer = fitted(model)
    target = int(explainer.predictions_[0])
    found = explainer.explain(target).prototypes[0]
    assert 0 < found.probability <= 1
    check_valid(found.graph, GRAPHS)


def test_saturated_probabilities_do_not_spoil_the_optimisation():
    model = zoo.make(output="probs")
    with torch.no_grad():
        model.head.weight *= 1e4
        model.head.bias *= 1e4
    found = fitted(model).explain(1).prototypes[0]
    assert found.probability == 1
    check_valid(found.graph, GRAPHS)


class TakesWeights(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.head = GCNConv(3, 8), nn.Linear(8, 2)
        self.seen = []

    def forward(self, x, edge_index, batch, edge_weight=None):
        self.seen.append(edge_weight)
        return self.head(global_add_pool(self.conv(x, edge_index, edge_weight).relu(), batch))


def test_a_model_that_takes_weights_gets_them():
    explainer = fitted(TakesWeights())
    target = int(explainer.predictions_[0])
    seen = explainer._classifier().model.seen
    seen.clear()
    explainer.explain(target)
    given = [weights for weights in seen if weights is not None]
    assert len(given) == QUICK["num_iterations"]
    assert all(bool(((weights > 0) & (weights <= 1)).all()) for weights in given)
    assert bool((given[0] < 1).any())


# ---- the data -----------------------------------------------------------------------------------------------------


def test_edge_attributes_are_those_of_the_types():
    graphs = zoo.random_graphs(30, edge_dim=2)
    found = fitted(zoo.make(conv="gine"), graphs).explain(1).prototypes[0].graph
    check_valid(found, graphs)
    vocabulary = learn(graphs)
    kinds = (found.x[:, None] == vocabulary.x[None]).all(dim=2).nonzero()[:, 1]
    assert torch.equal(found.edge_attr, vocabulary.edge_attr[kinds[found.edge_index[0]], kinds[found.edge_index[1]]])


class NoFeatures(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.head = GCNConv(1, 4), nn.Linear(4, 2)

    def forward(self, x, edge_index, batch):
        return self.head(global_add_pool(self.conv(x, edge_index).tanh(), batch))


def test_graphs_without_features():
    graphs = [Data(edge_index=g.edge_index, num_nodes=g.num_nodes) for g in GRAPHS]
    explainer = fitted(NoFeatures(), graphs)
    found = explainer.explain(int(explainer.predictions_[0])).prototypes[0].graph
    assert found.x is None
    check_valid(found, graphs)


class Embeds(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.conv, self.head = nn.Embedding(3, 4), GCNConv(4, 4), nn.Linear(4, 2)

    def forward(self, x, edge_index, batch):
        return self.head(global_add_pool(self.conv(self.table(x).squeeze(1), edge_index).tanh(), batch))


def test_features_that_are_whole_numbers():
    graphs = [Data(x=g.x.argmax(dim=1, keepdim=True), edge_index=g.edge_index) for g in GRAPHS]
    explainer = fitted(Embeds(), graphs)
    target = int(explainer.predictions_[0])
    search = search_of(explainer, target)
    search.step(0)
    assert bool((search.types.grad != 0).any())
    found = explainer.explain(target).prototypes[0].graph
    assert found.x.dtype == torch.long
    check_valid(found, graphs)


@pytest.mark.parametrize("feature", ["multi-hot", "continuous"])
def test_other_features(feature):
    generator = torch.Generator().manual_seed(0)
    graphs = []
    for graph in GRAPHS:
        x = torch.randn(graph.num_nodes, 3, generator=generator)
        graphs.append(Data(x=x if feature == "continuous" else (x > 0).float(), edge_index=graph.edge_index))
    explainer = fitted(graphs=graphs)
    target = int(explainer.predictions_[0])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        explanation = explainer.explain(target)
    check_valid(explanation.prototypes[0].graph, graphs)
    if feature == "continuous":
        total = sum(g.num_nodes for g in graphs)
        note = f"the graphs have {total} different rows of x; graphs are generated from the 200 most frequent ones"
        assert explanation.warnings == (note,)
        assert str(caught[0].message) == f"class {target}: {note}"
    else:
        assert not caught


def test_the_vocabulary_is_learned_once_after_each_fit():
    explainer = fitted()
    vocabulary = explainer.vocabulary_
    explainer.explain(1)
    assert explainer.vocabulary_ is vocabulary
    explainer.fit(zoo.make(), GRAPHS[:20])
    assert explainer.vocabulary_ is not vocabulary
    assert explainer.vocabulary_.counts.sum() == sum(g.num_nodes for g in GRAPHS[:20])


# ---- on the way ---------------------------------------------------------------------------------------------------


def test_progress():
    seen = []
    fitted(num_prototypes=2, progress=lambda *step: seen.append(step)).explain(1)
    assert [step for step in seen if step[0] == "generating"] == [("generating", n + 1, 12) for n in range(12)]


def interrupt_at(number):
    def progress(stage, done, total):
        if stage == "generating" and done == number:
            raise KeyboardInterrupt

    return progress


def test_ctrl_c_keeps_the_best_so_far():
    note = "interrupted after 4 of 6 iterations; these are the best until then"
    with pytest.warns(ProtographWarning, match=note):
        explanation = fitted(progress=interrupt_at(4)).explain(1)
    assert explanation.warnings == (note,)
    assert len(explanation.prototypes) == 1
    check_valid(explanation.prototypes[0].graph, GRAPHS)
    with pytest.warns(ProtographWarning, match="after 7 of 12 iterations"):
        two = fitted(num_prototypes=2, progress=interrupt_at(7)).explain(1)
    assert len(two.prototypes) == 2


def test_ctrl_c_before_anything_was_found(monkeypatch):
    def interrupted(self, iteration):
        raise KeyboardInterrupt

    monkeypatch.setattr(_Search, "step", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fitted().explain(1)


# ---- errors -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"num_prototypes": 0}, ValueError, r"^num_prototypes must be at least 1, got 0$"),
        ({"max_nodes": 2.5}, TypeError, r"^max_nodes must be a whole number, got 2.5$"),
        ({"num_iterations": True}, TypeError, r"^num_iterations must be a whole number, got True$"),
        ({"num_samples": -1}, ValueError, r"^num_samples must be at least 1, got -1$"),
        ({"max_edges": 0}, ValueError, r"^max_edges must be at least 1, got 0$"),
        ({"learning_rate": 0}, ValueError, r"^learning_rate must be a finite number above 0, got 0$"),
        ({"learning_rate": "fast"}, TypeError, r"^learning_rate must be a number, got 'fast'$"),
        ({"similarity_weight": -1}, ValueError, r"^similarity_weight must be a finite number of at least 0, got -1$"),
        ({"size_weight": float("nan")}, ValueError, r"^size_weight must be a finite number of at least 0, got nan$"),
        ({"last_temperature": 0}, ValueError, r"^last_temperature must be a finite number above 0, got 0$"),
        ({"judged_every": 0}, ValueError, r"^judged_every must be at least 1, got 0$"),
        ({"max_types": 0}, ValueError, r"^max_types must be at least 1, got 0$"),
        ({"random_state": -1}, ValueError, r"^random_state must be in \[0, 2\*\*32\), got -1$"),
        ({"random_state": None}, TypeError, r"^random_state must be a whole number, got NoneType$"),
        ({"num_sample": 3}, TypeError, "num_sample"),
    ],
)
def test_options_are_checked(options, error, message):
    with pytest.raises(error, match=message):
        GNNInterpreter(**options)


def test_targets_are_checked():
    with pytest.raises(NotFittedError, match="this GNNInterpreter has no model yet"):
        GNNInterpreter().explain(0)
    with pytest.raises(ValueError, match=r"target must be in \[0, 2\), got 2"):
        fitted().explain(2)


class NoLayers(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(3, 2)

    def forward(self, x, edge_index, batch):
        return self.head(global_add_pool(x, batch))


class NeedsPositions(zoo.Net):
    def forward(self, data):
        return self.classify(data.x + data.pos, data.edge_index, data.batch)


def test_models_that_cannot_be_explained_this_way():
    explainer = fitted(NoLayers())
    with pytest.raises(ValueError, match=r"MessagePassing layers.*NoLayers has none; use PAGE"):
        explainer.explain(int(explainer.predictions_[0]))
    graphs = [Data(x=g.x, edge_index=g.edge_index, y=g.y, pos=torch.zeros_like(g.x)) for g in GRAPHS]
    explainer = fitted(zoo.make(kind=NeedsPositions), graphs)
    with pytest.raises(
        ValueError, match=r"x, edge_index and edge_attr alone; the data also has 'pos' .*; use PAGE, which"
    ):
        explainer.explain(int(explainer.predictions_[0]))


class OnlyLarge(zoo.Net):
    def forward(self, x, edge_index, batch):
        return self.classify(x, edge_index, batch) + (float("nan") if len(x) < 3 else 0.0)


def test_a_model_that_cannot_judge_small_graphs():
    explainer = fitted(zoo.make(kind=OnlyLarge), max_nodes=1, num_samples=1)
    with pytest.raises(ValueError, match="all generated graphs is NaN or infinite"):
        explainer.explain(1)


class MayTakePositions(zoo.Net):
    def forward(self, x, edge_index, batch, pos=None):
        return self.classify(x, edge_index, batch)


def test_what_the_model_would_take_but_does_not_get_is_named():
    graphs = [Data(x=g.x, edge_index=g.edge_index, pos=torch.zeros_like(g.x)) for g in GRAPHS]
    explainer = fitted(zoo.make(kind=MayTakePositions), graphs)
    with pytest.warns(ProtographWarning, match="generated graphs have no pos, which the model takes"):
        explainer.explain(int(explainer.predictions_[0]))
