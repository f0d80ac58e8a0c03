import numpy as np
import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.nn import global_add_pool

from protograph.models import predictions
from protograph.models.predictions import embed_all
from tests import zoo

GRAPHS = zoo.random_graphs(30)


@pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")
@pytest.mark.parametrize("rows", [1, 60, 10**6])
def test_how_many_rows_go_through_the_model_at_a_time_changes_nothing(monkeypatch, rows):
    model = zoo.make(seed=1)
    wanted = embed_all(model, GRAPHS)[2]
    monkeypatch.setattr(predictions, "_ROWS_AT_ONCE", rows)
    found = embed_all(model, iter(GRAPHS))[2]
    np.testing.assert_allclose(found.graph_embeddings, wanted.graph_embeddings, rtol=1e-12, atol=1e-12)
    assert found.predictions.tolist() == wanted.predictions.tolist()
    assert found.labels.tolist() == wanted.labels.tolist()


class Writing(torch.nn.Module):
    """Writes into the features that it is given."""

    def __init__(self):
        super().__init__()
        self.head = torch.nn.Linear(3, 2)

    def forward(self, x, edge_index, batch):
        x.mul_(2.0)
        return self.head(global_add_pool(x, batch))


def test_a_model_that_writes_into_its_features_gives_the_same_from_wherever_graphs_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(predictions, "_READ_AT_ONCE", 16)
    rng = np.random.default_rng(0)
    edges = torch.tensor([[0, 1], [1, 0]])
    graphs = [Data(x=torch.from_numpy(rng.integers(0, 9, (2, 3))).float(), edge_index=edges) for _ in range(40)]
    before, model = torch.cat([graph.x for graph in graphs]), Writing()
    torch.save(graphs, tmp_path / "graphs.pt")
    sums = before.reshape(-1, 2, 3).sum(dim=1)
    for source in (graphs, tmp_path, iter(graphs)):
        store, _, embedded = embed_all(model, source)
        np.testing.assert_allclose(embedded.graph_embeddings, 2 * sums, rtol=1e-6)
        assert torch.equal(torch.cat([graph.x for graph in store]), before)
