import pytest
import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import global_add_pool

from protograph import GraphClassifier
from protograph.graphs.dataset import GraphStore
from protograph.models.predictions import embed
from protograph.models.sensitivity import EdgeReading, edge_reading
from tests import zoo

GRAPHS = zoo.random_graphs(12, edge_dim=2)
# In one of the graphs, which is not among those whose rows are changed.
RARE = torch.tensor([4.0, 4.0])
COUNTS = {"num_candidates": 24, "num_graphs": 6, "num_rows": 3}
# A graph for each of: as it is, again, the next row, that of another edge, all in turn, three rows for all.
ALL_PASSES = 6 * 8


class Sums(nn.Module):
    """Logits are sums over the graph's nodes of what ``of_edges`` gives for their edges' rows, and of ``x``."""

    def __init__(self, of_edges=None):
        super().__init__()
        self.of_edges = of_edges
        self.weight = nn.Parameter(torch.ones(()))

    def forward(self, data):
        nodes = self.weight * data.x[:, :2]
        if self.of_edges is not None:
            nodes = nodes.index_add(0, data.edge_index[0], self.of_edges(data.edge_attr).to(nodes))
        return global_add_pool(nodes, data.batch)


class ByName(Sums):
    def forward(self, x, edge_index, batch):
        return super().forward(Data(x=x, edge_index=edge_index, batch=batch))


def read(model, graphs=GRAPHS, **counts):
    """What was found, and how many graphs the model was shown for that."""
    store = GraphStore(graphs)
    running = GraphClassifier(model).start(list(graphs[:4]))
    predictions = embed(running, store, 256, "raw").predictions
    before = running.usage.num_graphs
    return edge_reading(running, store, predictions, **COUNTS | counts), running.usage.num_graphs - before


def test_a_model_that_takes_the_whole_batch_and_looks_at_nodes_only():
    assert read(Sums()) == (EdgeReading(is_read=False), ALL_PASSES)


@pytest.mark.parametrize(
    "of_edges",
    [
        lambda rows: rows,
        lambda rows: rows[:, [1, 1]],  # one column
        lambda rows: (rows == RARE.to(rows)).all(1, keepdim=True).repeat(1, 2),  # one kind
        lambda rows: 1e-6 * rows,
    ],
    ids=["all", "one column", "a rare kind", "a little"],
)
def test_a_model_that_reads_edges(of_edges):
    reading, shown = read(Sums(of_edges))
    assert reading == EdgeReading(is_read=True)
    assert 6 * 3 <= shown <= ALL_PASSES


def test_a_model_that_takes_no_attributes_is_not_asked():
    assert read(ByName()) == (EdgeReading(is_read=False), 0)


def test_graphs_without_attributes():
    assert read(Sums(), zoo.random_graphs(12)) == (EdgeReading(is_read=False), 0)


def test_what_all_edges_have_in_common_makes_no_difference():
    graphs = [Data(x=g.x, edge_index=g.edge_index, edge_attr=torch.ones(g.num_edges, 1)) for g in GRAPHS]
    model = Sums(lambda rows: rows.repeat(1, 2))
    assert read(model, graphs) == (EdgeReading(is_read=False), 0)
    # One edge of one graph has another row, and that graph is not among the first candidates.
    graphs[7].edge_attr = torch.cat([torch.zeros(1, 1), graphs[7].edge_attr[1:]])
    assert read(model, graphs, num_candidates=2, num_graphs=2) == (EdgeReading(is_read=True), 2 * 3)


def test_rounding_is_no_reading():
    assert read(Sums(lambda rows: 1e-14 * rows))[0] == EdgeReading(is_read=False)


def test_rows_that_never_occur_are_not_shown():
    embedding = nn.Embedding(5, 2)  # of 0 to 4, which the sums of two numbers from 0 to 2 are
    seen = []

    def of_edges(rows):
        seen.append(rows)
        return embedding(rows.long()[:, 0])

    assert read(Sums(of_edges))[0] == EdgeReading(is_read=True)
    known = {tuple(row) for graph in GRAPHS for row in graph.edge_attr.tolist()}
    assert {tuple(row) for rows in seen for row in rows.tolist()} <= known


def test_both_directions_of_an_edge_are_changed_alike():
    differences = []

    class Watching(Sums):
        def forward(self, data):
            size = data.num_nodes
            rows = torch.zeros(size, size, 2).to(data.edge_attr)
            rows[data.edge_index[0], data.edge_index[1]] = data.edge_attr
            differences.append(float((rows - rows.transpose(0, 1)).abs().max()))
            return super().forward(data)

    assert not read(Watching())[0].is_read
    assert set(differences) == {0.0}


def test_a_model_that_fails_is_taken_to_read_them():
    def of_edges(rows):
        if float(rows.std()) == 0:
            raise RuntimeError("no spread\nin these")
        return 0 * rows

    note = "edge_attr is taken to be read: with other rows of it the model failed (RuntimeError: no spread in these)"
    assert read(Sums(of_edges))[0] == EdgeReading(True, note)


def test_a_random_model_is_taken_to_read_them():
    class Random(Sums):
        def forward(self, data):
            return super().forward(data) + torch.rand(1).to(data.x)

    note = "edge_attr is taken to be read: the model's output is random, so it cannot be told"
    with pytest.warns(match="random"):
        assert read(Random()) == (EdgeReading(True, note), 6 * 2)
