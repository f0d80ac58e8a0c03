"""What found patterns ask of nodes and edges, held against trying everything."""

from dataclasses import replace
from itertools import permutations
from math import inf

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from protograph.graphs.conditions import Reading, equal_to
from protograph.graphs.encoding import EncodedGraphs
from protograph.graphs.subgraph import induced_subgraph
from protograph.graphs.variables import CONTINUOUS, DIRECTION, EDGE, ONE_HOT, WAYS, Variable
from protograph.page.conditions import pattern_of, relaxed
from protograph.patterns.subgraph_isomorphism import contained_in
from tests.page.naive_patterns import path_edges, undirected

KIND = Variable(name="kind", key="x", kind=ONE_HOT, places=(0, 1), values=(0.0, 1.0), labels=((0, "a"), (1, "b")))
COUNT = Variable(name="count", key="x", places=(2,), values=(0.0, 1.0, 2.0))
HEIGHT = Variable(name="height", key="x", kind=CONTINUOUS, places=(3,), cuts=(0.5, 1.5), values=(-inf, 0.5, 1.5))
BOND = Variable(name="bond", key="edge_attr", of=EDGE, places=(0,), values=(0.0, 1.0), labels=((0, "-"), (1, "=")))
WAY = Variable(name="direction", key="edge_index", of=EDGE, kind=DIRECTION, labels=WAYS)
ORDERED = {variable.name: np.array(variable.values) for variable in (COUNT, HEIGHT)}
NODES, EDGES = Reading(variables=(KIND, COUNT, HEIGHT)), Reading(variables=(BOND, WAY))


def random_graph(rng, size):
    """A connected graph that has all that is read; some edges go one way only."""
    pairs = {(int(rng.integers(node)), node) for node in range(1, size)}
    pairs |= {tuple(sorted(rng.choice(size, 2, replace=False).tolist())) for _ in range(rng.integers(3))}
    graph = undirected(size, sorted(pairs))
    rows = np.concatenate([np.eye(2)[rng.integers(2, size=size)], rng.integers(3, size=(size, 2))], axis=1)
    graph.x, bonds = torch.tensor(rows, dtype=torch.float), rng.integers(2, size=len(pairs))
    graph.edge_attr = torch.tensor(np.concatenate([bonds, bonds]))[:, None]
    stays = torch.tensor([True] * len(pairs) + (rng.random(len(pairs)) < 0.7).tolist())
    graph.edge_index, graph.edge_attr = graph.edge_index[:, stays], graph.edge_attr[stays]
    return graph


def naive_holds(pattern, graph):
    """Whether a graph has a pattern, by trying every way to place its nodes."""
    bonds = dict(zip(map(tuple, graph.edge_index.T.tolist()), graph.edge_attr.flatten().tolist(), strict=True))
    joined = set(bonds) | {(v, u) for u, v in bonds}
    inner, size = set(pattern.edges), pattern.num_nodes
    own = [sum(node in ends for ends in inner) for node in range(size)]
    nodes = [
        {"kind": float(row[1]), "count": row[2], "height": max([-inf, *(cut for cut in (0.5, 1.5) if row[3] >= cut)])}
        for row in graph.x.tolist()
    ]

    def of_edge(u, v):
        return {"bond": bonds.get((u, v), bonds.get((v, u))), "direction": ((u, v) in bonds) - ((v, u) in bonds)}

    def meets(conditions, codes):
        return all(one.low <= codes[one.variable] <= one.high for one in conditions)

    asked = dict(zip(pattern.edges, pattern.edge_conditions or ((),) * len(inner), strict=True))
    places = {
        frozenset(image)
        for image in permutations(range(graph.num_nodes), size)
        if all(meets(conditions, nodes[at]) for conditions, at in zip(pattern.of_nodes, image, strict=True))
        and all(
            (image[u], image[v]) in joined and meets(asked[u, v], of_edge(image[u], image[v]))
            if (u, v) in inner
            else not (pattern.is_induced and (image[u], image[v]) in joined)
            for v in range(size)
            for u in range(v)
        )
        and all(sum(ends[0] == image[node] for ends in joined) == own[node] for node in pattern.closed)
    }
    return len(places) >= pattern.at_least


def looser_ones(pattern):
    """The pattern with one condition less, but for what nodes are called by, or with one end of an interval open."""
    for field in ("node_conditions", "edge_conditions"):
        every = getattr(pattern, field)
        for place, own in enumerate(every):
            for at, one in enumerate(own):
                instead = [()] if one.variable != "kind" else []
                if (values := ORDERED.get(one.variable)) is not None:
                    ends = [replace(one, low=-inf), replace(one, high=inf)]
                    instead += [(end,) for end in ends if end.holds(values).sum() > one.holds(values).sum()]
                for new in instead:
                    changed = (*own[:at], *new, *own[at + 1 :])
                    yield replace(pattern, **{field: (*every[:place], changed, *every[place + 1 :])})


def found_pattern(rng, graphs):
    """A pattern that is cut from the first of the graphs, however it must lie."""
    whole = graphs[0]
    nodes = {int(rng.integers(whole.num_nodes))}
    for _ in range(rng.integers(1, 3)):
        around = {v for u, v in [*whole.edge_index.T.tolist(), *whole.edge_index.flip(0).T.tolist()] if u in nodes}
        nodes |= set(rng.choice(sorted(around), 1).tolist())
    encoded = EncodedGraphs(graphs, match_features=NODES, match_edges=EDGES)
    part = induced_subgraph(whole, sorted(nodes))
    lies = {
        "kind": str(rng.choice(["part", "induced"])),
        "closed": tuple(np.flatnonzero(rng.random(len(nodes)) < 0.2).tolist()),
        "at_least": int(rng.integers(1, 3)),
    }
    return pattern_of(part, encoded.encode(part), encoded, **lies), encoded


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_relaxed_patterns_hold_in_the_same_graphs_and_none_of_their_conditions_can_go(seed):
    rng = np.random.default_rng(seed)
    graphs = [random_graph(rng, int(rng.integers(3, 6))) for _ in range(5)]
    pattern, encoded = found_pattern(rng, graphs)
    expected = [naive_holds(pattern, graph) for graph in graphs]
    holds = contained_in(pattern.asked(encoded), encoded, **pattern.lies) > 0
    assert holds.tolist() == expected
    result = relaxed(pattern, encoded, holds, 10**6)
    assert [naive_holds(result, graph) for graph in graphs] == expected
    assert (result.lies, result.edges) == (pattern.lies, pattern.edges)
    assert all("kind" in [one.variable for one in own] for own in result.node_conditions)
    for looser in looser_ones(result):
        assert [naive_holds(looser, graph) for graph in graphs] != expected


def test_by_hand():
    """Paths of which one is alone with both a count of two at one end and a double bond to it."""

    def path(first, bond):
        graph = undirected(3, path_edges(0, 1, 2))
        graph.x = torch.tensor([[1.0, 0.0, first, 0.2], [0.0, 1.0, 1.0, 1.0], [1.0, 0.0, 0.0, 2.0]])
        graph.edge_attr = torch.tensor([bond, 0, bond, 0])[:, None]
        return graph

    graphs = [path(2.0, 1), path(2.0, 0), path(1.0, 1)]
    encoded = EncodedGraphs(graphs, match_features=NODES, match_edges=EDGES)
    pattern = pattern_of(graphs[0], encoded[0], encoded)
    codes = [(0.0, 2.0, -inf), (1.0, 1.0, 0.5), (0.0, 0.0, 1.5)]
    assert pattern.node_conditions == tuple(equal_to(own, NODES) for own in codes)
    assert pattern.edge_conditions == tuple(equal_to(own, EDGES) for own in [(1.0, 0.0), (0.0, 0.0)])
    assert relaxed(pattern, encoded, np.array([True, False, False]), 10**6).query == (
        '{"nodes": [{"kind": "a", "count": 2.0}, {"kind": "b"}, {"kind": "a"}], '
        '"edges": [[0, 1, {"bond": "="}], [1, 2, {}]]}'
    )
