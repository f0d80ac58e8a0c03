import pytest
import torch
from torch import nn
from torch_geometric.nn import global_add_pool, global_mean_pool

from protograph.models import embedding
from protograph.models.embedding import embed_all
from tests import zoo

GRAPHS = zoo.random_graphs(60)
REFUSED = (
    r"^checkpoint .*kept was made with another model: that gave other numbers for graphs 0 to 15; pass another folder, "
    r"or remove it$"
)


class Net(nn.Module):
    """Pools as a plain attribute says, which neither its weights nor its text show."""

    def __init__(self, pool="add", factor=1.0, noise=0.0):
        super().__init__()
        self.pool, self.factor, self.noise = pool, factor, noise
        with torch.random.fork_rng():
            torch.manual_seed(0)
            self.head = nn.Linear(3, 2)

    def forward(self, x, edge_index, batch):
        x = x + self.noise * torch.rand_like(x)
        pooled = (global_add_pool if self.pool == "add" else global_mean_pool)(x, batch)
        return self.factor * self.head(pooled)


@pytest.fixture(params=[5_000, 0], ids=["double precision", "single precision"])
def kept(request, tmp_path, monkeypatch):
    monkeypatch.setattr(embedding, "GRAPHS_IN_DOUBLE", request.param)
    embed_all(Net(), GRAPHS, checkpoint=tmp_path / "kept")
    return tmp_path / "kept"


@pytest.mark.parametrize("other", [{"pool": "mean"}, {"factor": 1.001}], ids=["embeddings", "outputs"])
def test_a_model_that_gives_other_numbers_is_refused(kept, other):
    with pytest.raises(ValueError, match=REFUSED):
        embed_all(Net(**other), GRAPHS, checkpoint=kept)


def test_the_same_model_goes_on(kept):
    usage = embed_all(Net(), GRAPHS)[1].usage
    again = embed_all(Net(factor=1 + 1e-7), GRAPHS, checkpoint=kept)[1].usage
    assert usage.num_graphs - again.num_graphs == len(GRAPHS) - 16


def test_a_shard_of_double_precision_is_told_in_it(tmp_path, monkeypatch):
    embed_all(Net(), GRAPHS, checkpoint=tmp_path / "kept")
    monkeypatch.setattr(embedding, "GRAPHS_IN_DOUBLE", 0)
    assert embed_all(Net(), GRAPHS, checkpoint=tmp_path / "kept")[2].exact.num_exact == len(GRAPHS)
    with pytest.raises(ValueError, match=REFUSED):
        embed_all(Net(factor=1.0001), GRAPHS, checkpoint=tmp_path / "kept")


@pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")
def test_a_random_model_is_told_by_its_weights_alone(tmp_path):
    first = embed_all(Net(noise=0.1), GRAPHS, checkpoint=tmp_path / "kept")[2]
    again = embed_all(Net(noise=0.1), GRAPHS, checkpoint=tmp_path / "kept")[2]
    assert again.scores.tolist() == first.scores.tolist()
