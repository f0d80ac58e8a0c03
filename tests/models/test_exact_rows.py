import numpy as np
import pytest

from protograph.models import embedding, exact_rows
from protograph.models.embedding import embed_all
from protograph.models.running import RunningClassifier
from tests import zoo

GRAPHS = zoo.random_graphs(40)


@pytest.fixture
def parts(monkeypatch):
    """How many graphs go through the model together, call by call, of a pass in single precision."""
    monkeypatch.setattr(embedding, "GRAPHS_IN_DOUBLE", 0)
    sizes, graph_rows = [], RunningClassifier.graph_rows

    def counted(self, *given):
        sizes.append([len(part) for part in given])
        return graph_rows(self, *given)

    monkeypatch.setattr(RunningClassifier, "graph_rows", counted)
    return sizes


def test_graphs_go_through_the_model_in_parts_that_fit_its_cache(parts, monkeypatch):
    wanted = embed_all(zoo.make(seed=1).double(), GRAPHS)[2].graph_embeddings
    exact = embed_all(zoo.make(seed=1), GRAPHS)[2].exact
    chosen = np.arange(30)
    rows = sum(graph.num_nodes + graph.num_edges for graph in GRAPHS[:30])
    monkeypatch.setattr(exact_rows, "ROWS_ON_CPU", rows // 4 + 1)
    parts.clear()
    np.testing.assert_allclose(exact.rows(chosen), wanted[:30], rtol=1e-12)
    (sizes,) = parts
    assert len(sizes) == 3  # as a third more than wanted is no reason for a fourth
    assert sum(sizes) == 30
