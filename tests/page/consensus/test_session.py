import numpy as np
import pytest
import torch

from protograph.graphs.encoding import EncodedGraphs
from protograph.page.consensus.session import Group, Population, run_session
from protograph.patterns.common import CommonPatterns
from protograph.patterns.pattern import Pattern
from tests.page.naive_patterns import embeddings, path_edges, ring_edges, undirected

# A house on a chain, and the chain alone; the house's nodes carry 1 each, the chain's nothing.
HOUSE = [*ring_edges(0, 1, 2, 3), (0, 4), (1, 4)]
WITH = [undirected(5 + n, [*HOUSE, *path_edges(*range(5, 5 + n)), (2, 5)], [0] * (5 + n)) for n in (3, 4, 5, 6)]
WITHOUT = [undirected(5 + n, path_edges(*range(5 + n)), [0] * (5 + n)) for n in (3, 4, 5, 6)]


def group_of(indices, graphs, carried=None):
    rng = np.random.default_rng(0)
    if carried is None:
        carried = [np.array([1.0] * 5 + [0.0] * (graphs[i].num_nodes - 5)) for i in indices]
    return Group(
        indices=tuple(indices),
        graphs=[graphs[i] for i in indices],
        embeddings=[rng.normal(size=(graphs[i].num_nodes, 3)) for i in indices],
        contributions=carried,
    )


def population_of(graphs, num_inside):
    return Population(
        encoded=EncodedGraphs(graphs), cluster=np.arange(num_inside), others=np.arange(num_inside, len(graphs))
    )


def yes(patterns):
    return [1.0] * len(patterns)


def check(proposal, group):
    pattern = proposal.pattern
    assert pattern.is_connected
    assert set(proposal.matches) == pattern.nodes
    assert proposal.start[0] in proposal.consensus.pattern.nodes
    for q, graph in enumerate(group.graphs):
        image = {node: row[q] for node, row in proposal.matches.items()}
        assert image in embeddings(pattern.nodes, pattern.edges, group.graphs[0], graph)
    assert all(row[0] == node for node, row in proposal.matches.items())


@pytest.mark.parametrize("indices", [[0], [0, 1], [0, 1, 2], [3, 2, 1, 0]])
def test_a_house_is_found(indices):
    graphs = [*WITH, *WITHOUT]
    group = group_of(indices, graphs)
    found = run_session(group, population_of(graphs, 4), yes)
    check(found, group)
    assert found.pattern == CommonPatterns([graphs[indices[0]]]).source.within(range(5))
    assert found.trimmed.found.shares == (1.0, 0.0)
    assert found.contribution_share <= 1.0
    assert found.weight == found.trimmed.found.information * (1 + found.trimmed.excess**2)
    assert found.consensus.is_exact
    assert 0 < found.num_weighed <= 100


def test_what_was_done_is_told():
    graphs = [*WITH, *WITHOUT]
    first, second, third = run_session(group_of([0, 1], graphs), population_of(graphs, 4), yes).steps()
    assert first.startswith("the consensus of graphs 0, 1 around node ")
    assert first.endswith("(proven to be worth the most)")
    assert "found in 100.0% of the cluster's graphs looked at and 0.0% of the others (1.00 bits)" in second
    assert third.startswith("closed to 5 nodes and 6 edges")


def test_the_model_holds_the_closing():
    graphs = [*WITH, *WITHOUT]
    seen = []

    def only_the_first(patterns):
        seen.append(list(patterns))
        return [1.0] + [-1.0] * (len(patterns) - 1)

    def none(patterns):
        return [-1.0] * len(patterns)

    group, population = group_of([0, 1], graphs), population_of(graphs, 4)
    found = run_session(group, population, only_the_first)
    assert found.pattern == seen[0][0] == found.trimmed.pattern
    assert run_session(group, population, none).pattern == seen[0][-1]


def test_nothing_in_common_is_none():
    graphs = [undirected(2, [(0, 1)], [0, 0]), undirected(2, [(0, 1)], [1, 1])]
    group = group_of([0, 1], graphs, [np.zeros(2), np.zeros(2)])
    assert run_session(group, population_of(graphs, 2), yes) is None
    assert run_session(group, population_of(graphs, 2), yes, match_features=False) is not None


@pytest.mark.parametrize("carried", ["unknown", "equal", "negative"])
def test_contributions_that_tell_nothing(carried):
    graphs = [*WITH, *WITHOUT]
    sizes = [graphs[i].num_nodes for i in (0, 1)]
    group = group_of([0, 1], graphs, [np.full(size, 2.0 if carried == "equal" else -1.0) for size in sizes])
    if carried == "unknown":
        group = Group(indices=(0, 1), graphs=group.graphs, embeddings=group.embeddings, contributions=None)
    found = run_session(group, population_of(graphs, 4), yes)
    check(found, group)
    assert found.trimmed.excess == 0.0
    assert found.trimmed.found.information == 1.0  # what tells the class is found all the same
    assert (found.contributions == {}) == (carried == "unknown")
    assert found.contribution_share == (pytest.approx(len(found.pattern) / 8, abs=0.1) if carried == "equal" else None)


def test_a_single_node_in_common():
    graphs = [undirected(3, path_edges(0, 1, 2), [0, 1, 2]), undirected(1, [], [1]), undirected(1, [], [2])]
    group = group_of([0, 1], graphs, [np.array([0.0, 1.0, 5.0]), np.array([1.0])])
    found = run_session(group, population_of(graphs, 2), yes)
    assert found.pattern == Pattern(frozenset([1]), frozenset())
    assert found.matches == {1: (1, 0)}
    assert "has 1 node and 0 edges" in found.steps()[0]


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5])
def test_max_nodes(limit):
    graphs = [*WITH, *WITHOUT]
    group = group_of([0, 1, 2], graphs)
    found = run_session(group, population_of(graphs, 4), yes, max_nodes=limit)
    check(found, group)
    assert len(found.pattern) <= limit


def test_no_others():
    group = group_of([0, 1], WITH)
    found = run_session(group, population_of(WITH, 4), yes)
    check(found, group)
    assert found.trimmed.found.shares == (1.0, 0.0)


def test_equal_attributes_of_edges():
    graphs = [undirected(3, path_edges(0, 1, 2), [0, 0, 0], [0, bond]) for bond in (0, 1)]
    assert not torch.equal(graphs[0].edge_attr, graphs[1].edge_attr)
    group = group_of([0, 1], graphs, [np.arange(3.0), np.arange(3.0)])
    population = Population(
        encoded=EncodedGraphs(graphs, match_edges=True), cluster=np.arange(2), others=np.zeros(0, np.int64)
    )
    found = run_session(group, population, yes, match_edges=True)
    assert len(found.pattern) <= 2
    assert embeddings(found.pattern.nodes, found.pattern.edges, graphs[0], graphs[1], match_edges=True)
