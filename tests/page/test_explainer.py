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
from protograph.patterns.canonical import canonical_graph
from tests import zoo
from tests.page.planted import HOUSE
from tests.page.reasons.by_hand import Counts, house_world, rule_look, shape_of

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


def test_what_was_given_up_is_said(monkeypatch):
    """Each bound that is reached is a warning; what is said of sessions and of counts is on them too."""
    monkeypatch.setattr(counting, "COUNT_CALLS", 2)
    monkeypatch.setattr(consensus, "COUNT_CALLS", 2)
    monkeypatch.setattr(contributions, "LEFT_OUT_ROWS", 1)
    explainer = fitted(zoo.make(pool="max"), GRAPHS[:12], search="consensus", num_clusters=1, budget=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pg.ProtographWarning)
        explanation = explainer.explain(1)
    assert any(note.startswith("what nodes add to the margin is not known: ") for note in explanation.warnings)
    (given_up,) = [note for note in explanation.warnings if note.endswith("the graph counts as one without")]
    assert " times that a graph was searched for a pattern, 2 placed nodes did not decide; " in given_up
    assert all(prototype.evidence.contributions == () for prototype in explanation.prototypes)


def test_graphs_in_which_a_prototype_could_not_be_decided_are_counted(monkeypatch):
    monkeypatch.setattr("protograph.page.evidence.WHOLE_CALLS", 1)
    explainer = fitted(search="consensus")
    with pytest.warns(pg.ProtographWarning, match=r"it could not be decided in reasonable time whether they contain"):
        explanation = explainer.explain(1)
    for prototype in explanation.prototypes:
        evidence = prototype.evidence
        assert 0 < evidence.num_undecided <= len(GRAPHS) - evidence.num_in_class - evidence.num_elsewhere


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


# ---- any graphs -----------------------------------------------------------------------------------------------------


@either
def test_edge_attributes_and_extra_tensors_reach_the_prototype(search):
    graphs = zoo.random_graphs(40, edge_dim=2)
    for graph in graphs:
        graph.charge = torch.arange(graph.num_nodes)
    explanation = fitted(zoo.make(conv="gine"), graphs, search).explain(1)
    for p in explanation.prototypes:
        assert p.graph.charge.tolist() == p.nodes
        assert p.graph.edge_attr.shape == (p.graph.edge_index.size(1), 2)


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
def test_continuous_features_never_match_as_they_are(search):
    generator = torch.Generator().manual_seed(0)
    graphs = [Data(x=g.x + 0.01 * torch.rand(g.x.shape, generator=generator), edge_index=g.edge_index) for g in GRAPHS]
    with pytest.warns(pg.ProtographWarning, match=r"have equal features; pass match_features=False"):
        assert fitted(graphs=graphs, search=search, match_features=True).explain(1).prototypes == []
    anything = fitted(graphs=graphs, search=search, match_features=False).explain(1)
    assert anything.prototypes != []
    assert all(p.node_rule.is_empty and not any(p.pattern.of_nodes) for p in anything.prototypes)
    assert all(all(p.pattern.of_nodes) for p in reference(search)[1].prototypes)


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
        ("walk", "mean", 7),
        ("consensus", "attention", 1),
    ],
)
def test_the_batch_size_makes_no_difference(search, pool, batch_size):
    model = zoo.make(pool=pool)
    plain = reference(search, pool)
    other = pg.PAGE(**SEARCHES[search]).fit(model, GRAPHS, batch_size=batch_size).explain_all()
    assert fingerprint(plain) == fingerprint(other)
    assert floats(plain) == pytest.approx(floats(other), abs=1e-5)


def test_the_number_of_threads_makes_no_difference():
    before = torch.get_num_threads()
    try:
        found = []
        for threads in (1, 2):
            torch.set_num_threads(threads)
            found.append(fitted(search="consensus").explain_all())
    finally:
        torch.set_num_threads(before)
    assert fingerprint(found[0]) == fingerprint(found[1])
    assert floats(found[0]) == pytest.approx(floats(found[1]), abs=1e-5)


@pytest.mark.parametrize(("search", "seed"), [("walk", 0), ("consensus", 0)])
def test_the_order_of_the_graphs_makes_no_difference(search, seed):
    order = list(range(len(GRAPHS)))
    random.Random(seed).shuffle(order)
    plain = reference(search)
    shuffled = fitted(graphs=[GRAPHS[i] for i in order], search=search).explain_all()
    assert fingerprint(plain) == fingerprint(shuffled, index_of=lambda i: order[i])
    assert floats(plain) == pytest.approx(floats(shuffled), abs=1e-5)


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
@pytest.mark.parametrize(("conv", "pool"), [("gcn", "add"), ("gat", "max")])
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


# ---- leaving things as they were, and errors ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"num_clusters": 0}, ValueError, "num_clusters must be at least 1, got 0"),
        ({"num_graphs": 0}, ValueError, "num_graphs must be at least 1, got 0"),
        ({"num_graphs": 2.5}, TypeError, "num_graphs must be a whole number, got 2.5"),
        ({"budget": -1}, ValueError, "budget must be at least 1, got -1"),
        ({"max_nodes": 0}, ValueError, "max_nodes must be at least 1, got 0"),
        ({"match_features": 0.1}, TypeError, "match_features must be True, False or 'auto', got 0.1"),
        ({"match_features": "yes"}, TypeError, "match_features must be True, False or 'auto', got 'yes'"),
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
        {"num_clusters": 2, "max_nodes": 4, "match_features": False, "max_reasons": 0},
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


def test_one_graph_has_no_pairs_to_score():
    explainer = pg.PAGE(search=Walk(scoring="arithmetic")).fit(zoo.make(), GRAPHS[:1] + GRAPHS[:1])
    with pytest.warns(pg.ProtographWarning) as caught:
        explanation = explainer.explain(int(explainer.predictions_[0]))
    assert explanation.prototypes == []
    assert "scoring='arithmetic' needs at least 2 graphs, it has 1" in str(caught[-1].message)


@either
def test_no_warning_without_cause(search):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message="the model may have learned nothing")  # it is not trained
        fitted(search=search).explain_all()


# ---- reasons ------------------------------------------------------------------------------------------------------


@cache
def planted_case():
    """Graphs of which it is known why they are of the second class, by a model that decides exactly so."""
    graphs = house_world(150)
    explainer = pg.PAGE().fit(Counts(), graphs)
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


def test_reasons_are_what_was_planted():
    _, explainer, explanations = planted_case()
    (reason,) = explanations[1].reasons
    house = [shape_of(5, HOUSE)]  # the model does not look at kinds
    assert rule_look([reason])[0] == (house, [], [])
    assert (reason.support.share, reason.support.share_elsewhere) == (1.0, 0.0)
    (lack,) = explanations[0].reasons
    assert rule_look([lack])[0][:2] == ([], house)
    assert explanations.fidelity == 1.0
    assert explanations.fidelity.num_graphs == sum(part == 2 for part in explanations[0].rule.parts)
    for target, explanation in explanations.items():
        assert explanation.survey.predictions == tuple(explainer.predictions_.tolist())
        assert (explanation.fidelity, explanation.fidelity_note) == (1.0, "")
        assert [float(fidelity) for fidelity in explanation.fidelity_curve] == [1.0]
        assert explanation.uncovered == explanation.disagreements == explanation.typical_uncovered == ()
        with torch.no_grad():
            example = explanation.reasons[0].example.graph
            scores = Counts()(example.x, example.edge_index, torch.zeros(example.num_nodes, dtype=torch.long))
        assert scores.argmax().item() == target


def test_one_class_is_explained_as_among_all():
    graphs, explainer, explanations = planted_case()
    for explanation in (explainer.explain(1), pg.PAGE().fit(Counts(), graphs).explain(1)):
        assert told_of(explanation) == told_of(explanations[1])
        assert explanation.reasons[0].holds_in_indices == explanations[1].reasons[0].holds_in_indices
        assert explanation.reasons[0].example.nodes == explanations[1].reasons[0].example.nodes


def test_no_reasons_of_given_representatives_nor_of_the_walk():
    graphs, explainer, _ = planted_case()
    assert explainer.explain(1, representatives=[0, 2]).reasons == ()
    walk = fitted(Counts(), graphs[:40], num_clusters=1).explain(1)
    assert (walk.reasons, walk.rule) == ((), None)
