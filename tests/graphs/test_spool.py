import gc
import weakref
from itertools import chain

import pytest
import torch
from torch_geometric.data import Data

from protograph.graphs.spool import Spool
from protograph.graphs.store import GraphStore
from tests import zoo

GRAPHS = zoo.random_graphs(11)


class Counted:
    """Makes graphs one by one, and counts those that somebody still holds."""

    def __init__(self, number):
        self.number, self.alive, self.most, self.given = number, 0, 0, 0

    def _gone(self):
        self.alive -= 1

    def __iter__(self):
        assert self.given == 0, "a second pass"
        for number in range(self.number):
            graph = GRAPHS[number % len(GRAPHS)].clone()
            weakref.finalize(graph, self._gone)
            self.alive += 1
            self.given += 1
            if number % 32 == 0:
                gc.collect()  # a graph and its parts hold each other
            self.most = max(self.most, self.alive)
            yield graph
            del graph


@pytest.mark.parametrize("max_bytes", [0, 2**27])
def test_few_graphs_of_a_generator_are_alive_at_a_time(max_bytes):
    graphs = Counted(200)
    spool = Spool(iter(graphs), max_bytes, size=16)
    assert len(spool) == 200
    assert graphs.most <= 16 + 32  # a shard, and what waits to be collected
    assert spool[150].x.tolist() == GRAPHS[150 % 11].x.tolist()


def test_graphs_come_as_they_are_asked_for_and_never_twice():
    graphs = Counted(100)
    spool = Spool(iter(graphs), size=16)
    assert graphs.given == 0
    assert spool[20].x.tolist() == GRAPHS[9].x.tolist()
    assert graphs.given == 32
    assert [len(spool), len(spool)] == [100, 100]
    assert graphs.given == 100


def test_what_cannot_be_laid_end_to_end_is_kept_as_it_is():
    odd = [Data(x=torch.ones(2, 1), parts=[number]) for number in range(5)]
    for max_bytes in (0, 2**27):
        assert [graph.parts for graph in Spool(iter(odd), max_bytes, size=2)] == [[0], [1], [2], [3], [4]]


@pytest.mark.parametrize("devices", [("meta", "meta"), ("cpu", "meta"), ("meta", "cpu")])
@pytest.mark.parametrize("shape", [(), (3,)])
def test_tensors_that_hold_no_numbers_are_kept_as_they_are(devices, shape):
    own = [Data(x=torch.ones(2, 1), extra=torch.ones(shape, device=device)) for device in devices]
    spool = Spool(iter(own), max_bytes=2**27)
    assert [spool[place].extra.device.type for place in range(2)] == list(devices)


def test_a_generator_that_raises_midway_is_told_with_its_own_error():
    def broken():
        yield from GRAPHS
        raise OSError("the disk is gone")

    store = GraphStore(chain(zoo.random_graphs(1100), broken()))
    with pytest.raises(OSError, match=r"^the disk is gone\n") as raised:
        list(store.chunks(4))
    place = 1100 + len(GRAPHS)
    assert raised.value.__notes__ == [f"this happened while item {place} of graphs was read, counted from 0"]
