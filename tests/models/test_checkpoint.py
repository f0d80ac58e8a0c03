import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import global_add_pool

import protograph as pg
from protograph.models import embedding
from protograph.models.checkpoint import GraphDigest, model_fingerprint
from protograph.models.labels import GivenLabels
from tests import zoo

GRAPHS = zoo.random_graphs(50)
ROOT = Path(__file__).parent.parent.parent


class Sum(nn.Module):
    """Classes by a map of summed features; counts the graphs that it is shown."""

    def __init__(self, seed=0):
        super().__init__()
        self.shown = 0
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.head = nn.Linear(3, 2)

    def forward(self, x, edge_index, batch):
        pooled = global_add_pool(x, batch)
        SHOWN.append(len(pooled))
        return self.head(pooled)


SHOWN = []


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    monkeypatch.setattr(embedding, "GRAPHS_A_SHARD", 8)
    SHOWN.clear()


def fitted(graphs, folder, model=None, **options):
    return pg.RandomSubgraph().fit(model or Sum(), graphs, checkpoint=folder, batch_size=4, **options)


def killed_at(number):
    """The graphs, of which one kills the process that asks for it."""
    for place, graph in enumerate(GRAPHS):
        if place == number:
            os.kill(os.getpid(), signal.SIGKILL)
        yield graph


def run_and_be_killed(folder):
    """In a process of its own."""
    embedding.GRAPHS_A_SHARD = 8
    from protograph.graphs import spool

    spool.SHARD_GRAPHS = 4
    fitted(killed_at(30), folder)


@pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no kill -9 here")
def test_after_kill_9_the_same_call_goes_on_after_the_last_finished_shard(tmp_path):
    code = "import sys; from tests.models.test_checkpoint import run_and_be_killed; run_and_be_killed(sys.argv[1])"
    folder = tmp_path / "kept"
    done = subprocess.run([sys.executable, "-c", code, str(folder)], cwd=ROOT, check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL
    assert sorted(path.name for path in folder.glob("done-*")) == [f"done-00000{n}.tensors" for n in range(3)]
    whole = pg.RandomSubgraph().fit(Sum(), GRAPHS, batch_size=4)
    in_all = sum(SHOWN)
    SHOWN.clear()
    resumed = fitted(iter(GRAPHS), folder)
    assert in_all - sum(SHOWN) == 24  # what three shards of eight had been shown before
    assert resumed.embeddings_.tolist() == whole.embeddings_.tolist()
    assert resumed.embedded_.labels.tolist() == whole.embedded_.labels.tolist()
    SHOWN.clear()
    fitted(GRAPHS, folder)
    assert in_all - sum(SHOWN) == 50  # and now all of them are known


@pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")
def test_another_model_other_graphs_and_other_options_are_refused(tmp_path):
    fitted(GRAPHS, tmp_path / "kept")

    def refused(*args, **options):
        with pytest.raises(ValueError, match="checkpoint") as raised:
            fitted(*args, **options)
        return str(raised.value).removeprefix(f"checkpoint {tmp_path / 'kept'} ")

    ending = "; pass another folder, or remove it"
    assert refused(GRAPHS, tmp_path / "kept", Sum(seed=1)) == f"was made with another model{ending}"
    with pytest.raises(ValueError, match=r"another batch_size \(4, now 5\); pass another folder"):
        pg.RandomSubgraph().fit(Sum(), GRAPHS, checkpoint=tmp_path / "kept", batch_size=5)
    changed = [graph.clone() for graph in GRAPHS]
    changed[13].x[0] += 1
    others = "was made with other graphs: graphs {} to {} are not those it knows" + ending
    assert refused(changed, tmp_path / "kept") == others.format(8, 15)
    assert refused(GRAPHS[:20], tmp_path / "kept") == others.format(16, 23)


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(ValueError, match=r"^checkpoint must be a new or empty folder, or one that a fit wrote, got "):
        fitted(GRAPHS, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")
def test_a_damaged_shard_names_itself(tmp_path):
    fitted(GRAPHS, tmp_path / "kept")
    bad = tmp_path / "kept" / "done-000002.tensors"
    bad.write_bytes(bad.read_bytes()[:-2])
    with pytest.raises(ValueError, match=r"done-000002\.tensors is damaged or no file of tensors"):
        fitted(GRAPHS, tmp_path / "kept")


def test_the_digest_of_graphs_is_of_all_that_they_hold():
    def digest(graph):
        made = GraphDigest()
        made.add([graph], GivenLabels.of([None]))
        return made.text()

    one = Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0, 1], [1, 0]]))
    other = Data(x=torch.ones(2, 1), edge_index=torch.tensor([[1, 0], [0, 1]]))
    assert digest(one) == digest(one.clone())
    assert digest(one) != digest(other)


def test_a_model_is_told_by_its_weights():
    assert model_fingerprint(Sum()) == model_fingerprint(Sum())
    assert model_fingerprint(Sum()) != model_fingerprint(Sum(seed=1))
