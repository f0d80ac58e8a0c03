import random
import warnings
from dataclasses import replace
from functools import cache

import networkx as nx
import numpy as np
import pytest
import torch
from torch_geometric.data import Data

import protograph as pg
from protograph.page import consensus, contributions, counting
from protograph.page.options import Walk
from protograph.page.reasons.reasons import find_reasons
from protograph.page.reasons.scope import ReasonOptions
from protograph.patterns.canonical import canonical_graph
from tests import zoo
from tests.explanation.by_hand import naive_fidelity
from tests.page.planted import HOUSE
from tests.page.reasons.by_hand import K4, PLAIN, Counts, house_world, k4_world, rule_look, shape_of

GRAPHS = zoo.random_graphs(60)


# The paper's search with the paper's options, and our own with the defaults; reasons have tests of their own, below.
SEARCHES = {"walk": {"search": "walk", "num_clusters": 2, "max_nodes": 13}, "consensus": {"max_reasons": 0}}
either = pytest.mark.parametrize("search", SEARCHES)


def fitted(model=None, graphs=GRAPHS, search="walk", **options):
    return pg.PAGE(**SEARCHES[search] | options).fit(model or zoo.make(), graphs)


@cache
def reference(search, pool="add"):
    """What others are compared with, worked out once."""
    return fitted(zoo.make(pool=pool), search=search).explain_all()


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


def test_every_stage_is_timed():
    once = {"fit", "cleaning", "encoding", "model"}
    assert set(fitted().explain(1).timings) == {*once, "selection", "search", "evidence"}
    timings = fitted(search="consensus", max_reasons=8).explain(1).timings
    assert set(timings) == {*once, "selection", "search", "growing", "trimming", "counting", "evidence", "reasons"}
    assert timings["growing"] + timings["trimming"] <= timings["search"]


def test_what_was_given_up_is_said(monkeypatch):
    """Each bound that is reached is a warning; what is said of sessions and of counts is on them too."""
    for module, name, value in (
        (consensus, "MAX_GRAPH_NODES", 3),
        (counting, "COUNT_CALLS", 2),
        (consensus, "COUNT_CALLS", 2),
        (contributions, "LEFT_OUT_ROWS", 1),
    ):
        monkeypatch.setattr(module, name, value)
    explainer = fitted(graphs=GRAPHS[:30], search="consensus")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pg.ProtographWarning)
        explanation = explainer.explain(1)
    (given_up,) = [note for note in explanation.warnings if note.endswith("the graph counts as one without")]
    assert " times that a graph was searched for a pattern, 2 placed nodes did not decide; " in given_up
    assert {
        "of graphs with more than 3 nodes, the search looked at those around the node that adds the most to the "
        "margin; patterns were counted in whole graphs",
        "what nodes add to the margin was estimated by gradients: to leave each out in turn would take too long",
    } <= set(explanation.warnings)
    assert not any(session.is_exact for prototype in explanation.prototypes for session in prototype.sessions)
    assert all(len(prototype.nodes) <= 3 for prototype in explanation.prototypes)


def test_contributions_that_take_too_long_and_cannot_be_estimated_are_told_of(monkeypatch):
    monkeypatch.setattr(contributions, "LEFT_OUT_ROWS", 1)
    explainer = fitted(zoo.make(pool="max"), search="consensus")
    with pytest.warns(pg.ProtographWarning, match=r"what nodes add to the margin is not known"):
        explanation = explainer.explain(1)
    assert (
        "what nodes add to the margin is not known, the readout being no sum or mean: to leave each out in turn would "
        "take too long"
    ) in explanation.warnings
    assert all(prototype.evidence.contributions == () for prototype in explanation.prototypes)


def test_graphs_in_which_a_prototype_could_not_be_decided_are_counted(monkeypatch):
    monkeypatch.setattr("protograph.page.evidence.WHOLE_CALLS", 1)
    explainer = fitted(search="consensus")
    with pytest.warns(pg.ProtographWarning, match=r"it could not be decided in reasonable time whether they contain"):
        explanation = explainer.explain(1)
    for prototype in explanation.prototypes:
        evidence = prototype.evidence
        assert 0 < evidence.num_undecided <= len(GRAPHS) - evidence.num_in_class - evidence.num_elsewhere


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
    assert pg.PAGE(search=Walk(scoring=scoring), num_clusters=2).fit(zoo.make(), GRAPHS).explain(1).prototypes


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
    raw = reference(search)[1]
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
    expected = reference(search)[1].prototypes[0]
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
def test_a_lone_node_among_graphs_with_attributes_of_edges(search):
    lone = Data(x=torch.eye(3)[:1], edge_index=torch.empty(2, 0, dtype=torch.long), edge_attr=torch.empty(0, 2))
    graphs = [*zoo.random_graphs(20, edge_dim=2), lone]
    (prototype,) = fitted(zoo.make(conv="gine"), graphs, search).explain(1, representatives=[20]).prototypes
    assert (prototype.num_nodes, prototype.graph.edge_attr.shape) == (1, (0, 2))


@either
def test_which_of_two_equal_nodes_has_a_loop_makes_no_difference(search):
    rows = torch.eye(3)[[0, 0, 1]]
    one, other = (
        Data(x=rows, edge_index=torch.tensor([[0, 1, 2, 0, 2, 1, at], [1, 0, 0, 2, 1, 2, at]])) for at in (0, 1)
    )
    found = [fitted(graphs=[*GRAPHS, g], search=search).explain(1, representatives=[60]) for g in (one, other)]
    first, second = (explanation.prototypes[0] for explanation in found)
    assert torch.equal(first.graph.x, second.graph.x)
    assert torch.equal(first.graph.edge_index, second.graph.edge_index)
    assert first.margin == pytest.approx(second.margin, abs=1e-6)


@either
def test_directed_graphs_are_made_undirected_with_a_warning(search):
    directed = [Data(x=g.x, edge_index=g.edge_index[:, g.edge_index[0] < g.edge_index[1]]) for g in GRAPHS]
    with pytest.warns(pg.ProtographWarning, match=r"^60 graphs \(the first is graph 0\) have directed edges"):
        explainer = fitted(graphs=directed, search=search)
    explanation = explainer.explain(1)
    assert all(p.graph.is_undirected() for p in explanation.prototypes)
    assert [p.nodes for p in explanation.prototypes] == [p.nodes for p in reference(search)[1].prototypes]
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
        assert fitted(graphs=graphs, search=search, match_features=True).explain(1).prototypes == []
    within = fitted(graphs=graphs, search=search, match_features=0.02).explain(1)
    by_rule = fitted(graphs=graphs, search=search, match_features=lambda a, b: bool(a.argmax() == b.argmax())).explain(
        1
    )
    assert [p.nodes for p in within.prototypes] == [p.nodes for p in by_rule.prototypes] != []
    # They were counted by structure alone, and words say no more.
    assert not any(p.are_nodes_matched for e in (within, by_rule) for p in e.prototypes)
    assert all(p.are_nodes_matched for p in reference(search)[1].prototypes)


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
        *(("walk", pool, size) for pool, size in (("add", 7), ("mean", 1024), ("attention", 1))),
        ("consensus", "add", 7),
        ("consensus", "attention", 1),
    ],
)
def test_the_batch_size_makes_no_difference(search, pool, batch_size):
    model = zoo.make(pool=pool)
    plain = reference(search, pool)
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
    plain = reference(search)
    shuffled = fitted(graphs=[GRAPHS[i] for i in order], search=search).explain_all()
    assert fingerprint(plain) == fingerprint(shuffled, index_of=lambda i: order[i])
    assert floats(plain) == pytest.approx(floats(shuffled), abs=1e-5)


@either
def test_repeated_runs_are_the_same(search):
    explainer = fitted(search=search)
    assert (
        fingerprint(explainer.explain_all()) == fingerprint(explainer.explain_all()) == fingerprint(reference(search))
    )


def renumbered(graph, generator):
    """The graph with its nodes and its edges in another order, and which node each of its nodes was."""
    order = torch.randperm(graph.num_nodes, generator=generator)
    place = torch.empty_like(order)
    place[order] = torch.arange(graph.num_nodes)
    edges = torch.randperm(graph.edge_index.size(1), generator=generator)
    return Data(x=graph.x[order], edge_index=place[graph.edge_index[:, edges]]), order


def check_cut(prototype, graph):
    """The prototype's nodes are nodes of the user's graph: cutting it there gives the prototype."""
    part = nx.Graph(graph.edge_index.t().tolist()).subgraph(prototype.nodes)
    assert torch.equal(graph.x[prototype.nodes], prototype.graph.x)
    ends = {frozenset((prototype.nodes[u], prototype.nodes[v])) for u, v in prototype.edges}
    assert ends <= {frozenset(edge) for edge in part.edges}
    return len(ends) == part.number_of_edges()


@either
@pytest.mark.parametrize(("conv", "pool"), [("gcn", "max"), ("gin", "add"), ("gat", "mean")])
def test_the_numbers_of_nodes_and_edges_make_no_difference(conv, pool, search):
    """Also where nodes look alike to the model: small graphs of few kinds are full of symmetry."""
    generator = torch.Generator().manual_seed(len(conv + pool))
    graphs = [*zoo.random_graphs(20, num_kinds=2), *zoo.random_graphs(30, density=0.3)[20:]]
    graphs = [Data(x=torch.nn.functional.pad(g.x, (0, 3 - g.x.size(1))), edge_index=g.edge_index) for g in graphs]
    others, orders = zip(*(renumbered(graph, generator) for graph in graphs), strict=True)
    model, options = zoo.make(conv=conv, pool=pool), {"num_clusters": 1, "num_graphs": 2, "budget": 3}
    plain, other = (fitted(model, data, search, **options).explain_all() for data in (graphs, list(others)))
    assert list(plain) == list(other)
    for target in plain:
        for a, b in zip(plain[target].prototypes, other[target].prototypes, strict=True):
            assert torch.equal(a.graph.x, b.graph.x)
            assert torch.equal(a.graph.edge_index, b.graph.edge_index)
            assert a.sources == b.sources
            assert (a.probability, a.margin) == pytest.approx((b.probability, b.margin), abs=1e-5)
            for p, data in ((a, graphs), (b, others)):
                is_induced = check_cut(p, data[p.source])
                assert is_induced or search == "consensus"  # which may leave out an edge
                for column, index in enumerate(p.sources):
                    assert torch.equal(data[index].x[p.matches[:, column]], p.graph.x)
            was = orders[b.source][b.nodes]
            assert torch.equal(graphs[b.source].x[was], a.graph.x)


@either
def test_a_graph_that_no_order_could_be_told_of_is_named(search, monkeypatch):
    explainer = fitted(search=search, num_clusters=1)
    made = canonical_graph(GRAPHS[5])
    monkeypatch.setattr(explainer, "_canonical", lambda indices: [replace(made, is_canonical=False) for _ in indices])
    message = (
        "class 1: graph 5 has so many nodes that look alike that no order of its nodes could be told from the others "
        "in reasonable time; numbered otherwise, it may give another prototype"
    )
    with pytest.warns(pg.ProtographWarning) as caught:
        explanation = explainer.explain(1, representatives=[5])
    assert [str(one.message) for one in caught] == [message]
    assert explanation.warnings == (message.removeprefix("class 1: "),)


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
    ("options", "error", "message"),
    [
        ({"num_clusters": 0}, ValueError, "num_clusters must be at least 1, got 0"),
        ({"num_graphs": 0}, ValueError, "num_graphs must be at least 1, got 0"),
        ({"num_graphs": 2.5}, TypeError, "num_graphs must be a whole number, got 2.5"),
        ({"budget": -1}, ValueError, "budget must be at least 1, got -1"),
        ({"max_nodes": 0}, ValueError, "max_nodes must be at least 1, got 0"),
        ({"match_features": -0.1}, ValueError, "match_features as a tolerance must be .* at least 0, got -0.1"),
        ({"match_features": float("nan")}, ValueError, "match_features as a tolerance must be .* got nan"),
        ({"match_features": "yes"}, TypeError, "match_features must be 'auto', 'model', True, False.* got 'yes'"),
        ({"match_edges": 1}, TypeError, "match_edges must be True, False or 'auto', got 1"),
        ({"search": "swim"}, ValueError, r"search must be 'consensus', 'walk' or a Walk\(...\), got 'swim'"),
        ({"search": {"decays": 2}}, ValueError, "takes decay, distinct_starts, .* got 'decays'"),
        ({"search": {"decay": 0.5}}, ValueError, "decay must be a number of at least 1.* got 0.5"),
        ({"search": Walk(scoring="geometric"), "num_graphs": 1}, ValueError, "needs num_graphs of at least 2, got 1"),
        ({"search": "walk", "max_reasons": 3}, ValueError, "max_reasons has no effect under search='walk'"),
        ({"num_clusters": "many"}, ValueError, "num_clusters must be a number or 'auto', got 'many'"),
        ({"random_state": -1}, ValueError, "random_state must be in .* got -1"),
        ({"random_state": None}, TypeError, "random_state must be a whole number"),
        ({"num_cluster": 2}, TypeError, "num_cluster"),
    ],
)
def test_options_are_checked_when_built(options, error, message):
    with pytest.raises(error, match=message):
        pg.PAGE(**options)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"decay": True}, ValueError, "decay must be a number of at least 1, .* got True"),
        ({"decay": float("inf")}, ValueError, "decay must be a number of at least 1, .* got inf"),
        ({"max_iterations": 0}, ValueError, "max_iterations must be at least 1, got 0"),
        ({"scoring": "sum"}, ValueError, "scoring must be one of 'product', 'arithmetic', 'geometric', got 'sum'"),
        ({"distinct_starts": 1}, TypeError, "distinct_starts must be True or False, got 1"),
    ],
)
def test_options_of_a_walk_are_checked_when_built(options, error, message):
    with pytest.raises(error, match=message):
        pg.Walk(**options)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"num_clusters": 2, "max_nodes": 4, "match_features": 0.5, "max_reasons": 0},
        {"search": "walk", "match_features": False},
        {"search": Walk(scoring="geometric", decay=3.0, distinct_starts=False), "max_nodes": 4},
    ],
    ids=str,
)
def test_stored_options_make_the_explanation_again(options, tmp_path):
    model = zoo.make()
    explanation = pg.PAGE(**options).fit(model, GRAPHS[:50]).explain(1)
    explanation.save(tmp_path / "explanation.json")
    loaded = pg.load(tmp_path / "explanation.json")
    assert loaded.options == explanation.options
    again = pg.PAGE(**loaded.options).fit(model, GRAPHS[:50]).explain(1)
    assert again.options == explanation.options
    assert fingerprint({1: again}) == fingerprint({1: explanation})
    assert [p.evidence for p in again.prototypes] == [p.evidence for p in explanation.prototypes]
    assert [p.sessions for p in again.prototypes] == [p.sessions for p in explanation.prototypes]


def test_a_walk_with_the_defaults_is_stored_by_its_name():
    assert pg.PAGE(search=Walk())._options() == pg.PAGE(search="walk")._options()


def test_a_function_that_decides_is_stored_by_its_name():
    def close(row, other):
        return bool((row - other).abs().max() < 0.5)

    explanation = fitted(match_features=close).explain(1)
    assert explanation.options["match_features"].endswith("close")
    with pytest.raises(TypeError, match=r"match_features must be .* a tolerance or a function of two rows"):
        pg.PAGE(**explanation.options)


def test_the_defaults():
    explainer = pg.PAGE()
    assert (explainer.search, explainer.num_clusters, explainer.max_nodes) == ("consensus", "auto", None)


def test_targets_are_checked():
    explainer = fitted()
    with pytest.raises(ValueError, match=r"^target must be in \[0, 2\), got 2; use an index into the model's output"):
        explainer.explain(2)
    with pytest.raises(ValueError, match=r"^target must be in \[0, 2\), got -1"):
        explainer.explain(-1)
    with pytest.raises(ValueError, match=r"^target .*'mutagen'"):
        explainer.explain("mutagen")
    with pytest.raises(TypeError, match=r"^target .* got 1\.5"):
        explainer.explain(1.5)


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
    explainer = pg.PAGE(search=Walk(scoring="arithmetic")).fit(zoo.make(), GRAPHS[:1] + GRAPHS[:1])
    with pytest.warns(pg.ProtographWarning) as caught:
        explanation = explainer.explain(int(explainer.predictions_[0]))
    assert explanation.prototypes == []
    assert "scoring='arithmetic' needs at least 2 graphs, it has 1" in str(caught[-1].message)


def test_fit_options_are_checked():
    with pytest.raises(ValueError, match=r"^batch_size must be a whole number of at least 1, got 0$"):
        pg.PAGE().fit(zoo.make(), GRAPHS, batch_size=0)
    with pytest.raises(ValueError, match=r"^engine must be 'local' or 'ray', got 'spark'$"):
        pg.PAGE().fit(zoo.make(), GRAPHS, engine="spark")


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
    sessions = 5 * 2 if search == "consensus" else 5 * 4
    assert [one for one in seen if one[0] in ("embedding", "explaining")] == [
        ("embedding", 0, 60),
        ("embedding", 25, 60),
        ("embedding", 50, 60),
        ("embedding", 60, 60),
        ("explaining", 0, 2),
        ("explaining", 1, 2),
        ("explaining", 2, 2),
    ]
    for stage, total in {"clustering": 2, "searching": sessions, "counting": sessions // 5}.items():
        steps = [(done, of) for name, done, of in seen if name == stage]
        assert steps[0] == (0, total)
        assert steps[-1] == (total, total)
        assert steps == sorted(steps)
    if search == "consensus":
        assert {done for name, done, _ in seen if name == "searching"} == set(range(sessions + 1))


@either
def test_progress_of_one_class_counts_that_class(search):
    seen = []
    explainer = pg.PAGE(**SEARCHES[search]).fit(zoo.make(), GRAPHS, progress=lambda *a: seen.append(a))
    del seen[:]
    explainer.explain(1)
    assert seen[:2] == [("clustering", 0, 1), ("clustering", 1, 1)]
    assert seen[-1][0] == "counting"
    assert seen[-1][1] == seen[-1][2]


def test_a_fit_reports_before_it_reads_any_graph():
    seen = []

    def graphs():
        assert seen == [("embedding", 0, None)]
        yield from GRAPHS

    pg.PAGE().fit(zoo.make(), graphs(), progress=lambda *a: seen.append(a))
    assert seen[-1] == ("embedding", 60, 60)


@either
def test_no_warning_without_cause(search):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message="the model may have learned nothing")  # it is not trained
        fitted(search=search).explain_all()


# ---- reasons ------------------------------------------------------------------------------------------------------


# Worlds in which it is known why a graph is of the second class, and models that decide exactly so.
PLANTED = {
    "house": (house_world, Counts(), [shape_of(5, HOUSE, PLAIN)]),
    "K4": (k4_world, Counts(corner=2), [shape_of(4, K4, PLAIN)]),
}
planted = pytest.mark.parametrize("name", PLANTED)


@cache
def planted_case(name):
    build, model, _ = PLANTED[name]
    graphs = build(150)
    explainer = pg.PAGE().fit(model, graphs)
    return graphs, explainer, explainer.explain_all()


def told_of(explanation):
    """All that an explanation says of reasons, apart from what depends on the numbers of nodes and graphs."""
    reasons = explanation.reasons
    return (
        rule_look(reasons),
        [reason.support for reason in reasons],
        sorted(explanation.rule.parts),
        str(explanation.rule),
        (explanation.fidelity, explanation.fidelity_note),
        len(explanation.uncovered),
    )


@planted
def test_reasons_are_what_was_planted(name):
    _, explainer, explanations = planted_case(name)
    (reason,) = explanations[1].reasons
    assert rule_look([reason])[0] == ([PLANTED[name][2][0]], [], [])
    assert (reason.support.share, reason.support.share_elsewhere) == (1.0, 0.0)
    (lack,) = explanations[0].reasons
    assert rule_look([lack])[0][:2] == ([], PLANTED[name][2])
    assert explanations.fidelity == 1.0
    assert explanations.fidelity.num_graphs == sum(part == 2 for part in explanations[0].rule.parts)
    for target, explanation in explanations.items():
        assert explanation.survey.predictions == tuple(explainer.predictions_.tolist())
        assert (explanation.fidelity, explanation.fidelity_note) == (1.0, "")
        assert [float(fidelity) for fidelity in explanation.fidelity_curve] == [1.0]
        assert explanation.uncovered == explanation.disagreements == explanation.typical_uncovered == ()
        with torch.no_grad():
            example = explanation.reasons[0].example.graph
            scores = PLANTED[name][1](example.x, example.edge_index, torch.zeros(example.num_nodes, dtype=torch.long))
        assert scores.argmax().item() == target


@planted
def test_rules_hold_in_graphs_never_seen(name):
    _, _, explanations = planted_case(name)
    build, model, _ = PLANTED[name]
    fresh = build(40, seed=9)
    expected = pg.PAGE(max_reasons=0).fit(model, fresh).predictions_
    holds = explanations.predict(fresh)
    assert holds.tolist() == [[target == 0, target == 1] for target in expected]
    assert pg.metrics.fidelity(explanations, fresh, expected) == 1.0
    assert explanations[1].predict(fresh).tolist() == (expected == 1).tolist()


def test_rules_and_fidelity_are_what_plain_loops_count(monkeypatch):
    """Of rules that err, since only nodes are counted where the model adds up triangles as well."""
    graphs = [*house_world(100), *k4_world(100, seed=3)]
    model = Counts(threshold=4.2)
    model.head.weight.data[:, 2] = torch.tensor([-0.25, 0.25])
    only_nodes = ReasonOptions(max_nodes=1, max_ring=2, num_narrowed=1, max_pattern_nodes=1)
    monkeypatch.setattr(
        "protograph.page.explainer.find_reasons", lambda facts: find_reasons(replace(facts, options=only_nodes))
    )
    explainer = pg.PAGE(max_reasons=2).fit(model, graphs)
    explanations = explainer.explain_all()
    assert explanations[1].reasons
    assert explanations[1].disagreements
    holds = [
        [any(row) for row in zip(*(r.holds(graphs) for r in e.reasons), strict=True)] for e in explanations.values()
    ]
    assert explanations.predict(graphs).T.tolist() == holds
    kept = np.flatnonzero(np.array(explanations[0].rule.parts) == 2)
    rows = [[own[index] for own in holds] for index in kept]
    predicted = explainer.predictions_[kept].tolist()
    assert explanations.fidelity == pytest.approx(naive_fidelity(rows, predicted, 2))
    for target, explanation in explanations.items():
        right = [holds[target][index] == (explainer.predictions_[index] == target) for index in range(len(graphs))]
        shares = [np.mean([right[i] for i in kept if (explainer.predictions_[i] == target) == own]) for own in (1, 0)]
        assert explanation.fidelity == pytest.approx(np.mean(shares))
        assert explanation.disagreements == tuple(index for index, is_right in enumerate(right) if not is_right)


def test_one_class_is_explained_as_among_all():
    graphs, explainer, explanations = planted_case("house")
    for target in (0, 1):
        for explanation in (explainer.explain(target), pg.PAGE().fit(Counts(), graphs).explain(target)):
            assert told_of(explanation) == told_of(explanations[target])
            assert [reason.holds_in_indices for reason in explanation.reasons] == [
                reason.holds_in_indices for reason in explanations[target].reasons
            ]
            assert explanation.reasons[0].example.nodes == explanations[target].reasons[0].example.nodes


def test_reasons_are_found_once_a_fit(monkeypatch):
    calls = []

    def counted(facts):
        calls.append(facts)
        return find_reasons(facts)

    monkeypatch.setattr("protograph.page.explainer.find_reasons", counted)
    explainer = pg.PAGE().fit(Counts(), house_world(60))
    explainer.explain_all()
    explainer.explain(1)
    assert len(calls) == 1


@pytest.mark.parametrize(("seed", "batch_size"), [(0, 7), (1, 64)])
def test_reasons_depend_neither_on_the_order_of_graphs_nor_on_the_batch_size(seed, batch_size):
    graphs, _, explanations = planted_case("house")
    order = np.random.default_rng(seed).permutation(len(graphs))
    again = pg.PAGE().fit(Counts(), [graphs[index] for index in order], batch_size=batch_size).explain_all()
    for target, explanation in explanations.items():
        assert told_of(again[target]) == told_of(explanation)
        assert again[target].rule.parts == tuple(explanation.rule.parts[index] for index in order)


def test_reasons_are_saved_and_loaded_whole(tmp_path):
    graphs, _, explanations = planted_case("K4")
    explanations.save(tmp_path / "saved.json")
    loaded = pg.load(tmp_path / "saved.json")
    assert loaded.predict(graphs).tolist() == explanations.predict(graphs).tolist()
    assert loaded.fidelity == explanations.fidelity
    for target, explanation in explanations.items():
        assert told_of(loaded[target]) == told_of(explanation)
        assert loaded[target].rule.parts == explanation.rule.parts
        for one, other in zip(loaded[target].reasons, explanation.reasons, strict=True):
            assert (one.example.nodes, one.example.marked) == (other.example.nodes, other.example.marked)
            assert torch.equal(one.example.graph.x, other.example.graph.x)


def test_without_reasons_the_prototypes_are_the_same():
    graphs, _, explanations = planted_case("house")
    without = pg.PAGE(max_reasons=0).fit(Counts(), graphs).explain_all()
    for target, explanation in explanations.items():
        other = without[target]
        assert (other.reasons, other.rule) == ((), None)
        assert other.fidelity is None
        assert "reasons" not in other.timings
        for one, same in zip(explanation.prototypes, other.prototypes, strict=True):
            assert (one.sources, one.nodes, one.margin) == (same.sources, same.nodes, same.margin)


def test_too_few_graphs_to_measure_by():
    explanation = pg.PAGE().fit(Counts(), house_world(40)).explain(1)
    assert explanation.fidelity is None
    assert (explanation.rule.parts, explanation.fidelity_curve) == ((), ())
    note = (
        "no graphs were kept apart to measure fidelity with: of a class with 20 graphs predicted, 20 of them "
        "different, fewer than 5 would be kept"
    )
    assert explanation.fidelity_note == note
    assert f"No fidelity: {note}." in explanation.summary().replace("\n", " ")


def test_one_class_only_has_no_reasons():
    explainer = pg.PAGE().fit(Counts(threshold=-100.0), house_world(40))
    with pytest.warns(pg.ProtographWarning, match=r"^no graph is predicted as class 0, so"):
        explanations = explainer.explain_all()
    assert list(explanations) == [1]
    assert explanations[1].reasons == ()
    assert len(explanations[1].uncovered) == 40


def test_no_reasons_of_given_representatives_nor_of_the_walk():
    graphs, explainer, _ = planted_case("house")
    assert explainer.explain(1, representatives=[0, 2]).reasons == ()
    walk = fitted(Counts(), graphs[:40], num_clusters=1).explain(1)
    assert (walk.reasons, walk.rule) == ((), None)
