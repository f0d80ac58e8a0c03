"""Hypothesis strategies for small graphs, with ties and degenerate cases on purpose."""

import numpy as np
import torch
from hypothesis import strategies as st
from torch_geometric.data import Data


@st.composite
def matching_problems(draw, min_graphs=1, max_graphs=4):
    """k small graphs with features and node embeddings; embeddings of few values, so that ties occur."""
    k = draw(st.integers(min_graphs, max_graphs))
    largest = {1: 7, 2: 6, 3: 5, 4: 4}[k]
    dim = draw(st.integers(1, 3))
    num_kinds = draw(st.integers(1, 2))
    is_tied = draw(st.booleans())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    graphs, embeddings = [], []
    for _ in range(k):
        size = draw(st.integers(1, largest))
        upper = np.triu(rng.random((size, size)) < draw(st.sampled_from([0.2, 0.5, 0.9])), k=draw(st.integers(0, 1)))
        edge_index = torch.tensor(np.argwhere(upper | upper.T).T.copy()).reshape(2, -1)
        x = torch.eye(num_kinds)[torch.tensor(rng.integers(0, num_kinds, size))]
        graphs.append(Data(x=x, edge_index=edge_index))
        values = rng.integers(-1, 3, (size, dim)).astype(float) if is_tied else rng.normal(size=(size, dim))
        embeddings.append(values)
    return graphs, embeddings


def neighbour_lists(graph):
    """Ascending neighbours of each node, without the node itself."""
    lists = [set() for _ in range(graph.num_nodes)]
    for source, target in graph.edge_index.t().tolist():
        if source != target:
            lists[source].add(target)
    return [sorted(found) for found in lists]
