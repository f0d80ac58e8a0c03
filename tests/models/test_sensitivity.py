"""What a model reads of its input, and where it cuts: models of which the answer is known by hand."""

from collections import Counter

import numpy as np
import pytest
import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import global_add_pool, global_mean_pool
from torch_geometric.utils import degree

import protograph as pg
from protograph.graphs.dataset import GraphStore
from protograph.graphs.names import ColumnNames
from protograph.graphs.variables import CONTINUOUS, EDGE, Variable, variables_of
from protograph.models.predictions import Judge
from protograph.models.sensitivity import NOTED, cuts_of, sensitivity_of
from tests.page.naive_patterns import ring_edges, undirected

SIZE, NUM_GRAPHS = 10, 200


def graphs_with_everything(seed=0, number=NUM_GRAPHS):
    """Rings and stars; all that they hold is drawn for itself, but for ``a`` and ``b``, which tell the same."""
    rng = np.random.default_rng(seed)
    graphs = []
    for _ in range(number):
        star = [(0, leaf) for leaf in range(1, SIZE)]
        graph = undirected(SIZE, star if rng.random() < 0.5 else ring_edges(*range(SIZE)))
        num_pairs, of_graph = graph.num_edges // 2, int(rng.integers(2))
        columns = [
            np.eye(3)[rng.integers(3, size=SIZE)],
            rng.integers(4, size=(SIZE, 1)),
            rng.normal(size=(SIZE, 1)),
        ]
        graph.x = torch.tensor(np.concatenate(columns, axis=1), dtype=torch.float)
        graph.z = torch.tensor(rng.integers(1, 5, size=SIZE))
        graph.a, graph.b = torch.full((SIZE,), of_graph), torch.full((SIZE,), 7 * of_graph)
        bonds, weights = np.eye(2)[rng.integers(2, size=num_pairs)], rng.random(num_pairs)
        graph.edge_attr = torch.tensor(np.concatenate([bonds, bonds]), dtype=torch.float)
        graph.edge_weight = torch.tensor(np.concatenate([weights, weights]), dtype=torch.float)
        graph.pos = torch.tensor(rng.normal(size=(SIZE, 3)), dtype=torch.float)
        graph.u = torch.tensor(rng.normal(size=(1, 2)), dtype=torch.float)
        graphs.append(graph)
    return graphs


EVERYTHING = graphs_with_everything()


class Reads(nn.Module):
    """Class 1 where what a function gives of a batch, a number a graph, is above 0; ``x`` is looked at in any case."""

    def __init__(self, function):
        super().__init__()
        self.function = function
        self.head = nn.Linear(1, 2, bias=False)
        self.head.weight.data = torch.tensor([[-8.0], [8.0]])

    def forward(self, data):
        rows = torch.zeros(data.num_nodes, 1, dtype=data.x.dtype)
        return self.head(global_add_pool(rows, data.batch) + self.function(data).to(rows).reshape(-1, 1))


def of_nodes(values, data):
    return global_mean_pool(values.to(data.x).reshape(-1, 1), data.batch)


def of_edges(values, data):
    return global_mean_pool(values.to(data.x).reshape(-1, 1), data.batch[data.edge_index[0]])


def hubs(data):
    return global_add_pool((degree(data.edge_index[0], data.num_nodes) > SIZE - 2).double()[:, None], data.batch)


def all_alike(values, data):
    """1 or -1 where all nodes of a graph are of one value, else 0."""
    share = of_nodes((values > 0).double(), data)
    return (share > 0.99).double() - (share < 0.01).double()


PLANTED = {
    "one-hot": ("kind", lambda data: of_nodes(data.x[:, 0], data) - 0.31),
    "a whole number": ("x[3]", lambda data: of_nodes(data.x[:, 3], data) - 1.51),
    "a continuous column": ("x[4]", lambda data: of_nodes(data.x[:, 4], data)),
    "z": ("z", lambda data: of_nodes(data.z == 3, data) - 0.25),
    "edge_attr": ("edge_attr", lambda data: of_edges(data.edge_attr[:, 1], data) - 0.51),
    "edge_weight": ("edge_weight", lambda data: of_edges(data.edge_weight, data) - 0.5),
    "pos": ("pos", lambda data: of_nodes(data.pos[:, 0] * data.pos[:, 1], data)),
    "u": ("u", lambda data: data.u[:, 1]),
    "the edges": ("edges", lambda data: hubs(data) - 0.5),
}


@pytest.mark.parametrize(("name", "function"), PLANTED.values(), ids=PLANTED)
def test_the_one_variable_that_a_model_reads_suffices(name, function):
    explainer = pg.PAGE(max_reasons=0).fit(Reads(function), EVERYTHING)
    shown = explainer._running.usage.num_graphs
    found = explainer._sensitivity()
    assert [variable.name for variable in found.sufficient] == [name]
    assert (found.restored, found.note) == (1.0, "")
    assert explainer._running.usage.num_graphs - shown <= 5 * NUM_GRAPHS
    read, *others = found.effects
    assert read.low < 0.5 < read.high  # of two classes alike in number, half are met by chance
    assert read.log_odds == 1.0
    assert all(effect.decisions == effect.log_odds == 0 for effect in others)
    is_expressible = name not in ("pos", "u")
    assert found.unexpressed_names == ([] if is_expressible else [name])
    assert (found.unexpressed > NOTED) == (not is_expressible)


def test_of_two_that_tell_the_same_one_suffices_though_neither_matters_by_itself():
    explainer = pg.PAGE(max_reasons=0).fit(
        Reads(lambda data: all_alike(data.a, data) + all_alike(data.b, data) - 0.5), EVERYTHING
    )
    found = explainer._sensitivity()
    assert [variable.name for variable in found.sufficient] in (["a"], ["b"])
    assert {effect.decisions for effect in found.effects} == {0.0}
    assert {effect.variable.name for effect in found.effects if effect.log_odds} == {"a", "b"}
    assert found.restored == 1.0


def judge_of(model, graphs):
    return Judge(pg.GraphClassifier(model).start(list(graphs[:4])), "raw")


def sensitivity(model, graphs):
    collated = GraphStore(graphs)[:]
    return sensitivity_of(judge_of(model, graphs), graphs, variables_of(collated, ColumnNames(), ColumnNames()))


def test_what_a_model_cannot_take_is_not_shown_to_it():
    class ByName(Reads):
        def forward(self, x, edge_index, batch):
            return super().forward(Data(x=x, edge_index=edge_index, batch=batch))

    own = [Data(x=graph.x, edge_index=graph.edge_index, z=graph.z, a=graph.a) for graph in EVERYTHING[:60]]
    judge = judge_of(ByName(PLANTED["one-hot"][1]), own)
    shown = judge.classifier.usage.num_graphs
    found = sensitivity_of(judge, own, variables_of(GraphStore(own)[:], ColumnNames(), ColumnNames()))
    assert [effect.variable.name for effect in found.effects if effect.decisions] == ["kind"]
    # Eight graphs as they are, without z and without a; then all as they are, with all four that are read shuffled,
    # all but one of them and one alone.
    assert judge.classifier.usage.num_graphs - shown == 8 * 3 + 60 * (2 + 4 + 4)


def test_a_model_that_fails_on_shuffled_graphs_is_taken_to_read_all():
    def function(data):
        if all_alike(data.a, data).abs().min() < 1:
            raise RuntimeError("odd rows\nin these")
        return data.u[:, 0]

    found = sensitivity(Reads(function), EVERYTHING[:60])
    assert found.note == "the model failed on shuffled graphs (RuntimeError: odd rows in these)"
    assert {one.name for one in found.sufficient} >= {"kind", "x[3]", "x[4]", "a", "u", "edges"}


def test_only_rows_that_occur_are_shown_and_both_directions_of_an_edge_alike():
    shown, are_alike = set(), []

    def function(data):
        (u, v), weights = data.edge_index.tolist(), data.edge_weight.tolist()
        are_alike.append(Counter(zip(u, v, weights, strict=True)) == Counter(zip(v, u, weights, strict=True)))
        shown.update(data.edge_weight.tolist())
        return of_edges(data.edge_weight, data) - 0.5

    own = [Data(x=g.x, edge_index=g.edge_index, edge_weight=g.edge_weight) for g in EVERYTHING[:20]]
    assert [one.name for one in sensitivity(Reads(function), own).sufficient] == ["edge_weight"]
    assert shown == {weight for graph in own for weight in graph.edge_weight.tolist()}
    assert len(are_alike) > 5
    assert all(are_alike)


# ---- cuts ---------------------------------------------------------------------------------------------------------


def noisy(seed=0, number=60):
    """Rings whose nodes have two continuous columns, and their edges one."""
    rng = np.random.default_rng(seed)
    graphs = []
    for _ in range(number):
        graph = undirected(6, ring_edges(*range(6)))
        graph.x = torch.tensor(rng.normal(loc=1.3, scale=1.7, size=(6, 2)), dtype=torch.float)
        lengths = rng.exponential(2.0, size=6)
        graph.edge_attr = torch.tensor(np.concatenate([lengths, lengths]), dtype=torch.float)[:, None]
        graphs.append(graph)
    return graphs


X, LENGTH = (
    Variable(name="x", key="x", kind=CONTINUOUS, places=(0,)),
    Variable(name="length", key="edge_attr", of=EDGE, kind=CONTINUOUS, places=(0,)),
)


@pytest.mark.parametrize(
    ("variable", "function", "expected"),
    [
        (X, lambda data: of_nodes((data.x[:, 0] >= 2.0) + 0.3 * data.x[:, 1].sin(), data) - 0.5, (2.0,)),
        (X, lambda data: of_nodes((data.x[:, 0] >= 2.0) ^ (data.x[:, 0] < -0.25), data) - 0.5, (-0.25, 2.0)),
        (LENGTH, lambda data: of_edges(data.edge_attr[:, 0] >= 2.0, data) - 0.5, (2.0,)),
        (X, lambda data: of_nodes(data.x[:, 1], data), ()),
    ],
    ids=["one among noise", "two", "of edges", "none"],
)
def test_cuts_are_where_the_model_s_response_has_its_steps(variable, function, expected):
    graphs = noisy()
    assert cuts_of(judge_of(Reads(function), graphs), graphs, variable) == expected
