import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from protograph.page.options import WalkOptions
from protograph.page.walk.ascent import MatchingLines, raw_lines
from protograph.page.walk.beam import BeamStarts, narrowed
from protograph.page.walk.matching import Matching
from protograph.page.walk.scoring import Scorer
from protograph.patterns.joint import JointGraphs
from tests.strategies import matching_problems


@settings(max_examples=60, deadline=None)
@given(matching_problems(min_graphs=2), st.data())
def test_no_exchange_of_one_node_improves_a_start(problem, data):
    graphs, embeddings = problem
    matching = Matching(Scorer(embeddings), JointGraphs(graphs, True))
    whole, rows = matching.whole(), matching.scorer.everything
    barred = {tuple(data.draw(st.integers(0, size - 1)) for size in matching.sizes)}
    start = BeamStarts(matching, WalkOptions()).best(rows, barred)
    if start is None:
        assert all(whole[nodes] == -np.inf or nodes in barred for nodes in np.ndindex(*matching.sizes))
        return
    assert whole[start] > -np.inf
    assert start not in barred
    for axis in range(1, len(graphs)):
        for node in range(matching.sizes[axis]):
            other = (*start[:axis], node, *start[axis + 1 :])
            assert other in barred or whole[other] <= whole[start] + 2 * matching.tolerance


def test_a_barred_start_gives_way_where_only_a_later_graph_has_another_node():
    kinds = [[0, 1], [1, 0, 0], [0, 1], [1, 1, 1]]
    values = [[1.0, 2.0], [2.0, -1.0, 1.0], [1.0, 1.0], [1.0, 0.0, 0.0]]
    edge = torch.tensor([[0, 1], [1, 0]])
    graphs = [Data(x=torch.eye(2)[torch.tensor(row)], edge_index=edge) for row in kinds]
    matching = Matching(Scorer([np.array(row)[:, None] for row in values]), JointGraphs(graphs, True))
    # The nodes of the second kind agree: (1, 0, 1) of the first three graphs, and any of the fourth.
    start = BeamStarts(matching, WalkOptions()).best(matching.scorer.everything, {(1, 0, 1, 0)})
    assert start == (1, 0, 1, 1)


def test_nodes_are_tried_by_their_raw_scores():
    scorer = Scorer([np.array([[1.0]]), np.array([[3.0], [2.0], [1.0], [0.5]])])
    graphs = [Data(num_nodes=size, edge_index=torch.empty(2, 0, dtype=torch.long)) for size in (1, 4)]
    matching = Matching(scorer, JointGraphs(graphs, False))
    raw, exact = raw_lines(matching), MatchingLines(matching, 2**22)
    nodes = np.arange(4)
    scores = narrowed(raw, exact, np.array([[0, 2]]), 1, nodes, breadth=1)
    # The best by its raw score, and the tuple's own node.
    assert np.isfinite(scores[0]).tolist() == [True, False, True, False]
    np.testing.assert_allclose(scores[0, [0, 2]], matching.whole()[0, [0, 2]], rtol=1e-12)


def test_many_large_graphs_have_a_start():
    """Twelve graphs of sixty nodes: more tuples than could be gone through, and one node of each is like no other."""
    rng = np.random.default_rng(0)
    embeddings = [rng.random((60, 8)) * 0.5 for _ in range(12)]
    marked = [int(rng.integers(60)) for _ in range(12)]
    for embedding, node in zip(embeddings, marked, strict=True):
        embedding[node] += 2
    graphs = [Data(num_nodes=60, edge_index=torch.empty(2, 0, dtype=torch.long)) for _ in range(12)]
    matching = Matching(Scorer(embeddings), JointGraphs(graphs, False))
    assert BeamStarts(matching, WalkOptions()).best(matching.scorer.everything) == tuple(marked)
