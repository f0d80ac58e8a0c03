import numpy as np
import pytest

from protograph.engines.engine import LocalEngine
from protograph.graphs.encoding import EncodedGraphs
from protograph.patterns import containment, spreading
from protograph.patterns.containment import contained_in
from protograph.patterns.spreading import SpreadCounts, shard_of
from tests import zoo

GRAPHS = zoo.random_graphs(40)


class Frozen(LocalEngine):
    """Hands arrays over as Ray does: to be read only."""

    num_workers = 2

    def __init__(self):
        self.num_shards = 0

    def share(self, value, what, **options):
        self.num_shards += 1
        columns = tuple(column.copy() for column in value)
        for column in columns:
            column.flags.writeable = False
        return super().share(columns, what)


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch):
    monkeypatch.setattr(containment, "MANY", 10)
    monkeypatch.setattr(spreading, "LEAST_GRAPHS", 3)


def test_answers_are_those_of_one_process_and_graphs_are_handed_over_once():
    plain, spread, engine = EncodedGraphs(GRAPHS), EncodedGraphs(GRAPHS), Frozen()
    spread.counted_by = SpreadCounts(engine, spread)
    some = np.random.default_rng(0).permutation(40)[:17]
    for pattern in (GRAPHS[3], GRAPHS[20]):
        assert contained_in(pattern, spread).tolist() == contained_in(pattern, plain).tolist()
        assert contained_in(pattern, spread, indices=some).tolist() == contained_in(pattern, plain)[some].tolist()
    assert contained_in(GRAPHS[3], spread)[3] == 1
    assert engine.num_shards == 8  # four a worker
    assert spread.part(np.arange(20)).counted_by is None


def test_few_graphs_are_searched_here():
    graphs = EncodedGraphs(GRAPHS)
    graphs.counted_by = None
    expected = contained_in(GRAPHS[3], graphs, indices=range(9))
    graphs.counted_by = "never called"
    assert contained_in(GRAPHS[3], graphs, indices=range(9)).tolist() == expected.tolist()


def test_a_shard_holds_its_graphs():
    graphs = EncodedGraphs(GRAPHS)
    nodes, kinds, starts, neighbours, edge_kinds = shard_of(graphs, 7, 12)
    for place in range(5):
        first, last = nodes[place], nodes[place + 1]
        own = graphs[7 + place]
        assert kinds[first:last].tolist() == own.node_kinds.tolist()
        assert neighbours[starts[first] : starts[last]].tolist() == own.neighbours.tolist()
        assert edge_kinds[starts[first] : starts[last]].tolist() == own.edge_kinds.tolist()
