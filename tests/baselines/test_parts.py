import networkx as nx
import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from protograph.baselines.generation import learn
from protograph.baselines.gnninterpreter import largest_parts, relaxed_graphs
from tests import zoo


def vocabulary_of(*graphs):
    return learn([Data(x=torch.eye(3)[list(kinds)], edge_index=_both(edges)) for kinds, edges in graphs])


def _both(edges):
    ends = torch.tensor(edges).t()
    return torch.cat([ends, ends.flip(0)], dim=1)


def naive(weights, kinds, vocabulary, max_edges, negligible):
    """The same by a graph that grows edge by edge."""
    pairs = list(zip(*map(np.ndarray.tolist, np.triu_indices(len(kinds), 1)), strict=True))
    grown, refused = nx.empty_graph(len(kinds)), set()
    may_join = [vocabulary.joined[kinds[u], kinds[v]] > 0 for u, v in pairs]
    for number in sorted(range(len(pairs)), key=lambda number: (-weights[number], number)):
        if weights[number] <= 0.5 or not may_join[number]:
            continue
        has_room = all(grown.degree[node] < vocabulary.max_degree[kinds[node]] for node in pairs[number])
        if has_room and grown.number_of_edges() < max_edges:
            grown.add_edge(*pairs[number])
        else:
            refused.add(number)
    nodes = sorted(max(sorted(map(sorted, nx.connected_components(grown))), key=len))
    place = {node: number for number, node in enumerate(nodes)}
    inside = [number for number, pair in enumerate(pairs) if set(pair) <= set(nodes)]
    return (
        nodes,
        tuple(kinds[nodes].tolist()),
        tuple(sorted((place[min(e)], place[max(e)]) for e in grown.subgraph(nodes).edges)),
        [n for n in inside if may_join[n] and n not in refused and weights[n] > negligible],
    )


@settings(deadline=None)
@given(st.integers(1, 8), st.integers(0, 9), st.booleans(), st.integers(0, 2**32 - 1))
def test_the_largest_part_is_that_of_a_graph_grown_edge_by_edge(size, max_edges, is_tied, seed):
    rng = np.random.default_rng(seed)
    vocabulary = learn([zoo.random_graph(number, num_nodes=5, density=0.1) for number in range(6)])
    kinds = rng.integers(len(vocabulary.counts), size=(3, size))
    weights = rng.random((3, size * (size - 1) // 2))
    weights = weights.round(1) if is_tied else weights
    parts = largest_parts(weights, kinds, vocabulary, max_edges, negligible=0.2)
    for number in range(3):
        types, edges = parts.graph(number)
        kept = np.flatnonzero(parts.is_kept[number]).tolist()
        found = np.flatnonzero(parts.is_node[number]).tolist(), types, edges, kept
        assert found == naive(weights[number], kinds[number], vocabulary, max_edges, 0.2)


def test_samples_are_laid_out_as_soft_graphs():
    path = vocabulary_of(((0, 1, 1), [(0, 1), (1, 2)]))
    table = torch.arange(4.0).reshape(2, 2, 1)
    path = type(path)(**{**vars(path), "edge_attr": table})
    # Pairs 01 02 12 of three candidates; nothing of the second sample is likely.
    weights = torch.tensor([[0.9, 0.2, 0.8], [0.1, 0.1, 0.1]], requires_grad=True)
    types = torch.tensor([[[0.0, 1.0], [1.0, 0.0], [0.25, 0.75]], [[1.0, 0.0]] * 3])
    parts = largest_parts(weights.detach().double().numpy(), types.argmax(dim=2).numpy(), path, 9, 0.01)
    chunk, strengths = relaxed_graphs(weights, types, parts, path)
    first, second = chunk
    assert first.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    torch.testing.assert_close(strengths, weights[0, [0, 0, 2, 2]])
    torch.testing.assert_close(first.x, types[0] @ path.x)
    # Attributes are mixed by the shares of both ends: 1 0 is the third of the table, 0 1 the second.
    wanted = [[2.0], [1.0], [0.25 * 0 + 0.75 * 1], [0.25 * 0 + 0.75 * 2]]
    torch.testing.assert_close(first.edge_attr, torch.tensor(wanted))
    assert (second.num_nodes, second.num_edges) == (1, 0)
    (gradient,) = torch.autograd.grad(strengths.sum(), weights)
    assert gradient.tolist() == [[2, 0, 2], [0, 0, 0]]
