import numpy as np
import pytest
import torch

from protograph.graphs.store import GraphStore
from protograph.models import applying
from protograph.models.classifier import GraphClassifier
from protograph.models.embedding import embed, embed_all
from tests import zoo

GRAPHS = zoo.random_graphs(30)


@pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")
@pytest.mark.parametrize("rows", [1, 60, 10**6])
def test_how_many_rows_go_through_the_model_at_a_time_changes_nothing(monkeypatch, rows):
    model = zoo.make(seed=1)
    wanted = embed_all(model, GRAPHS)[2]
    monkeypatch.setattr(applying, "ROWS_IN_DOUBLE", rows)
    found = embed_all(model, iter(GRAPHS))[2]
    np.testing.assert_allclose(found.graph_embeddings, wanted.graph_embeddings, rtol=1e-12, atol=1e-12)
    assert found.predictions.tolist() == wanted.predictions.tolist()
    assert found.labels.tolist() == wanted.labels.tolist()


def test_progress_tells_of_all_graphs_where_their_number_is_known(monkeypatch):
    monkeypatch.setattr("protograph.graphs.spool.SHARD_GRAPHS", 8)
    reports = []
    for graphs in (GRAPHS, iter(GRAPHS)):
        store = GraphStore(graphs)
        running = GraphClassifier(zoo.make(seed=1)).start(GRAPHS)
        embed(running, store, 20, progress=lambda *report: reports.append(report))
    assert reports == [("embedding", 20, 30), ("embedding", 30, 30), ("embedding", 20, None), ("embedding", 30, 30)]


def test_graphs_without_labels_have_none():
    bare = [graph.clone() for graph in GRAPHS[:9]]
    for graph in bare:
        del graph.y
    embedded = embed_all(zoo.make(seed=1), bare)[2]
    assert (embedded.labels, embedded.labels_of_some) == (None, None)


def test_a_model_that_fails_says_for_which_graphs():
    model = zoo.make(seed=1)
    odd = [graph.clone() for graph in GRAPHS]
    store = GraphStore(odd)
    running = GraphClassifier(model).start(GRAPHS)
    running.model.register_forward_pre_hook(_refuse_large, with_kwargs=True)
    with pytest.raises(RuntimeError, match=r"^too many nodes\n") as raised:
        embed(running, store, 10)
    assert raised.value.__notes__ == [
        "the model was applied to 10 graphs of 4 to 9 nodes",
        "this happened while the model was applied to 10 graphs, graph 0 to graph 9",
    ]


def _refuse_large(module, args, kwargs):
    if any(isinstance(one, torch.Tensor) and len(one) > 20 for one in (*args, *kwargs.values())):
        raise RuntimeError("too many nodes")
