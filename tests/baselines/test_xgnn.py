import networkx as nx
import numpy as np
import pytest
import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import global_add_pool, global_mean_pool
from torch_geometric.utils import to_networkx

import protograph as pg
from protograph.baselines.generation import learn
from protograph.baselines.xgnn import XGNN, Action, Partial, Rules
from tests import zoo

GRAPHS = zoo.random_graphs(20)
QUICK = {"num_epochs": 1, "num_rollouts": 2, "max_nodes": 5}


def fitted(model=None, graphs=GRAPHS, progress=None, **options):
    return XGNN(**{**QUICK, **options}).fit(model or zoo.make(), graphs, progress=progress)


def chain(kinds, num_kinds=3, **attributes):
    """A path through nodes of these kinds."""
    ends = torch.tensor([range(len(kinds) - 1), range(1, len(kinds))])
    edge_index = torch.cat([ends, ends.flip(0)], dim=1)
    return Data(x=torch.eye(num_kinds)[list(kinds)], edge_index=edge_index, **attributes)


def kinds_of(graph, x):
    return [int((x == row).all(dim=1).nonzero()[0]) for row in graph.x]


class Counts(nn.Module):
    """The logit of class 1 is the number of nodes of kind 1, less twice that of kind 0, less 3."""

    def forward(self, x, edge_index, batch):
        counts = global_add_pool(x, batch)
        logit = counts[:, 1] - 2 * counts[:, 0] - 3
        return torch.stack([torch.zeros_like(logit), logit], dim=1)


class Spy(nn.Module):
    """Another model that keeps the graphs it was shown."""

    def __init__(self, model):
        super().__init__()
        self.model, self.seen = model, []

    def __deepcopy__(self, memo):  # so that the copy that runs is this one
        return self

    def forward(self, x, edge_index, batch):
        for graph in range(int(batch.max()) + 1):
            nodes = (batch == graph).nonzero().flatten()
            edges = edge_index[:, batch[edge_index[0]] == graph] - nodes[0]
            self.seen.append(Data(x=x[nodes], edge_index=edges))
        return self.model(x, edge_index, batch)


# ---- what comes out -----------------------------------------------------------------------------------------------


def test_fewer_different_graphs_than_asked_for_is_said():
    edges = [chain([0, 1]), chain([1, 0]), chain([0, 1])]  # every type has one neighbour: one graph can be made
    with pytest.warns(pg.ProtographWarning, match=r"^class 0: only 1 different graphs were found, 4 were"):
        explanation = fitted(graphs=edges, num_prototypes=4).explain(0)
    assert len(explanation.prototypes) == 1
    assert explanation.warnings[-1] == "only 1 different graphs were found, 4 were asked for"


@pytest.mark.parametrize("max_nodes", [4, 7])
def test_a_model_with_a_known_best_graph_is_maximised(max_nodes):
    graphs = [chain([0, 1, 2]), chain([1, 1, 2]), chain([1, 1, 1, 1, 1]), chain([2, 2, 1])]
    best = fitted(Counts(), graphs, num_epochs=4, num_rollouts=4, max_nodes=max_nodes).explain(1).prototypes[0]
    assert best.graph.x.tolist() == [[0, 1, 0]] * max_nodes
    assert best.margin == pytest.approx(max_nodes - 3)
    assert best.probability == pytest.approx(1 / (1 + np.exp(3 - max_nodes)))


# ---- the rules that graphs are grown by ---------------------------------------------------------------------------


def test_no_graph_shown_to_the_model_breaks_a_rule():
    spy = Spy(zoo.make())
    graphs = [chain([0, 1, 0, 2, 2, 0]), chain([0, 1, 0]), chain([2, 2, 2]), chain([2, 0, 2])]
    explainer = fitted(spy, graphs, num_epochs=3)
    explainer.explain(1)
    spy.seen.clear()  # also of what was shown once, to find out what the model reads
    explainer.explain(1)
    vocabulary_ = explainer.vocabulary_
    assert len(spy.seen) > 500
    for graph in spy.seen:
        plain = to_networkx(graph, to_undirected=True)
        kinds = kinds_of(graph, vocabulary_.x)
        edges = graph.edge_index.t().tolist()
        assert 2 <= len(kinds) <= 5
        assert nx.is_connected(plain)
        assert all(a != b for a, b in edges)
        assert len({tuple(edge) for edge in edges}) == len(edges)
        assert {(b, a) for a, b in edges} == {(a, b) for a, b in edges}
        assert all(vocabulary_.joined[kinds[a], kinds[b]] > 0 for a, b in edges)
        assert all(degree <= vocabulary_.max_degree[kinds[node]] for node, degree in plain.degree)
    assert max(int(graph.num_nodes) for graph in spy.seen) == 5


def test_the_mask_of_a_known_graph():
    known = learn([chain([0, 1, 0]), chain([0, 2]), chain([2, 2])])
    zero, two, one = kinds_of(chain([0, 2, 1]), known.x)
    rules = Rules(known, max_nodes=3)

    def begun_with(kind):
        return Partial(
            torch.full((1, 3), kind), torch.zeros(1, 3, 3, dtype=torch.bool), torch.ones(1, dtype=torch.long)
        )

    begun = begun_with(one)
    types = torch.arange(len(known.counts))
    legal = rules.legal(begun)
    assert legal.shape == (1, 3, 6)
    assert legal[0, 0].tolist() == [False] * 3 + (types == zero).tolist()
    assert not legal[0, 1:].any()

    def action(start, end):
        return Action(torch.tensor([start]), torch.tensor([end]), torch.zeros(1), torch.tensor([True]))

    grown = begun.grow(action(0, 3 + zero))
    assert (grown.sizes.tolist(), grown.types[0, :2].tolist()) == ([2], [one, zero])
    # A node of kind 0 has at most one neighbour, so only the node of kind 1 can take another.
    assert rules.legal(grown).nonzero().tolist() == [[0, 0, 3 + zero]]
    full = grown.grow(action(0, 3 + zero))
    assert full.as_data(known)[0].edge_index.tolist() == [[0, 0, 1, 2], [1, 2, 0, 0]]
    assert not rules.legal(full).any()
    assert rules.usualness(begun, action(0, 3 + zero)).tolist() == [0.0]  # the most usual of all edges
    assert rules.usualness(begun_with(zero), action(0, 3 + two)).tolist() == [-1.0]  # the rarest


# ---- the same answer, and the world left as it was ----------------------------------------------------------------


def test_it_learns_also_where_gradients_are_off():
    expected = fitted().explain(1).prototypes[0].margin
    with torch.inference_mode():
        assert fitted().explain(1).prototypes[0].margin == pytest.approx(expected)


# ---- all sorts of data and models ---------------------------------------------------------------------------------


class Plain(nn.Module):
    """One weighted sum over neighbours; takes whatever width it is given."""

    def __init__(self, width):
        super().__init__()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(1)
            self.weights = nn.Linear(width, 2)

    def forward(self, x, edge_index, batch):
        source, target = edge_index
        summed = torch.zeros_like(x).index_add(0, target, x[source])
        return global_mean_pool(self.weights(summed), batch)


class ReadsPositions(Plain):
    def forward(self, x, pos, edge_index, batch):
        return super().forward(torch.cat([x, pos], dim=1), edge_index, batch)


def test_a_model_that_reads_more_than_is_generated():
    graphs = [chain([0, 1, 2], pos=torch.full((3, 2), float(i))) for i in range(4)]
    message = r"^the model cannot .*; the data also has 'pos' \(ValueError: .*needs 'pos'.* use PAGE"
    with pytest.raises(ValueError, match=message):
        fitted(ReadsPositions(5), graphs).explain(0)


def test_graphs_without_edges():
    lonely = [Data(x=torch.eye(3), edge_index=torch.empty(2, 0, dtype=torch.long))] * 3
    with pytest.raises(ValueError, match=r"^the graphs have no edges, so XGNN cannot learn how to grow one"):
        fitted(Plain(3), lonely).explain(0)
