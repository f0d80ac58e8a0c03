from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from protograph.graphs.encoding import EncodedGraphs
from protograph.models.predictions import Judgement
from protograph.page.consensus.counting import Population
from protograph.page.consensus.session import _session_weight, run_sessions
from protograph.page.consensus.session_graphs import SessionGraphs
from protograph.page.options import ConsensusOptions, SearchOptions
from protograph.patterns.canonical import canonical_graph
from tests.page.naive_patterns import edges_of, embeddings, is_connected, path_edges, ring_edges, undirected

# A house on a chain, and the chain alone; the house's nodes carry 1 each, the chain's nothing.
HOUSE = [*ring_edges(0, 1, 2, 3), (0, 4), (1, 4)]
WITH = [undirected(5 + n, [*HOUSE, *path_edges(*range(5, 5 + n)), (2, 5)], [0] * (5 + n)) for n in (3, 4, 5, 6)]
WITHOUT = [undirected(5 + n, path_edges(*range(5 + n)), [0] * (5 + n)) for n in (3, 4, 5, 6)]
GRAPHS = [*WITH, *WITHOUT]


class Judge:
    """A model that predicts the class for those graphs of a call whose numbers it is told, by default for all."""

    classifier = SimpleNamespace(resolution=1e-13)

    def __init__(self, predicted=slice(None)):
        self.predicted, self.seen = predicted, []

    def __call__(self, graphs, target):
        self.seen.append((list(graphs), target))
        leads = np.full(len(graphs), -1.0)
        leads[self.predicted] = 1.0
        predictions = np.where(leads > 0, target, 1 - target)
        return Judgement(np.linspace(0.5, 0.6, len(graphs)), margins=leads * 2, leads=leads, predictions=predictions)


def carried_by_the_house(graph):
    return np.array([1.0] * 5 + [0.0] * (graph.num_nodes - 5))


def session_of(indices, graphs, carried=carried_by_the_house, match_edges=False, match_features=True):
    """The graphs of a session; contributions are given in the numbers of the user."""
    rng = np.random.default_rng(0)
    encoded = EncodedGraphs(graphs, match_features=match_features, match_edges=match_edges)
    sources = [canonical_graph(graphs[i]) for i in indices]
    contributions = None if carried is None else [carried(graphs[i]) for i in indices]
    return SessionGraphs(
        indices=tuple(indices),
        positions=tuple(index + 100 for index in indices),
        sources=sources,
        encoded=encoded.encode_all([source.graph for source in sources]),
        embeddings=[rng.normal(size=(graphs[i].num_nodes, 3)) for i in indices],
        contributions=contributions
        and [part[source.nodes] for part, source in zip(contributions, sources, strict=True)],
    )


def searched(session, graphs=GRAPHS, num_inside=4, judge=None, match_edges=False, **options):
    population = Population(
        encoded=EncodedGraphs(graphs, match_features=options.get("match_features", True), match_edges=match_edges),
        cluster=np.arange(num_inside),
        others=np.arange(num_inside, len(graphs)),
        options=options.get("consensus", ConsensusOptions()),
    )
    options = SearchOptions(match_edges=match_edges, **options)
    return next(iter(run_sessions([session], population, judge or Judge(), 1, options)), None)


def pattern_of(candidate):
    """Nodes and edges in the numbers of the user's graph."""
    nodes = candidate.nodes
    return frozenset(nodes), {tuple(sorted((nodes[u], nodes[v]))) for u, v in edges_of(candidate.graph)}


def check(candidate, graphs=GRAPHS):
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
    assert candidate.encoded.num_nodes == len(nodes)
    assert candidate.encoded.num_edges == len(edges)


@pytest.mark.parametrize("indices", [[0], [0, 1], [0, 1, 2], [3, 2, 1, 0]])
def test_a_house_is_found(indices):
    session, judge = session_of(indices, GRAPHS), Judge()
    found = searched(session, judge=judge)
    check(found)
    assert pattern_of(found) == (frozenset(range(5)), set(edges_of(undirected(5, HOUSE))))
    assert found.contributions == (1.0,) * 5
    assert found.contribution_share == pytest.approx(1.0)
    assert found.session.is_exact
    assert 0 < found.session.num_iterations <= 100
    ((path, target),) = judge.seen
    assert target == 1
    assert (found.session.probability, found.session.margin) == (np.linspace(0.5, 0.6, len(path))[-1], 2.0)


@pytest.mark.parametrize("indices", [[0, 1], [3, 2, 1]])
def test_what_a_session_weighs(indices):
    """Its bits, times 1 and the square of how many standard errors its nodes carry more than any: what is trimmed."""
    session = session_of(indices, GRAPHS)
    found = searched(session, judge=Judge(predicted=[0]))
    check(found)
    joined = np.concatenate(session.contributions)
    # In every graph the nodes are of the house: each carries 1, whatever its counterparts.
    assert found.contributions == (1.0,) * len(found.nodes)
    excess = (1 - joined.mean()) / joined.std() * np.sqrt(len(found.nodes))
    assert found.weight == pytest.approx(1.0 * (1 + excess**2))
    assert f"its nodes add {excess:.1f} standard errors more to the margin than any nodes do" in found.steps[1]


def test_what_was_done_is_told():
    found = searched(session_of([0, 1], GRAPHS))
    first, second, third = found.steps
    start, size = found.session.start[0], "8 nodes and 9 edges"  # all of the smaller graph
    assert first == (
        f"the consensus of graphs 100, 101 around node {start} of graph 100 has {size} (proven to be worth the most)"
    )
    assert second.startswith("trimmed to ")
    assert ": found in 100.0% of the cluster's graphs looked at and 0.0% of the others (1.00 bits); its" in second
    assert third == "closed to 5 nodes and 6 edges: what all of those graphs of the cluster have besides"
    open_end = searched(session_of([0, 1], GRAPHS, carried=None), consensus=ConsensusOptions(max_steps=0))
    assert open_end.steps[1].endswith(" of the others (1.00 bits)")
    assert open_end.steps[2] == "nothing more belongs to all of those graphs of the cluster and to the class"


def test_the_model_holds_the_closing():
    session, all_of_them = session_of([0, 1], GRAPHS), Judge()
    searched(session, judge=all_of_them)
    ((path, _),) = all_of_them.seen
    sizes = [graph.num_nodes for graph in path]
    assert len(sizes) > 1
    held = searched(session, judge=Judge(predicted=[0]))
    assert held.session.size == sizes[0]
    assert held.session.probability == 0.5
    none = searched(session, judge=Judge(predicted=[]))
    assert (none.session.size, none.session.margin) == (sizes[-1], -2.0)


def test_nothing_in_common_is_none():
    graphs = [undirected(2, [(0, 1)], [0, 0]), undirected(2, [(0, 1)], [1, 1])]
    session = session_of([0, 1], graphs, lambda graph: np.zeros(2))
    assert searched(session, graphs, 2) is None
    session = session_of([0, 1], graphs, lambda graph: np.zeros(2), match_features=False)
    assert searched(session, graphs, 2, match_features=False) is not None


@pytest.mark.parametrize("carried", ["unknown", "equal", "negative"])
def test_contributions_that_tell_nothing(carried):
    value = {"unknown": None, "equal": 2.0, "negative": -1.0}[carried]
    session = session_of([0, 1], GRAPHS, value and (lambda graph: np.full(graph.num_nodes, value)))
    found = searched(session)
    check(found)
    assert found.weight == 1.0  # what tells the class is found all the same: 1 bit, nothing carried
    assert found.contributions == (() if carried == "unknown" else (value,) * len(found.nodes))
    share = np.mean([len(found.nodes) / graph.num_nodes for graph in GRAPHS[:2]])
    assert found.contribution_share == (pytest.approx(share) if carried == "equal" else None)


def test_a_single_node_in_common():
    graphs = [undirected(3, path_edges(0, 1, 2), [0, 1, 2]), undirected(1, [], [1]), undirected(1, [], [2])]
    found = searched(session_of([0, 1], graphs, lambda graph: np.arange(graph.num_nodes, dtype=float)), graphs, 2)
    check(found, graphs)
    assert found.nodes == (1,)
    assert found.matches.tolist() == [[1, 0]]
    assert "has 1 node and 0 edges" in found.steps[0]


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5])
def test_max_nodes(limit):
    found = searched(session_of([0, 1, 2], GRAPHS), max_nodes=limit)
    check(found)
    assert len(found.nodes) <= limit


def test_no_others():
    found = searched(session_of([0, 1], WITH), WITH)
    check(found)
    assert "found in 100.0% of the cluster's graphs looked at; its nodes add " in found.steps[1]


def test_equal_attributes_of_edges():
    graphs = [undirected(3, path_edges(0, 1, 2), [0, 0, 0], [0, kind]) for kind in (0, 1)]
    assert not torch.equal(graphs[0].edge_attr, graphs[1].edge_attr)
    session = session_of([0, 1], graphs, lambda graph: np.arange(3.0), match_edges=True)
    found = searched(session, graphs, 2, match_edges=True)
    assert len(found.nodes) <= 2
    assert embeddings(*pattern_of(found), graphs[0], graphs[1], match_edges=True)


@pytest.mark.parametrize("indices", [[0, 1], [2, 1, 0]])
def test_the_user_s_numbers_come_back(indices):
    """The same session over graphs numbered otherwise: the same graph, and the same nodes by another name."""
    rng = np.random.default_rng(3)
    orders = [rng.permutation(graph.num_nodes) for graph in GRAPHS]
    renumbered = []
    for graph, order in zip(GRAPHS, orders, strict=True):
        place = torch.from_numpy(np.argsort(order))
        renumbered.append(type(graph)(x=graph.x[order], edge_index=place[graph.edge_index], num_nodes=len(order)))
    plain = searched(session_of(indices, GRAPHS))
    session = session_of(indices, renumbered, None)
    carried = [
        carried_by_the_house(GRAPHS[i])[orders[i]][source.nodes]
        for i, source in zip(indices, session.sources, strict=True)
    ]
    found = searched(replace(session, contributions=carried), renumbered)
    check(found, renumbered)
    assert {int(orders[indices[0]][node]) for node in found.nodes} == set(plain.nodes)
    assert torch.equal(found.graph.edge_index, plain.graph.edge_index)
    assert found.weight == pytest.approx(plain.weight)


@pytest.mark.parametrize(
    ("without", "expected"),
    [((), 0.5 * (1 + 9)), (("square",), 0.5 * (1 + 3)), (("information",), 1 + 9), (("information", "square"), 1 + 3)],
)
def test_what_a_session_weighs_with_steps_left_out(without, expected):
    assert _session_weight(0.5, 3.0, frozenset(without)) == expected
    assert _session_weight(0.5, -3.0, frozenset(without)) == (1.0 if "information" in without else 0.5)


def test_without_the_model_closing_goes_to_its_end():
    session = session_of([0, 1], GRAPHS)
    held = searched(session, judge=Judge(predicted=[0]))
    free = searched(session, judge=Judge(predicted=[0]), without=frozenset({"model"}))
    assert len(held.nodes) < 5
    assert pattern_of(free) == pattern_of(searched(session))


def test_without_wholes_a_ring_may_be_cut():
    """Only two nodes of the square carry the class: with them alone a part weighs the most."""
    squares = [undirected(4 + n, [*ring_edges(0, 1, 2, 3), *path_edges(3, *range(4, 4 + n))]) for n in (1, 2, 3)]
    graphs = [*squares, *(undirected(1, []) for _ in range(3))]
    consensus = ConsensusOptions(max_steps=0)
    session = session_of([0, 1], graphs, lambda graph: np.array([1.0, 1.0] + [0.0] * (graph.num_nodes - 2)))
    whole = searched(session, graphs, 3, consensus=consensus)
    cut = searched(session, graphs, 3, consensus=consensus, without=frozenset({"wholes"}))
    assert frozenset(range(4)) <= pattern_of(whole)[0]
    assert pattern_of(cut) == (frozenset({0, 1}), {(0, 1)})


def test_without_worth_the_largest_pattern_grows():
    """From node 0 a fork with what carries the class, or a longer path, grows; the second graph has them apart."""
    source = undirected(6, [(0, 1), (1, 2), (0, 3), (3, 4), (4, 5)], [0, 1, 1, 2, 2, 2])
    fork_and_path = undirected(7, [(0, 1), (0, 2), *path_edges(3, 4, 5, 6)], [0, 1, 2, 0, 2, 2, 2])
    graphs = [source, fork_and_path, undirected(1, [], [1])]
    carried = {6: [5.0, 5.0, 3.0, 4.0, 0.0, 0.0], 7: [5.0, 5.0, 4.0, 0.0, 0.0, 0.0, 0.0]}
    session = session_of([0, 1], graphs, lambda graph: np.array(carried[graph.num_nodes]))
    worth = searched(session, graphs, 2)
    large = searched(session, graphs, 2, without=frozenset({"worth"}))
    assert " has 3 nodes and 2 edges " in worth.steps[0]
    assert " has 4 nodes and 3 edges " in large.steps[0]


def test_a_search_that_was_cut_short_says_what_it_is_worth_at_least():
    found = searched(session_of([0, 1], GRAPHS), consensus=ConsensusOptions(grow_calls=1))
    assert not found.session.is_exact
    # The house's 5 nodes and 6 edges are worth 1 each, the edge from it to the rest half as much: 1 of 11.5.
    assert found.steps[0].endswith(" has 1 node and 0 edges (the best one known, worth at least 9% of what any can be)")
