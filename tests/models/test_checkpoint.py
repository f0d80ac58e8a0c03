import os
import signal
import subprocess
import sys
from pathlib import Path
from types import FunctionType

import pytest
import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import Sequential, global_add_pool

import protograph as pg
from protograph.graphs.joining import GraphChunk, joined
from protograph.models import resuming
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
    monkeypatch.setattr(resuming, "GRAPHS_A_SHARD", 8)
    SHOWN.clear()


def fitted(graphs, folder, model=None, **options):
    return pg.baselines.RandomSubgraph().fit(model or Sum(), graphs, checkpoint=folder, batch_size=4, **options)


def killed_at(number):
    """The graphs, of which one kills the process that asks for it."""
    for place, graph in enumerate(GRAPHS):
        if place == number:
            os.kill(os.getpid(), signal.SIGKILL)
        yield graph


def run_and_be_killed(folder):
    """In a process of its own."""
    resuming.GRAPHS_A_SHARD = 8
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
    whole = pg.baselines.RandomSubgraph().fit(Sum(), GRAPHS, batch_size=4)
    in_all = sum(SHOWN)
    SHOWN.clear()
    resumed = fitted(iter(GRAPHS), folder)
    # What three shards of eight had been shown before, but for the first, by which the model is told.
    assert in_all - sum(SHOWN) == 24 - 8
    assert resumed.embeddings_.tolist() == whole.embeddings_.tolist()
    assert resumed.embedded_.labels.tolist() == whole.embedded_.labels.tolist()
    SHOWN.clear()
    fitted(GRAPHS, folder)
    assert in_all - sum(SHOWN) == 50 - 8  # and now all of them are known


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
        pg.baselines.RandomSubgraph().fit(Sum(), GRAPHS, checkpoint=tmp_path / "kept", batch_size=5)
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


class Typed(Sum):
    """Adds what the types of edges count to."""

    def forward(self, x, edge_index, edge_type, batch):
        counts = torch.zeros(len(x), 1, dtype=x.dtype).index_add(0, edge_index[0], edge_type.to(x.dtype).unsqueeze(1))
        return self.head(global_add_pool(x + counts, batch))


def with_types(number):
    own = [graph.clone() for graph in GRAPHS]
    for graph in own:
        graph.edge_type = torch.full((graph.num_edges,), number)
    return own


@pytest.mark.parametrize("source", [list, iter])
def test_other_values_of_any_attribute_that_the_model_reads_are_refused(tmp_path, source):
    fitted(source(with_types(0)), tmp_path / "kept", Typed())
    fitted(source(with_types(0)), tmp_path / "kept", Typed())
    with pytest.raises(ValueError, match=r"was made with other graphs: graphs 0 to 7 are not those it knows"):
        fitted(source(with_types(1)), tmp_path / "kept", Typed())


USUAL, ALL = frozenset({"x", "edge_index", "batch"}), None


def digest_of(graphs, attributes=USUAL, at_once=None):
    made, size = GraphDigest(attributes), at_once or len(graphs)
    for first in range(0, len(graphs), size):
        part = graphs[first : first + size]
        made.add(part, GivenLabels.of([None] * len(part)))
    return made.text()


def pair(**changes):
    values = {"x": torch.ones(2, 1), "edge_index": torch.tensor([[0, 1], [1, 0]]), "edge_type": torch.zeros(2)}
    return Data(**values | changes)


def as_list(graphs):
    return graphs


def as_chunk(graphs):
    return GraphChunk(graphs, joined(graphs))


@pytest.mark.parametrize("kind", [as_list, as_chunk])
@pytest.mark.parametrize("attributes", [USUAL, USUAL | {"edge_type"}, ALL], ids=["usual", "more", "all"])
def test_the_digest_of_graphs_is_of_all_that_a_model_reads(kind, attributes):
    def digest(**changes):
        return digest_of(kind([pair(), pair(**changes)]), attributes)

    same = digest()
    assert digest(x=torch.ones(2, 1)) == same
    assert digest(x=torch.tensor([[1.0], [2.0]])) != same
    assert digest(edge_index=torch.tensor([[1, 0], [0, 1]])) != same
    assert (digest(edge_type=torch.ones(2)) != same) == (attributes != USUAL)
    assert (digest(scale=2.0) != digest(scale=3.0)) == (attributes != USUAL)


@pytest.mark.parametrize("attributes", [USUAL, ALL])
def test_the_digest_tells_no_zeros_apart(attributes):
    plus, minus = ([pair(x=torch.tensor([[zero], [1.0]]))] for zero in (0.0, -0.0))
    assert digest_of(plus, attributes) == digest_of(minus, attributes)
    assert digest_of(as_chunk(plus), attributes) == digest_of(as_chunk(minus), attributes)


@pytest.mark.parametrize("attributes", [USUAL, ALL])
def test_the_digest_is_the_same_whatever_graphs_came_in_and_how_many_at_a_time(attributes):
    graphs = GRAPHS * 60
    wanted = digest_of(graphs, attributes)
    assert digest_of(as_chunk(graphs), attributes) == wanted
    assert digest_of(graphs, attributes, at_once=1024) == wanted
    assert digest_of(as_chunk(graphs), attributes, at_once=2048) == wanted
    assert digest_of(graphs[::-1], attributes) != wanted


def test_a_model_is_told_by_its_weights():
    assert model_fingerprint(Sum()) == model_fingerprint(Sum())
    assert model_fingerprint(Sum()) != model_fingerprint(Sum(seed=1))


def test_a_model_is_the_same_wherever_its_functions_are_in_memory():
    def pooled(function):
        return Sequential("x, edge_index, batch", [(function, "x, batch -> x")])

    def one(x, batch):
        return x

    here = model_fingerprint(pooled(one))
    assert repr(pooled(one)) != repr(pooled(lambda x, batch: x))
    first, second = (FunctionType(one.__code__, {}) for _ in range(2))
    assert repr(pooled(first)) != repr(pooled(second))
    assert model_fingerprint(pooled(first)) == model_fingerprint(pooled(second)) == here
    assert model_fingerprint(pooled(global_add_pool)) != here
