import numpy as np
import pytest

from protograph.models import applying
from protograph.models.embedding import embed_all
from tests import zoo

MANY = zoo.random_graphs(50) * 120
FIRST = MANY[:4096]  # a shard


def done(folder):
    return sorted(path.name for path in folder.glob("done-*"))


@pytest.mark.parametrize("source", [list, iter])
def test_what_is_in_single_precision_is_made_again_where_the_run_is_in_double(tmp_path, source):
    kept = tmp_path / "kept"
    assert embed_all(zoo.make(), MANY, checkpoint=kept)[2].exact is not None
    (kept / "done-000001.tensors").unlink()
    wanted = embed_all(zoo.make(), FIRST)[2]
    with pytest.raises(ValueError, match=r"was made with other graphs: graphs 0 to 4095 are not those it knows"):
        embed_all(zoo.make(), source(MANY[1:4097]), checkpoint=kept)
    found = embed_all(zoo.make(), source(FIRST), checkpoint=kept)[2]
    assert found.exact is None
    np.testing.assert_allclose(found.graph_embeddings, wanted.graph_embeddings, rtol=1e-13)
    # By now the shard is of double precision, which a longer run takes over.
    _, running, longer = embed_all(zoo.make(), MANY, checkpoint=kept)
    assert longer.exact.num_exact == 4096
    assert running.usage.num_graphs < 3000


@pytest.mark.parametrize("sizes", [(1024, 2**15), (2**15, 1024)], ids=["CPU, then GPU", "GPU, then CPU"])
def test_shards_are_the_same_however_many_graphs_a_device_reads_at_a_time(tmp_path, monkeypatch, sizes):
    graphs = MANY[:4200]
    graphs[70] = graphs[70].clone()
    graphs[70].edge_index = graphs[70].edge_index[:, :-1]  # so that not all can be used as they are
    found = []
    for size in sizes:
        monkeypatch.setattr(applying, "_AT_ONCE", size)
        with pytest.warns(UserWarning, match=r"^graph 70 has directed edges"):
            found.append(embed_all(zoo.make(), graphs, checkpoint=tmp_path / "kept")[1:])
        assert done(tmp_path / "kept") == ["done-000000.tensors", "done-000001.tensors"]
    (first, made), (second, again) = found
    assert np.array_equal(made.graph_embeddings, again.graph_embeddings)
    assert first.usage.num_graphs - second.usage.num_graphs == len(graphs) - 16  # by which the model is told
