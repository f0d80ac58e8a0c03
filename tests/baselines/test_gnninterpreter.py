import warnings

import networkx as nx
import pytest
import torch
from networkx.algorithms.isomorphism import categorical_node_match
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv, GraphConv, global_add_pool
from torch_geometric.utils import to_networkx

from protograph._utils.errors import ProtographWarning
from protograph.baselines.generation import learn
from protograph.baselines.gnninterpreter import GNNInterpreter, _Search
from protograph.models.outputs import margins
from tests import zoo

GRAPHS = zoo.random_graphs(40)
QUICK = {"num_iterations": 6, "max_nodes": 6}


def fitted(model=None, graphs=GRAPHS, progress=None, **options):
    return GNNInterpreter(**{**QUICK, **options}).fit(model or zoo.make(), graphs, progress=progress)


def is_same(a, b):
    drawn = [to_networkx(graph, node_attrs=["x"], to_undirected=True) for graph in (a, b)]
    return nx.is_isomorphic(*drawn, node_match=categorical_node_match("x", None))


def search_of(explainer, target):
    return _Search(explainer, target, set(), torch.Generator().manual_seed(0))


def check_valid(graph, graphs, max_nodes=6):
    """A connected graph of the data's types, joined as they are in the data and with no more neighbours."""
    vocabulary, shape = learn(graphs), to_networkx(graph, to_undirected=True)
    assert nx.is_connected(shape)
    assert 1 <= graph.num_nodes <= max_nodes
    assert not nx.number_of_selfloops(shape)
    assert graph.edge_index.size(1) == 2 * shape.number_of_edges()
    kinds = [0] * graph.num_nodes
    if vocabulary.x is not None:
        kinds = [int((vocabulary.x == row).flatten(1).all(dim=1).nonzero()) for row in graph.x]
    for u, v in shape.edges:
        assert vocabulary.joined[kinds[u], kinds[v]] > 0
    for node, degree in shape.degree:
        assert degree <= vocabulary.max_degree[kinds[node]]


# ---- what comes out -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("conv", ["gcn", "gin", "gat"])
def test_prototypes_are_valid_and_judged_by_the_model(conv):
    model = zoo.make(conv=conv)
    explainer = fitted(model, num_prototypes=2)
    for target, explanation in explainer.explain_all().items():
        assert explanation.explainer == "GNNInterpreter"
        assert explanation.target == target
        assert explanation.options == {**vars(GNNInterpreter()), **QUICK, "num_prototypes": 2}
        assert {"fit", "vocabulary", "generation"} <= set(explanation.timings)
        a, b = explanation.prototypes
        assert a.margin >= b.margin
        assert not is_same(a.graph, b.graph)
        for p in (a, b):
            check_valid(p.graph, GRAPHS)
            assert (p.cluster, p.sources, p.source, p.nodes, p.matches, p.sessions) == (None,) * 5 + ([],)
            with torch.no_grad():
                scores = model(p.graph.x, p.graph.edge_index, torch.zeros(p.num_nodes, dtype=torch.long))
            assert p.probability == pytest.approx(float(scores.softmax(1)[0, target]), abs=1e-5)
            assert p.margin == pytest.approx(float(margins(scores, target)), abs=1e-4)


class CountsOf(nn.Module):
    """The score of class 1 is the number of edges between nodes of type 0 and 1, less ``bias``."""

    def __init__(self, bias):
        super().__init__()
        self.conv, self.bias = GraphConv(3, 2, bias=False), nn.Parameter(torch.tensor(bias))
        with torch.no_grad():
            self.conv.lin_rel.weight[:] = torch.eye(3)[:2]
            self.conv.lin_root.weight[:] = 10 * torch.eye(3)[[1, 0]] - 10

    def forward(self, x, edge_index, batch):
        # A node of type 1 counts its neighbours of type 0 and the other way round; others have -10 and count nothing.
        score = global_add_pool(self.conv(x, edge_index).relu(), batch).sum(dim=1, keepdim=True) / 2 - self.bias
        return torch.cat([-score, score], dim=1)


def test_the_best_graph_of_a_model_that_counts_edges_is_found():
    model, graphs = CountsOf(6.5), zoo.random_graphs(40, density=0.6)
    explainer = fitted(model, graphs, num_iterations=60, max_edges=8)
    best = explainer.explain(1).prototypes[0]
    # Eight edges, each of which joins the two types: 8 - 6.5 to each side.
    assert best.margin == pytest.approx(3, abs=1e-6)
    assert best.num_edges == 8


def test_max_edges_and_max_nodes_hold():
    assert fitted(max_edges=3).explain(1).prototypes[0].num_edges <= 3
    single = fitted(max_nodes=1).explain(1).prototypes[0]
    assert (single.num_nodes, single.num_edges) == (1, 0)
    with pytest.warns(ProtographWarning, match="only 3 different graphs were found, 5 were asked for"):
        few = fitted(max_nodes=1, num_prototypes=5, num_iterations=4).explain(1)
    assert len(few.prototypes) == 3
    assert few.warnings == ("only 3 different graphs were found, 5 were asked for",)


# ---- the data -----------------------------------------------------------------------------------------------------


class Embeds(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.conv, self.head = nn.Embedding(3, 4), GCNConv(4, 4), nn.Linear(4, 2)

    def forward(self, x, edge_index, batch):
        return self.head(global_add_pool(self.conv(self.table(x).squeeze(1), edge_index).tanh(), batch))


def test_features_that_are_whole_numbers():
    graphs = [Data(x=g.x.argmax(dim=1, keepdim=True), edge_index=g.edge_index) for g in GRAPHS]
    explainer = fitted(Embeds(), graphs)
    target = int(explainer.predictions_[0])
    search = search_of(explainer, target)
    search.step(0)
    assert bool((search.types.grad != 0).any())
    found = explainer.explain(target).prototypes[0].graph
    assert found.x.dtype == torch.long
    check_valid(found, graphs)


@pytest.mark.parametrize("feature", ["multi-hot", "continuous"])
def test_other_features(feature):
    generator = torch.Generator().manual_seed(0)
    graphs = []
    for graph in GRAPHS:
        x = torch.randn(graph.num_nodes, 3, generator=generator)
        graphs.append(Data(x=x if feature == "continuous" else (x > 0).float(), edge_index=graph.edge_index))
    explainer = fitted(graphs=graphs)
    target = int(explainer.predictions_[0])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        explanation = explainer.explain(target)
    check_valid(explanation.prototypes[0].graph, graphs)
    if feature == "continuous":
        total = sum(g.num_nodes for g in graphs)
        note = f"the graphs have {total} different rows of x; graphs are generated from the 200 most frequent ones"
        assert explanation.warnings == (note,)
        assert str(caught[0].message) == f"class {target}: {note}"
    else:
        assert not caught


# ---- errors -------------------------------------------------------------------------------------------------------


class NoLayers(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(3, 2)

    def forward(self, x, edge_index, batch):
        return self.head(global_add_pool(x, batch))


def test_models_that_cannot_be_explained_this_way():
    explainer = fitted(NoLayers())
    with pytest.raises(ValueError, match=r"MessagePassing layers.*NoLayers has none; use PAGE"):
        explainer.explain(int(explainer.predictions_[0]))


class OnlyLarge(zoo.Net):
    def forward(self, x, edge_index, batch):
        return self.classify(x, edge_index, batch) + (float("nan") if len(x) == int(batch.max()) + 1 else 0.0)


def test_a_model_that_cannot_judge_small_graphs():
    explainer = fitted(zoo.make(kind=OnlyLarge), max_nodes=1)
    with pytest.raises(ValueError, match="all generated graphs is NaN or infinite"):
        explainer.explain(1)
