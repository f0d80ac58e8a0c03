"""The default search: sessions over graphs whose answer is planted, and what prototypes owe on any model and graphs."""

from dataclasses import replace
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
import torch

import protograph as pg
from protograph.explanation import Session
from protograph.graphs.conditions import Reading
from protograph.graphs.encoding import EncodedGraphs
from protograph.models.predictions import Judgement
from protograph.page import consensus, trimming
from protograph.page.clustering import Cluster
from protograph.page.consensus import SessionGraphs, chosen_graphs, run_session, voted
from protograph.page.counting import Population, information
from protograph.page.options import SearchOptions
from protograph.page.search import Candidate
from protograph.patterns.canonical import canonical_graph
from tests import zoo
from tests.metrics.by_hand import POOLS, Linear
from tests.metrics.small_graphs import networkx_contains
from tests.page.naive_patterns import edges_of, embeddings, is_connected, path_edges, ring_edges, undirected

# ---- what prototypes owe -----------------------------------------------------------------------------------------

GRAPHS = zoo.random_graphs(60)
quiet = pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")


def fitted(model=None, graphs=GRAPHS, batch_size=256, **options):
    options = {"num_clusters": 1, "search": "consensus"} | options
    return pg.PAGE(max_reasons=0, **options).fit(model or zoo.make(), graphs, batch_size=batch_size)


def as_networkx(graph):
    result = nx.Graph()
    rows = [0] * graph.num_nodes if graph.x is None else map(tuple, graph.x.tolist())
    result.add_nodes_from((i, {"x": row}) for i, row in enumerate(rows))
    result.add_edges_from((u, v) for u, v in graph.edge_index.t().tolist() if u != v)
    return result


def check(prototype, graphs, k, *, has_equal_features=True):
    """What every prototype of the consensus owes, whatever the model and the graphs."""
    p = prototype
    assert p.source == p.sources[0]
    assert len(p.sources) == len(set(p.sources)) == k
    assert p.matches.shape == (p.num_nodes, k)
    assert p.matches[:, 0].tolist() == p.nodes
    assert p.graph.is_undirected()
    assert nx.is_connected(as_networkx(p.graph))
    for column, index in enumerate(p.sources):
        others = p.matches[:, column].tolist()
        assert len(set(others)) == len(others)
        assert all(0 <= other < graphs[index].num_nodes for other in others)
        joined = {frozenset(edge) for edge in graphs[index].edge_index.T.tolist()}
        assert all(frozenset((others[u], others[v])) in joined for u, v in p.edges)
        if has_equal_features and p.graph.x is not None:
            assert torch.equal(graphs[index].x[others], p.graph.x)
    assert p.evidence.node_sources == (k,) * p.num_nodes
    assert p.evidence.edge_sources == (k,) * len(p.edges)
    assert len(p.evidence.steps) == 3
    assert all(isinstance(step, str) and step.strip() for step in p.evidence.steps)
    assert all(len(session.start) == k for session in p.sessions)
    assert {session.stopped for session in p.sessions} == {"consensus"}


def check_counts(explainer, target, prototype, graphs, members):
    """The evidence, counted by NetworkX."""
    contain = np.array([networkx_contains(graph, prototype.graph) for graph in graphs])
    is_class = explainer.predictions_ == target
    evidence = prototype.evidence
    assert (evidence.num_in_class, evidence.num_class) == (contain[is_class].sum(), is_class.sum())
    assert (evidence.num_elsewhere, evidence.num_others) == (contain[~is_class].sum(), (~is_class).sum())
    assert evidence.num_in_cluster == contain[list(members)].sum()
    bits = information(contain[list(members)].mean(), contain[~is_class].mean()) if (~is_class).any() else 0.0
    assert evidence.information == pytest.approx(bits)


# ---- what comes out -------------------------------------------------------------------------------------------------


@quiet
@pytest.mark.parametrize("k", [1, 5])
def test_any_number_of_graphs(k):
    explainer = fitted(num_graphs=k, num_clusters=2)
    for target, explanation in explainer.explain_all().items():
        members = {cluster.representatives: cluster.members for cluster in explainer.representatives(target)}
        assert explanation.prototypes
        for prototype in explanation.prototypes:
            check(prototype, GRAPHS, k)
            cluster = next(m for m in members.values() if set(prototype.sources) <= set(m))
            check_counts(explainer, target, prototype, GRAPHS, cluster)
            assert len(prototype.sessions) <= 5
            assert len(prototype.evidence.contributions) == prototype.num_nodes


def molecules():
    """Chains of two kinds of atoms; every other one carries a nitrogen (2) with two oxygens (3)."""
    rng = np.random.default_rng(0)
    found = []
    for number in range(40):
        size = int(rng.integers(4, 8))
        kinds, edges = rng.integers(0, 2, size).tolist(), path_edges(*range(size))
        if number % 2:
            at = int(rng.integers(0, size))
            edges = [*edges, (at, size), (size, size + 1), (size, size + 2)]
            kinds = [*kinds, 2, 3, 3]
        found.append(undirected(len(kinds), edges, kinds, num_kinds=4))
    return found


@pytest.mark.parametrize("pool", ["add", "mean", "max"])
def test_a_nitro_group_is_found(pool):
    graphs = molecules()
    bias = {"add": -3.0, "mean": -0.5, "max": -3.0}[pool]
    model = Linear([[0.0] * 4, [0.0, 0.0, 2.0, 4.0]], [0.0, bias], POOLS[pool])
    explainer = fitted(model, graphs, num_clusters="auto")
    assert explainer.predictions_.tolist() == [0, 1] * 20
    (prototype,) = explainer.explain(1).prototypes
    check(prototype, graphs, 3)
    assert sorted(prototype.graph.x.argmax(dim=1).tolist()) == [2, 3, 3]
    assert len(prototype.edges) == 2
    evidence = prototype.evidence
    assert (evidence.num_in_class, evidence.num_class, evidence.num_elsewhere) == (20, 20, 0)
    assert evidence.information == 1.0
    assert evidence.node_graphs == (20, 20, 20)
    assert evidence.edge_graphs == (20, 20)
    if pool == "add":
        kinds = prototype.graph.x.argmax(dim=1).tolist()
        assert evidence.contributions == pytest.approx([{2: 2.0, 3: 4.0}[kind] for kind in kinds], abs=1e-6)
        assert evidence.contribution_share == pytest.approx(1.0, abs=1e-6)


# ---- the vote -------------------------------------------------------------------------------------------------------


def candidates_of(*pairs):
    """Candidates that are these graphs and weigh so much; a candidate's number is its source."""
    return [
        Candidate(
            graph=graph,
            sources=(number,),
            source=number,
            nodes=tuple(range(graph.num_nodes)),
            matches=torch.arange(graph.num_nodes).reshape(-1, 1),
            session=Session(
                start=(0,), probability=0.5, margin=0.0, size=3, source=number, stopped="consensus", num_iterations=1
            ),
            weight=weight,
        )
        for number, (graph, weight) in enumerate(pairs)
    ]


EDGE, PATH, TURNED = (
    undirected(len(kinds), path_edges(*range(len(kinds))), kinds) for kinds in ([0, 0], [0, 0, 1], [1, 0, 0])
)


@pytest.mark.parametrize(
    ("candidates", "winner"),
    [
        ([(EDGE, 3.0)], 0),
        ([(EDGE, 3.0), (PATH, 4.0)], 1),
        ([(EDGE, 3.0), (PATH, 2.0), (TURNED, 2.5)], 2),  # 4.5 in sum, and the heavier of the two
        ([(EDGE, 3.0), (PATH, 1.5), (TURNED, 1.5)], 0),  # a tie goes to the first
        ([(PATH, 1.5), (EDGE, 3.0), (TURNED, 1.5 + 1e-12)], 0),  # and rounding is none
        ([(EDGE, -1.0), (PATH, -0.9), (TURNED, -0.8)], 2),  # being many does not make it worse
        ([(EDGE, 0.1), (PATH, 2.0), (TURNED, -5.0)], 0),  # but one session may speak against the others
        ([(EDGE, 0.0), (PATH, -1.0)], 0),
    ],
)
def test_sessions_that_arrive_at_the_same_pattern_speak_with_one_voice(candidates, winner):
    encoded = EncodedGraphs([graph for graph, _ in candidates])
    assert voted(candidates_of(*candidates), encoded).source == winner


# ---- any model, any graphs ------------------------------------------------------------------------------------------


def test_a_readout_that_nodes_cannot_be_left_out_of_has_no_contributions():
    model = zoo.make(pool="mean")
    model.pool = zoo.last_node
    with pytest.warns(pg.ProtographWarning, match=r"what nodes add to the margin is not known: they cannot"):
        prototypes = fitted(model).explain(1).prototypes
    for prototype in prototypes:
        check(prototype, GRAPHS, 3)
        assert prototype.evidence.contributions == ()
        assert prototype.evidence.contribution_share is None


@quiet
def test_a_class_with_one_graph():
    model = zoo.make()
    scores = pg.PAGE().fit(model, GRAPHS).embedded_.scores
    gap = np.sort(scores[:, 1] - scores[:, 0])
    with torch.no_grad():
        model.head.bias[1] -= float(gap[-2:].mean())
    explainer = fitted(model, num_clusters="auto")
    assert (explainer.predictions_ == 1).sum() == 1
    (prototype,) = explainer.explain(1).prototypes
    check(prototype, GRAPHS, 1)
    check_counts(explainer, 1, prototype, GRAPHS, [prototype.source])


@quiet
def test_a_class_of_all_graphs():
    model = zoo.make()
    with torch.no_grad():
        model.head.bias[1] += 1e3
    explainer = fitted(model, match_features=True)
    (prototype,) = explainer.explain(1).prototypes
    check(prototype, GRAPHS, 3)
    check_counts(explainer, 1, prototype, GRAPHS, range(60))
    assert prototype.evidence.num_others == 0
    # Whatever nodes are, the model decides the same: they are not told apart, and nor are they shown.
    (unread,) = fitted(model).explain(1).prototypes
    check(unread, GRAPHS, 3, has_equal_features=False)
    assert (unread.node_rule, unread.pattern.graph.x) == (Reading(), None)


# ---- stability ------------------------------------------------------------------------------------------------------


# The batch size, the seed and the order of a few graphs are looked at beside the walk's, in test_explainer.py.


# ---- the graphs of sessions --------------------------------------------------------------------------------------


def test_sessions_take_the_next_nearest_the_mean_and_those_most_like_it():
    # On a line, nearest the mean first: 0 and 1 are the representatives; 2 takes 5 along, 3 takes 4.
    embeddings = np.array([[0.0], [0.1], [1.0], [-1.2], [-1.3], [1.5], [9.0]])
    fitted = SimpleNamespace(embedded=SimpleNamespace(graph_embeddings=embeddings), resolution=1e-13)
    cluster = Cluster(members=tuple(range(7)), distances=(), representatives=(0, 1), nearest=tuple(range(7)))
    assert chosen_graphs(fitted, cluster, 1) == [(0, 1)]
    assert chosen_graphs(fitted, cluster, 3) == [(0, 1), (2, 5), (3, 4)]
    assert chosen_graphs(fitted, cluster, 9) == [(0, 1), (2, 5), (3, 4)]  # a single graph is left over
    # With so few graphs to choose from, 5 is out of reach of 2.
    assert chosen_graphs(fitted, replace(cluster, nearest=(0, 1, 2, 3)), 2) == [(0, 1), (2, 3)]


# ---- one session, without a model --------------------------------------------------------------------------------


# A house on a chain, and the chain alone; the house's nodes carry 1 each, the chain's nothing.
HOUSE = [*ring_edges(0, 1, 2, 3), (0, 4), (1, 4)]
WITH = [undirected(5 + n, [*HOUSE, *path_edges(*range(5, 5 + n)), (2, 5)], [0] * (5 + n)) for n in (3, 4, 5, 6)]
WITHOUT = [undirected(5 + n, path_edges(*range(5 + n)), [0] * (5 + n)) for n in (3, 4, 5, 6)]
WORLD = [*WITH, *WITHOUT]


def judge(graphs, target):
    """A model that takes every graph for one of the class."""
    ones = np.ones(len(graphs))
    return Judgement(0.75 * ones, margins=2 * ones, leads=ones, predictions=np.full(len(graphs), target))


FITTED = SimpleNamespace(judge=judge, target=1, resolution=1e-13, position=lambda index: index + 100)


def judged_by_the_first(graphs, target):
    """Only the first of some graphs is one of the class."""
    leads = np.array([1.0] + [-1.0] * (len(graphs) - 1))
    return Judgement(0.75 + 0 * leads, margins=2 * leads, leads=leads, predictions=np.where(leads > 0, target, 0))


def carried_by_the_house(graph):
    return np.array([1.0] * 5 + [0.0] * (graph.num_nodes - 5))


def session_of(indices, graphs, carried=carried_by_the_house):
    """The graphs of a session; contributions are given in the numbers of the user."""
    rng = np.random.default_rng(0)
    sources = [canonical_graph(graphs[i]) for i in indices]
    contributions = None if carried is None else [carried(graphs[i]) for i in indices]
    return SessionGraphs(
        indices=tuple(indices),
        sources=sources,
        embeddings=[rng.normal(size=(graphs[i].num_nodes, 3)) for i in indices],
        contributions=contributions
        and [part[source.nodes] for part, source in zip(contributions, sources, strict=True)],
    )


def searched(session, graphs=WORLD, num_inside=4, match_edges=False, **options):
    encoded = EncodedGraphs(graphs, match_features=options.get("match_features", True), match_edges=match_edges)
    population = Population(encoded, np.arange(num_inside), np.arange(num_inside, len(graphs)))
    options = SearchOptions(match_edges=match_edges, **options)
    model = SimpleNamespace(**vars(FITTED) | {"encoded": encoded})
    return run_session(session, population, model, options)


def pattern_of(candidate):
    """Nodes and edges in the numbers of the user's graph."""
    nodes = candidate.nodes
    return frozenset(nodes), {tuple(sorted((nodes[u], nodes[v]))) for u, v in edges_of(candidate.graph)}


def check_candidate(candidate, graphs=WORLD):
    nodes, edges = pattern_of(candidate)
    source = graphs[candidate.source]
    assert candidate.source == candidate.sources[0] == candidate.session.source
    assert is_connected(nodes, edges)
    assert torch.equal(candidate.graph.x, source.x[list(candidate.nodes)])
    assert candidate.matches.shape == (len(nodes), len(candidate.sources))
    assert candidate.matches[:, 0].tolist() == list(candidate.nodes)
    for q, index in enumerate(candidate.sources):
        image = dict(zip(candidate.nodes, candidate.matches[:, q].tolist(), strict=True))
        assert image in embeddings(nodes, edges, source, graphs[index])
    assert len(candidate.session.start) == len(candidate.sources)
    assert candidate.session.size == len(nodes)
    assert candidate.session.stopped == "consensus"


@pytest.mark.parametrize("indices", [[0], [0, 1], [3, 2, 1, 0]])
def test_a_house_is_found(indices):
    session = session_of(indices, WORLD)
    found = searched(session)
    check_candidate(found)
    assert pattern_of(found) == (frozenset(range(5)), set(edges_of(undirected(5, HOUSE))))
    assert found.contributions == (1.0,) * 5
    assert found.contribution_share == pytest.approx(1.0)
    assert found.session.is_exact
    assert 0 < found.session.num_iterations <= 100
    assert (found.session.probability, found.session.margin, found.predicted) == (0.75, 2.0, 1)


def test_what_a_session_weighs(monkeypatch):
    """Its bits, times 1 and the square of how many standard errors its nodes carry more than any: what is trimmed."""
    monkeypatch.setattr(trimming, "MAX_STEPS", 0)
    session = session_of([3, 2, 1], WORLD)
    found = searched(session)
    joined = np.concatenate(session.contributions)
    # In every graph the nodes are of the house: each carries 1, whatever its counterparts.
    assert found.contributions == (1.0,) * len(found.nodes)
    excess = (1 - joined.mean()) / joined.std() * np.sqrt(len(found.nodes))
    assert found.weight == pytest.approx(1.0 * (1 + excess**2))
    assert f"its nodes add {excess:.1f} standard errors more to the margin than any nodes do" in found.steps[1]


def test_what_was_done_is_told(monkeypatch):
    found = searched(session_of([0, 1], WORLD))
    first, second, third = found.steps
    start, size = found.session.start[0], "8 nodes and 9 edges"  # all of the smaller graph
    assert first == (
        f"the consensus of graphs 100, 101 around node {start} of graph 100 has {size} (proven to be the largest)"
    )
    assert second.startswith("trimmed to ")
    assert ": found in 100.0% of the cluster's graphs looked at and 0.0% of the others (1.00 bits); its" in second
    assert third == "closed to 5 nodes and 6 edges: what all of those graphs of the cluster have besides"
    monkeypatch.setattr(trimming, "MAX_STEPS", 0)
    open_end = searched(session_of([0, 1], WORLD, carried=None))
    assert open_end.steps[1].endswith(" of the others (1.00 bits)")
    assert open_end.steps[2] == "nothing more belongs to all of those graphs of the cluster and to the class"


def test_the_model_holds_the_closing(monkeypatch):
    session = session_of([0, 1], WORLD)
    assert len(searched(session).nodes) == 5
    monkeypatch.setattr(FITTED, "judge", judged_by_the_first)
    held = searched(session)
    assert len(held.nodes) < 5
    assert held.session.margin == 2.0


def test_nothing_in_common_is_none():
    graphs = [undirected(2, [(0, 1)], [0, 0]), undirected(2, [(0, 1)], [1, 1])]
    session = session_of([0, 1], graphs, lambda graph: np.zeros(2))
    assert searched(session, graphs, 2) is None
    assert searched(session, graphs, 2, match_features=False) is not None


@pytest.mark.parametrize("carried", ["unknown", "equal", "negative"])
def test_contributions_that_tell_nothing(carried):
    value = {"unknown": None, "equal": 2.0, "negative": -1.0}[carried]
    session = session_of([0, 1], WORLD, value and (lambda graph: np.full(graph.num_nodes, value)))
    found = searched(session)
    check_candidate(found)
    assert found.weight == 1.0  # what tells the class is found all the same: 1 bit, nothing carried
    assert found.contributions == (() if carried == "unknown" else (value,) * len(found.nodes))
    share = np.mean([len(found.nodes) / graph.num_nodes for graph in WORLD[:2]])
    assert found.contribution_share == (pytest.approx(share) if carried == "equal" else None)


@pytest.mark.parametrize("limit", [1, 4])
def test_max_nodes(limit):
    found = searched(session_of([0, 1, 2], WORLD), max_nodes=limit)
    check_candidate(found)
    assert len(found.nodes) <= limit


def test_graphs_that_are_too_large_are_refused(monkeypatch):
    monkeypatch.setattr(consensus, "MAX_GRAPH_NODES", 3)
    with pytest.warns(pg.ProtographWarning, match=r"graphs of more than 3 are not compared .* explain parts of such"):
        assert fitted().explain(1).prototypes == []


def test_a_search_that_was_cut_short_says_so(monkeypatch):
    monkeypatch.setattr(consensus, "GROW_CALLS", 30)
    found = searched(session_of([0, 1], WORLD))
    assert not found.session.is_exact
    assert "the largest known, at least " in found.steps[0]
