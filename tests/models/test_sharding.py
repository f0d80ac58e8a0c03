import numpy as np
import pytest
import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import global_add_pool

import protograph as pg
from protograph.engines.engine import LocalEngine
from protograph.models import applying, embedding, resuming, sharding
from protograph.models.classifier import GraphClassifier
from protograph.models.embedding import embed_all
from protograph.models.sharding import ShardedPass, elsewhere
from tests import zoo

GRAPHS = zoo.random_graphs(50)


class Workers(LocalEngine):
    """An engine whose workers are this process; one that fails leaves the rest to it."""

    is_local = False

    def over_shards(self, work, shards, *, name_of, here, num_shards, on_gpu):
        self.on_gpu = on_gpu
        for shard in shards:
            try:
                yield work.get()(shard)
            except Exception:
                here(shard)
                raise


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    for module in (resuming, sharding):
        monkeypatch.setattr(module, "GRAPHS_A_SHARD", 12)
    monkeypatch.setattr(sharding, "SHARD_GRAPHS", 12)


def sharded(graphs, progress=None, model=None, **options):
    work = ShardedPass(Workers(), None, progress)
    return embed_all(model or zoo.make(), graphs, batch_size=4, batches_by=work, **options)


def shards(folder):
    pg.write_shards(GRAPHS, folder, size=10)
    return folder


SOURCES = {"list": lambda folder: GRAPHS, "generator": lambda folder: iter(GRAPHS), "shards": shards}


@pytest.mark.parametrize("source", SOURCES)
def test_numbers_are_those_of_one_process_to_the_last_bit(source, tmp_path):
    graphs = SOURCES[source](tmp_path / "shards")
    _, running, expected = embed_all(zoo.make(), GRAPHS, batch_size=4)
    _, other, found = sharded(graphs)
    assert np.array_equal(found.graph_embeddings, expected.graph_embeddings)
    assert np.array_equal(found.scores, expected.scores)
    assert np.array_equal(found.labels, expected.labels)
    assert other.usage.num_graphs == running.usage.num_graphs


def test_progress_tells_shards_and_graphs():
    told = []
    sharded(GRAPHS, progress=lambda *report: told.append(report))
    assert told[:2] == [("starting workers", 0, None), ("embedding (1 of 5 shards)", 12, 50)]
    assert told[-1] == ("embedding (5 of 5 shards)", 50, 50)


def test_what_was_changed_in_graphs_is_told(tmp_path):
    one_way = Data(x=GRAPHS[0].x[:2], edge_index=torch.tensor([[0], [1]]), y=torch.tensor([0]))
    graphs = [*GRAPHS[:20], one_way, *GRAPHS[21:]]
    with pytest.warns(pg.ProtographWarning, match=r"^graph 20 has directed edges"):
        store, _, found = sharded(graphs)
    assert store.findings.directed == [20]
    assert found.warnings[0].startswith("graph 20 has directed edges")


@pytest.mark.parametrize("is_first_sharded", [False, True])
def test_a_checkpoint_is_the_same_with_workers_and_without(tmp_path, is_first_sharded):
    plain = {"batch_size": 4, "checkpoint": tmp_path / "kept"}

    def by_one(model, graphs):
        return embed_all(model, graphs, **plain)[1:]

    def by_workers(model, graphs):
        return sharded(graphs, model=model, checkpoint=tmp_path / "kept")[1:]

    ways = [by_workers, by_one] if is_first_sharded else [by_one, by_workers]
    (first, made), (second, again) = (way(zoo.make(), GRAPHS) for way in ways)
    assert np.array_equal(made.graph_embeddings, again.graph_embeddings)
    assert first.usage.num_graphs - second.usage.num_graphs == len(GRAPHS) - 12  # by which the model is told
    other = [*GRAPHS[:30], *GRAPHS[31:], GRAPHS[30]]
    with pytest.raises(ValueError, match=r"was made with other graphs: graphs 24 to 35 are not those it knows"):
        ways[1](zoo.make(), other)


def test_workers_make_again_what_one_process_has_made_in_single_precision(tmp_path, monkeypatch):
    kept = tmp_path / "kept"
    wanted = embed_all(zoo.make(), GRAPHS)[2]
    monkeypatch.setattr(embedding, "GRAPHS_IN_DOUBLE", 0)
    made = embed_all(zoo.make(), GRAPHS, batch_size=4, checkpoint=kept)[2]
    assert made.exact is not None
    other = [*GRAPHS[:30], *GRAPHS[31:], GRAPHS[30]]
    with pytest.raises(ValueError, match=r"graphs 24 to 35 are not those it knows"):
        sharded(other, checkpoint=kept)
    again = sharded(GRAPHS, checkpoint=kept)[2]
    np.testing.assert_allclose(again.graph_embeddings, wanted.graph_embeddings, rtol=1e-13)
    # By now all of it is of double precision, which one process takes over.
    assert embed_all(zoo.make(), GRAPHS, batch_size=4, checkpoint=kept)[2].exact.num_exact == len(GRAPHS)


class Scaled(nn.Module):
    """Sums of features, times a plain attribute."""

    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, x, edge_index, batch):
        return self.factor * global_add_pool(x, batch)


def test_workers_refuse_a_checkpoint_of_a_model_that_gave_other_numbers(tmp_path):
    sharded(GRAPHS, model=Scaled(1.0), checkpoint=tmp_path / "kept")
    sharded(GRAPHS, model=Scaled(1.0), checkpoint=tmp_path / "kept")
    with pytest.raises(ValueError, match=r"another model: that gave other numbers for graphs 0 to 11; pass another"):
        sharded(GRAPHS, model=Scaled(2.0), checkpoint=tmp_path / "kept")


def test_workers_that_read_many_graphs_at_a_time_make_the_same_shards(tmp_path, monkeypatch):
    monkeypatch.setattr(applying, "GRAPHS_A_SHARD", 12)
    monkeypatch.setattr(applying, "_AT_ONCE", 64)
    work, kept = ShardedPass(Workers(), None, None), tmp_path / "kept"
    embed_all(zoo.make(), GRAPHS, batches_by=work, checkpoint=kept)
    assert len(list(kept.glob("done-*"))) == 5
    assert embed_all(zoo.make(), GRAPHS, checkpoint=kept)[2].predictions.shape == (50,)


def test_an_error_is_that_of_one_process(tmp_path):
    folder = shards(tmp_path / "shards")
    (folder / "shard-000003.graphs").write_bytes((folder / "shard-000003.graphs").read_bytes()[:-8])
    with pytest.raises(ValueError, match=r"shard-000003\.graphs is damaged or no file of tensors: "):
        sharded(folder)


def test_where_the_model_runs(monkeypatch):
    engine = Workers()
    assert ShardedPass(engine, None, None).device_here is None
    assert ShardedPass(engine, "cpu", None).device_here == torch.device("cpu")
    with pytest.raises(ValueError, match=r"^device must be one that PyTorch can use here, got 'warp'"):
        ShardedPass(engine, "warp", None)
    # A machine without a GPU may be in a cluster that has some.
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    work = ShardedPass(engine, "cuda:1", None)
    assert work.device_here == torch.device("cpu")
    running = GraphClassifier(zoo.make()).start(GRAPHS[:3])
    store = sharding.GraphStore(GRAPHS)
    with pytest.raises((RuntimeError, AssertionError), match=r"(?i)cuda|nvidia"):
        list(work(running, store, 4, None))
    assert engine.on_gpu


def test_what_is_sent_has_not_been_used():
    running = GraphClassifier(zoo.make()).start(GRAPHS[:3])
    sent = elsewhere(running)
    assert running.usage.num_graphs > 0
    assert sent.usage.num_graphs == 0
    assert torch.equal(sent.classify(GRAPHS[:5]), running.classify(GRAPHS[:5]))
