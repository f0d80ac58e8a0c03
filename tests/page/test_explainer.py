import random
import warnings

import networkx as nx
import numpy as np
import pytest
import torch
from networkx.algorithms.isomorphism import categorical_node_match
from torch_geometric.data import Data

import protograph as pg
from tests import zoo

GRAPHS = zoo.random_graphs(60)


# The paper's search with the paper's options, and our own with the defaults.
SEARCHES = {"walk": {"search": "walk", "num_clusters": 2, "max_nodes": 13}, "consensus": {}}
either = pytest.mark.parametrize("search", SEARCHES)


def fitted(model=None, graphs=GRAPHS, search="walk", **options):
    return pg.PAGE(**SEARCHES[search] | options).fit(model or zoo.make(), graphs)


def as_networkx(graph):
    result = nx.Graph()
    result.add_nodes_from((i, {"x": tuple(row)}) for i, row in enumerate(graph.x.tolist()))
    result.add_edges_from(graph.edge_index.t().tolist())
    return result


def is_isomorphic(a, b):
    return nx.is_isomorphic(as_networkx(a), as_networkx(b), node_match=categorical_node_match("x", None))


# ---- what comes out -----------------------------------------------------------------------------------------------


def test_an_explanation_holds_together():
    model = zoo.make()
    explainer = fitted(model)
    explanations = explainer.explain_all()
    assert list(explanations) == [0, 1]
    for target, explanation in explanations.items():
        assert explanation.num_predicted == int((explainer.predictions_ == target).sum())
        assert [p.margin for p in explanation.prototypes] == sorted(
            (p.margin for p in explanation.prototypes), reverse=True
        )
        for p in explanation.prototypes:
            source = GRAPHS[p.source]
            assert p.source in p.sources
            assert torch.equal(p.graph.x, source.x[p.nodes])
            edges = {tuple(e) for e in source.edge_index.t().tolist()}
            inside = {(p.nodes[a], p.nodes[b]) for a, b in p.graph.edge_index.t().tolist()}
            assert inside == {(a, b) for a, b in edges if a in p.nodes and b in p.nodes}
            assert p.matches.shape == (p.num_nodes, 3)
            column = p.sources.index(p.source)
            assert p.matches[:, column].tolist() == p.nodes
            for row in p.matches.tolist():  # partners agree in their features
                assert len({tuple(GRAPHS[s].x[n].tolist()) for s, n in zip(p.sources, row, strict=True)}) == 1
            assert len(p.sessions) <= 5
            best = max(p.sessions, key=lambda s: s.margin)
            assert best.probability == pytest.approx(p.probability)
            with torch.no_grad():
                chance = model(p.graph.x, p.graph.edge_index, torch.zeros(p.num_nodes, dtype=torch.long))
            assert chance.softmax(1)[0, target].item() == pytest.approx(p.probability, abs=1e-5)


def test_sessions_start_at_different_nodes_in_every_graph():
    for p in fitted().explain(1).prototypes:
        for axis in range(3):
            starts = [session.start[axis] for session in p.sessions]
            assert len(set(starts)) == len(starts)


def test_representatives_are_phase_one_alone():
    explainer = fitted()
    selection = explainer.representatives(1)
    explanation = explainer.explain(1)
    assert {tuple(p.sources) for p in explanation.prototypes} == {c.representatives for c in selection}
    assert len(selection) == 2
    assert selection[0] is selection.clusters[0]
    members = [i for c in selection.clusters for i in c.members]
    assert sorted(members) == np.flatnonzero(explainer.predictions_ == 1).tolist()


@either
def test_given_representatives_skip_phase_one(search):
    explanation = fitted(search=search).explain(1, representatives=[5, 9])
    (prototype,) = explanation.prototypes
    assert prototype.sources == [5, 9]
    assert prototype.matches.shape[1] == 2
    assert explanation.embedding_map is None


@either
@pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")
@pytest.mark.parametrize("num_graphs", [1, 2, 3, 5])
def test_any_number_of_graphs(num_graphs, search):
    explanation = fitted(search=search, num_graphs=num_graphs).explain(0)
    assert all(len(p.sources) == num_graphs for p in explanation.prototypes)


@pytest.mark.parametrize("scoring", ["product", "arithmetic", "geometric"])
def test_every_scoring_function(scoring):
    assert fitted(scoring=scoring).explain(1).prototypes


@either
def test_max_nodes_bounds_the_prototype(search):
    assert all(p.num_nodes <= 3 for p in fitted(search=search, max_nodes=3).explain(1).prototypes)


@either
def test_twenty_classes(search):
    model = zoo.make(num_classes=20)
    explainer = fitted(model, search=search, num_graphs=1, num_clusters=1)
    with pytest.warns(pg.ProtographWarning, match=r"^no graph is predicted as class \d+(, \d+)*, so there is no"):
        explanations = explainer.explain_all()
    assert set(explanations) == set(np.unique(explainer.predictions_).tolist())
    assert explainer.num_classes_ == 20


@either
@pytest.mark.parametrize("output", ["probs", "log_probs"])
def test_every_return_type_gives_the_same_explanation(output, search):
    raw = fitted(zoo.make(), search=search).explain(1)
    model = zoo.make()
    model.output = output
    other = fitted(model, search=search).explain(1)
    assert [p.nodes for p in raw.prototypes] == [p.nodes for p in other.prototypes]
    assert [p.probability for p in raw.prototypes] == pytest.approx([p.probability for p in other.prototypes])


@either
def test_one_sigmoid_column_is_two_classes_and_warns(search):
    model = zoo.make(num_classes=1)
    model.output = "probs"
    with pytest.warns(pg.ProtographWarning, match=r"single output lies in \[0, 1\].*return_type='probs'"):
        explainer = fitted(model, search=search)
    assert explainer.num_classes_ == 2
    quiet = pg.PAGE(**SEARCHES[search]).fit(pg.GraphClassifier(model, return_type="probs"), GRAPHS)
    assert quiet.explain(1).prototypes[0].nodes == explainer.explain(1).prototypes[0].nodes


# ---- any graphs -----------------------------------------------------------------------------------------------------


@either
def test_a_generator_a_tuple_and_a_list_are_the_same(search):
    expected = fitted(search=search).explain(1).prototypes[0]
    for graphs in (tuple(GRAPHS), (g for g in GRAPHS)):
        found = fitted(graphs=graphs, search=search).explain(1).prototypes[0]
        assert (found.source, found.nodes) == (expected.source, expected.nodes)


@either
def test_edge_attributes_and_extra_tensors_reach_the_prototype(search):
    graphs = zoo.random_graphs(40, edge_dim=2)
    for graph in graphs:
        graph.charge = torch.arange(graph.num_nodes)
    explanation = fitted(zoo.make(conv="gine"), graphs, search).explain(1)
    for p in explanation.prototypes:
        assert p.graph.charge.tolist() == p.nodes
        assert p.graph.edge_attr.shape == (p.graph.edge_index.size(1), 2)


def test_match_edges_walks_equal_edges_only():
    graphs = zoo.random_graphs(40, edge_dim=2)
    explanation = fitted(zoo.make(conv="gine"), graphs, match_edges=True, num_graphs=2).explain(1)
    for p in explanation.prototypes:
        first, second = (p.matches[1].tolist() if p.num_nodes > 1 else (0, 0)), p.sources
        assert len(first) == len(second)


@either
def test_odd_graphs_are_explained(search):
    odd = [
        Data(x=torch.eye(3)[:1]),  # one node, no edges
        Data(x=torch.eye(3), edge_index=torch.empty(2, 0, dtype=torch.long)),
        Data(x=torch.eye(3)[[0, 0, 1, 1]], edge_index=torch.tensor([[0, 1, 2, 3], [1, 0, 3, 2]])),  # disconnected
        Data(x=torch.eye(3)[[0, 1]], edge_index=torch.tensor([[0, 0, 1], [0, 1, 0]])),  # a self-loop
    ]
    explainer = fitted(graphs=[*GRAPHS, *odd], search=search)
    for number in range(len(odd)):
        explanation = explainer.explain(1, representatives=[60 + number])
        assert explanation.prototypes[0].source == 60 + number


@either
def test_directed_graphs_are_made_undirected_with_a_warning(search):
    directed = [Data(x=g.x, edge_index=g.edge_index[:, g.edge_index[0] < g.edge_index[1]]) for g in GRAPHS]
    with pytest.warns(pg.ProtographWarning, match=r"^60 graphs \(the first is graph 0\) have directed edges"):
        explainer = fitted(graphs=directed, search=search)
    explanation = explainer.explain(1)
    assert all(p.graph.is_undirected() for p in explanation.prototypes)
    assert [p.nodes for p in explanation.prototypes] == [p.nodes for p in fitted(search=search).explain(1).prototypes]
    assert "directed edges" in explanation.warnings[0]


class Degrees(zoo.Net):
    def forward(self, x, edge_index, batch):
        return self.classify(x.expand(-1, 3), edge_index, batch)


@either
def test_graphs_without_features_have_constant_ones(search):
    bare = [Data(edge_index=g.edge_index, num_nodes=g.num_nodes) for g in GRAPHS]
    explanation = fitted(zoo.make(kind=Degrees), bare, search, num_clusters=1, num_graphs=1).explain_all()
    for found in explanation.values():
        assert all(p.graph.x is None and p.graph.num_nodes == len(p.nodes) for p in found.prototypes)


class Embeds(zoo.Net):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(3, 3)

    def forward(self, x, edge_index, batch):
        return self.classify(self.embedding(x), edge_index, batch)


@either
def test_integer_features_stay_integers(search):
    graphs = [Data(x=g.x.argmax(1), edge_index=g.edge_index) for g in GRAPHS]
    explainer = fitted(zoo.make(kind=Embeds), graphs, search, num_clusters=1)
    prototypes = explainer.explain(int(explainer.predictions_[0])).prototypes
    assert [p.graph.x.dtype for p in prototypes] == [torch.int64]


@either
def test_continuous_features_match_within_a_tolerance(search):
    generator = torch.Generator().manual_seed(0)
    graphs = [Data(x=g.x + 0.01 * torch.rand(g.x.shape, generator=generator), edge_index=g.edge_index) for g in GRAPHS]
    with pytest.warns(pg.ProtographWarning, match=r"have equal features; pass match_features=False or a tolerance"):
        assert fitted(graphs=graphs, search=search).explain(1).prototypes == []
    within = fitted(graphs=graphs, search=search, match_features=0.02).explain(1)
    by_rule = fitted(graphs=graphs, search=search, match_features=lambda a, b: bool(a.argmax() == b.argmax())).explain(
        1
    )
    assert [p.nodes for p in within.prototypes] == [p.nodes for p in by_rule.prototypes] != []


# ---- stability -----------------------------------------------------------------------------------------------------


def fingerprint(explanations, index_of=lambda i: i):
    return [
        (target, p.cluster, index_of(p.source), [index_of(i) for i in p.sources], p.nodes, p.matches.tolist())
        for target, e in explanations.items()
        for p in e.prototypes
    ]


def floats(explanations):
    return [v for e in explanations.values() for p in e.prototypes for v in (p.probability, p.margin)]


@pytest.mark.parametrize(
    ("search", "pool", "batch_size"),
    [
        *(("walk", pool, size) for pool in ("add", "mean", "attention") for size in (1, 7, 1024)),
        ("consensus", "add", 7),
        ("consensus", "attention", 1),
    ],
)
def test_the_batch_size_makes_no_difference(search, pool, batch_size):
    model = zoo.make(pool=pool)
    plain = pg.PAGE(**SEARCHES[search]).fit(model, GRAPHS).explain_all()
    other = pg.PAGE(**SEARCHES[search]).fit(model, GRAPHS, batch_size=batch_size).explain_all()
    assert fingerprint(plain) == fingerprint(other)
    assert floats(plain) == pytest.approx(floats(other), abs=1e-5)


@either
def test_the_number_of_threads_makes_no_difference(search):
    before = torch.get_num_threads()
    try:
        found = []
        for threads in (1, 2):
            torch.set_num_threads(threads)
            found.append(fitted(search=search).explain_all())
    finally:
        torch.set_num_threads(before)
    assert fingerprint(found[0]) == fingerprint(found[1])
    assert floats(found[0]) == pytest.approx(floats(found[1]), abs=1e-5)


@pytest.mark.parametrize(
    ("search", "seed"), [*(("walk", seed) for seed in range(5)), ("consensus", 0), ("consensus", 1)]
)
def test_the_order_of_the_graphs_makes_no_difference(search, seed):
    order = list(range(len(GRAPHS)))
    random.Random(seed).shuffle(order)
    plain = fitted(search=search).explain_all()
    shuffled = fitted(graphs=[GRAPHS[i] for i in order], search=search).explain_all()
    assert fingerprint(plain) == fingerprint(shuffled, index_of=lambda i: order[i])
    assert floats(plain) == pytest.approx(floats(shuffled), abs=1e-5)


@either
def test_repeated_runs_are_the_same(search):
    explainer = fitted(search=search)
    assert (
        fingerprint(explainer.explain_all())
        == fingerprint(explainer.explain_all())
        == fingerprint(fitted(search=search).explain_all())
    )


@pytest.mark.parametrize(
    ("search", "seed"), [*(("walk", seed) for seed in range(5)), ("consensus", 0), ("consensus", 1)]
)
def test_relabelled_nodes_give_isomorphic_prototypes(search, seed):
    generator = torch.Generator().manual_seed(seed)
    # Ties that Weisfeiler-Leman cannot break are left out: every node of these graphs has its own embedding.
    graphs = [g for g in zoo.random_graphs(200, density=0.3) if _has_no_wl_twins(g)][:50]
    relabelled = []
    for graph in graphs:
        order = torch.randperm(graph.num_nodes, generator=generator)
        place = torch.empty_like(order)
        place[order] = torch.arange(graph.num_nodes)
        relabelled.append(Data(x=graph.x[order], edge_index=place[graph.edge_index]))
    model = zoo.make(conv="gin")
    plain, other = fitted(model, graphs, search).explain_all(), fitted(model, relabelled, search).explain_all()
    for target in plain:
        assert [p.source for p in plain[target].prototypes] == [p.source for p in other[target].prototypes]
        for a, b in zip(plain[target].prototypes, other[target].prototypes, strict=True):
            assert is_isomorphic(a.graph, b.graph)
            assert a.probability == pytest.approx(b.probability, abs=1e-5)


def stable_colouring(graphs):
    """Weisfeiler-Leman colours of the nodes of several graphs, refined together until nothing changes."""
    colours = [[tuple(row) for row in g.x.tolist()] for g in graphs]
    while True:
        signatures = []
        for graph, own in zip(graphs, colours, strict=True):
            around = [[] for _ in own]
            for source, target in graph.edge_index.t().tolist():
                around[target].append(own[source])
            signatures.append([(c, tuple(sorted(n))) for c, n in zip(own, around, strict=True)])
        names = {s: i for i, s in enumerate(sorted({s for row in signatures for s in row}, key=repr))}
        refined = [[names[s] for s in row] for row in signatures]
        if len(names) == len({c for row in colours for c in row}):
            return refined
        colours = refined


def _has_no_wl_twins(graph):
    (colours,) = stable_colouring([graph])
    return len(set(colours)) == len(colours)


def ring(size, copies=1):
    edges = [(c * size + i, c * size + (i + 1) % size) for c in range(copies) for i in range(size)]
    both = edges + [(b, a) for a, b in edges]
    return Data(x=torch.ones(size * copies, 3), edge_index=torch.tensor(both).t().contiguous())


@pytest.mark.parametrize("pool", ["add", "mean"])
@pytest.mark.parametrize("conv", ["gcn", "gin", "sage", "gat"])
def test_equal_colour_histograms_give_equal_graph_embeddings(conv, pool):
    """The corollary on Weisfeiler-Leman: a ring of six and two triangles cannot be told apart, nor relabelled twins."""
    twin = GRAPHS[3]
    order = torch.randperm(twin.num_nodes, generator=torch.Generator().manual_seed(1))
    place = torch.empty_like(order)
    place[order] = torch.arange(twin.num_nodes)
    relabelled = Data(x=twin.x[order], edge_index=place[twin.edge_index])
    pairs = [(ring(6), ring(3, copies=2)), (ring(8), ring(4, copies=2)), (twin, relabelled)]
    different = (ring(6), ring(7))
    model = zoo.make(conv=conv, pool=pool)
    for a, b in pairs:
        first, second = stable_colouring([a, b])
        assert sorted(first) == sorted(second)
        embeddings = pg.PAGE().fit(model, [a, b]).embeddings_
        np.testing.assert_allclose(embeddings[0], embeddings[1], rtol=1e-10, atol=1e-10)
    first, second = stable_colouring(list(different))
    assert sorted(first) != sorted(second)


# ---- leaving things as they were, and errors ------------------------------------------------------------------------


@either
def test_global_random_state_is_unchanged(search):
    random.seed(1)
    np.random.seed(1)
    torch.manual_seed(1)
    before = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()
    fitted(search=search).explain_all()
    assert (random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()) == before


def test_asking_too_early_is_an_error():
    with pytest.raises(pg.NotFittedError, match=r"^this PAGE has no model yet; call fit\(model, graphs\) first$"):
        pg.PAGE().explain(0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_clusters": 0}, "num_clusters must be at least 1, got 0"),
        ({"num_graphs": 0}, "num_graphs must be at least 1, got 0"),
        ({"budget": -1}, "budget must be at least 1, got -1"),
        ({"max_nodes": 0}, "max_nodes must be at least 1, got 0"),
        ({"max_iterations": 0}, "max_iterations must be at least 1, got 0"),
        ({"decay": 0.5}, "decay must be a number of at least 1, which scores are divided by, got 0.5"),
        ({"scoring": "sum"}, "scoring must be one of 'product', 'arithmetic', 'geometric', got 'sum'"),
        (
            {"scoring": "geometric", "num_graphs": 1, "search": "walk"},
            "scoring='geometric' needs num_graphs of at least 2, got 1",
        ),
        ({"match_features": -0.1}, "match_features as a tolerance must be a finite number of at least 0, got -0.1"),
        (
            {"match_features": float("nan")},
            "match_features as a tolerance must be a finite number of at least 0, got nan",
        ),
        ({"decay": True}, "decay must be a number of at least 1, which scores are divided by, got True"),
        ({"decay": float("inf")}, "decay must be a number of at least 1, which scores are divided by, got inf"),
        ({"search": "swim"}, "search must be 'walk' or 'consensus', got 'swim'"),
        ({"num_clusters": "many"}, "num_clusters must be a number or 'auto', got 'many'"),
        ({"random_state": -1}, "random_state must be in [0, 2**32), got -1"),
    ],
)
def test_options_are_checked_when_built(options, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole text is compared
        pg.PAGE(**options)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_graphs": 2.5}, "num_graphs must be a whole number, got 2.5"),
        (
            {"match_features": "yes"},
            "match_features must be True, False, a tolerance or a function of two rows, got 'yes'",
        ),
        ({"match_edges": 1}, "match_edges must be True or False, got 1"),
        ({"random_state": None}, "random_state must be a whole number, got NoneType"),
    ],
)
def test_options_of_another_type_are_told(options, message):
    with pytest.raises(TypeError) as caught:
        pg.PAGE(**options)
    assert str(caught.value) == message


def test_the_defaults():
    explainer = pg.PAGE()
    assert (explainer.search, explainer.num_clusters, explainer.max_nodes) == ("consensus", "auto", None)


def test_a_misspelt_option_is_a_type_error():
    with pytest.raises(TypeError, match="num_cluster"):
        pg.PAGE(num_cluster=2)


def test_targets_are_checked():
    explainer = fitted()
    with pytest.raises(ValueError, match=r"^target must be in \[0, 2\), got 2; use an index into the model's output"):
        explainer.explain(2)
    with pytest.raises(ValueError, match=r"^target must be in \[0, 2\), got -1"):
        explainer.explain(-1)
    with pytest.raises(TypeError, match=r"^target must be a whole number, .* got 'mutagen'$"):
        explainer.explain("mutagen")


@either
def test_a_class_that_nothing_is_predicted_as_is_told(search):
    model = zoo.make()
    with torch.no_grad():
        model.head.bias[1] += 1e6
    explainer = fitted(model, search=search)
    with pytest.raises(ValueError, match=r"^no graph is predicted as class 0, .* the predictions are \{1: 60\}"):
        explainer.explain(0)
    with pytest.warns(
        pg.ProtographWarning, match=r"^no graph is predicted as class 0, so there is no explanation of it"
    ):
        assert list(explainer.explain_all()) == [1]
    assert explainer.explain(0, representatives=[0, 1]).prototypes  # the user's own choice needs no predictions


@either
def test_representatives_are_checked(search):
    explainer = fitted(search=search)
    with pytest.raises(ValueError, match=r"^representatives must be indices of graphs in \[0, 60\), got 60$"):
        explainer.explain(1, representatives=[3, 60])
    with pytest.raises(ValueError, match=r"^representatives must be different graphs, at least one, got \[3, 3\]$"):
        explainer.explain(1, representatives=[3, 3])

    with pytest.raises(TypeError, match=r"^representatives must be indices of graphs, got 1.5$"):
        explainer.explain(1, representatives=[1.5])
    with pytest.raises(TypeError, match=r"^representatives must be a list of graph indices, got 3$"):
        explainer.explain(1, representatives=3)


def test_one_graph_has_no_pairs_to_score():
    explainer = fitted(graphs=GRAPHS[:1] + GRAPHS[:1], scoring="arithmetic")
    with pytest.warns(pg.ProtographWarning) as caught:
        explanation = explainer.explain(int(explainer.predictions_[0]))
    assert explanation.prototypes == []
    assert "scoring='arithmetic' needs at least 2 graphs, it has 1" in str(caught[-1].message)


def test_fit_options_are_checked():
    with pytest.raises(ValueError, match=r"^batch_size must be a whole number of at least 1, got 0$"):
        pg.PAGE().fit(zoo.make(), GRAPHS, batch_size=0)
    with pytest.raises(ValueError, match=r"^engine='ray' is not available in this version; use engine='local'$"):
        pg.PAGE().fit(zoo.make(), GRAPHS, engine="ray")


def test_infinite_weights_are_told_with_the_graph():
    model = zoo.make()
    with torch.no_grad():
        model.head.weight[0, 0] = float("nan")
    with pytest.raises(
        ValueError, match=r"^the model's output for graph 0 is NaN or infinite; check the model's weights"
    ):
        fitted(model)


def test_few_graphs_shrink_the_clusters_and_say_so():
    explainer = fitted(graphs=GRAPHS[:8])
    target = int(explainer.predictions_[0])
    with pytest.warns(pg.ProtographWarning, match=r"class \d: num_clusters was lowered from 2 to 1"):
        explanation = explainer.explain(target)
    assert any("num_clusters was lowered" in warning for warning in explanation.warnings)


@either
def test_an_interrupted_fit_keeps_what_was_fitted_before(search):
    explainer = fitted(search=search)
    before = explainer.embedded_

    def interrupt(stage, done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        explainer.fit(zoo.make(seed=1), GRAPHS, progress=interrupt)
    assert explainer.embedded_ is before
    assert explainer.explain(1).prototypes


@either
def test_progress_is_reported(search):
    seen = []
    pg.PAGE(**SEARCHES[search]).fit(zoo.make(), GRAPHS, batch_size=25, progress=lambda *a: seen.append(a)).explain_all()
    assert seen == [
        ("embedding", 25, 60),
        ("embedding", 50, 60),
        ("embedding", 60, 60),
        ("explaining", 1, 2),
        ("explaining", 2, 2),
    ]


@either
def test_no_warning_without_cause(search):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted(search=search).explain_all()
