import pytest
import torch

import protograph as pg
from protograph.engines.engine import LocalEngine
from protograph.graphs import sharing
from protograph.graphs.shards import ShardFolder
from protograph.graphs.sharing import SharedGraphs
from protograph.graphs.store import GraphStore
from tests import zoo

GRAPHS = zoo.random_graphs(25)


class Counting(LocalEngine):
    """Counts what is handed over."""

    def __init__(self):
        self.num_shared = 0

    def share(self, value, what, **options):
        self.num_shared += 1
        return super().share(value, what)


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    monkeypatch.setattr(sharing, "SHARD_GRAPHS", 4)


def are_same(one, other):
    return torch.equal(one.x, other.x) and torch.equal(one.edge_index, other.edge_index)


@pytest.mark.parametrize("size", [4, 6, 100])
def test_runs_hold_all_graphs_in_order_and_hand_each_over_once(size):
    engine = Counting()
    shared = SharedGraphs(GraphStore(GRAPHS), engine)
    runs = list(shared.runs(size))
    assert [(run.first, run.last) for run in runs] == [(first, min(first + size, 25)) for first in range(0, 25, size)]
    assert shared.num_runs(size) == len(runs)
    for run in runs:
        found = run.handed.chunk(run.first, run.last)
        assert len(found) == run.last - run.first
        assert all(map(are_same, found, GRAPHS[run.first : run.last]))
    store = shared.store()
    assert all(are_same(store[index], GRAPHS[index]) for index in range(25))
    assert engine.num_shared == 7


def test_a_generator_is_read_no_further_than_runs_are_asked_for():
    read = []
    store = GraphStore(graph for number, graph in enumerate(GRAPHS * 100) if not read.append(number))
    shared = SharedGraphs(store, LocalEngine())
    runs = shared.runs(256)
    next(runs)
    assert shared.num_runs(256) is None
    assert len(read) == 1024
    assert sum(run.last - run.first for run in runs) == 2500 - 256
    assert shared.num_runs(256) == 10


def test_files_are_read_by_everybody_and_not_handed_over(tmp_path, monkeypatch):
    pg.write_shards(GRAPHS, tmp_path / "shards", size=10)
    monkeypatch.chdir(tmp_path)
    engine = Counting()
    shared = SharedGraphs(GraphStore("shards"), engine)
    runs = list(shared.runs(10))
    assert [run.handed for run in runs] == [None, None, None]
    assert engine.num_shared == 0
    assert are_same(shared.store()[24], GRAPHS[24])
    # Another process may be elsewhere.
    state = shared.files.__getstate__()
    assert state["paths"][2] == tmp_path / "shards" / "shard-000002.graphs"
    assert state["_recent"] == {}
    assert shared.files.files_of(0, 10) == "shard-000000.graphs"
    assert shared.files.files_of(0, 11) == "shard-000000.graphs to shard-000001.graphs"
    assert isinstance(shared.files, ShardFolder)
