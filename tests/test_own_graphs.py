"""The model is shown the user's own graphs: directed and repeated edges, loops, numbers of nodes."""

import numpy as np
import pytest
import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import global_add_pool

import protograph as pg

# Of models that can be worked out on paper, many graphs have one embedding.
pytestmark = pytest.mark.filterwarnings("ignore:.*num_(graphs|clusters) was lowered", "ignore:.*single output lies in")
SEARCHES = ["consensus", "walk"]


class InSums(nn.Module):
    """Sums over in-edges of what their starts hold, twice, and squares: it reads direction and repetition."""

    def __init__(self, weight=(1.0,), bias=0.0):
        super().__init__()
        self.head = nn.Linear(1, 1)
        self.head.weight.data, self.head.bias.data = torch.tensor([weight]), torch.tensor([bias])

    def forward(self, x, edge_index, batch):
        for _ in range(2):
            x = torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]])
        score = self.head(global_add_pool(x**2, batch))
        return torch.cat([-score, score], dim=1)


def with_ends(ends, num_nodes, **more):
    return Data(x=torch.ones(num_nodes, 1), edge_index=torch.tensor(ends, dtype=torch.long).reshape(-1, 2).T, **more)


def own_outputs(model, graphs):
    """What the model itself gives for graphs in PyG's batches."""
    rows = []
    for batch in DataLoader(graphs, batch_size=7):
        with torch.no_grad():
            rows.append(model.double()(batch.x.double(), batch.edge_index, batch.batch))
    return torch.cat(rows)


def is_always_right(explainer):
    return explainer.predictions_.tolist() == [graph.y for graph in explainer.graphs_] and explainer.doubts_ == ()


# ---- edges ----------------------------------------------------------------------------------------------------------


CYCLE, LOOP = [(0, 1), (1, 2), (2, 0)], [(0, 1), (1, 2), (0, 2)]  # a feed-forward loop has no cycle


def triangles(count=60):
    """A cycle or a feed-forward loop, with a tail of some nodes behind it: alike but for the direction of an edge."""
    graphs = []
    for number in range(count):
        tail = [(node - 1, node) for node in range(3, 3 + number // 2 % 4)]
        graphs.append(with_ends([*(CYCLE if number % 2 else LOOP), *tail], 3 + len(tail), y=number % 2))
    return graphs


class HasCycle(nn.Module):
    """Counts closed walks of three steps along the edges."""

    def forward(self, x, edge_index, batch):
        steps = torch.zeros(len(x), len(x), dtype=x.dtype).index_put((edge_index[0], edge_index[1]), x.new_ones(1))
        closed = (steps @ steps @ steps).diagonal()[:, None] * x
        score = 4 * global_add_pool(closed, batch) - 6
        return torch.cat([-score, score], dim=1)


@pytest.mark.parametrize("search", SEARCHES)
def test_a_model_of_directed_graphs_is_as_good_as_it_is(search, recwarn):
    explainer = pg.PAGE(search=search, max_nodes=3).fit(HasCycle(), triangles())
    assert not recwarn.list
    explanations = explainer.explain_all()
    assert is_always_right(explainer)
    assert explanations[1].survey.confusion == ((30, 0), (0, 30))
    for prototype in (explanations[target].prototypes[0] for target in (0, 1)):
        assert prototype.graph.num_edges == prototype.num_edges  # one way only
        if search == "walk" and prototype.target == 1:  # a consensus leaves out what both classes have
            assert sorted(prototype.graph.edge_index[1].tolist()) == [0, 1, 2]
            assert prototype.predicted == 1
    (note,) = [note for note in explanations[1].warnings if "one way" in note]
    assert note.startswith("60 graphs (the first is graph 0)")
    assert not any("learned nothing" in note for one in explanations.values() for note in (*one.warnings, *one.doubts))


def mixed(seed):
    """A graph with edges of one way and both, some repeated, and loops."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 7))
    ends = rng.integers(0, size, (int(rng.integers(0, 12)), 2)).tolist()
    return with_ends([*ends, *ends[:2], *([v, u] for u, v in ends[:3])], size)


def test_predictions_and_embeddings_are_the_model_s_own():
    graphs = [mixed(seed) for seed in range(40)]
    model = InSums(bias=-20.0)
    explainer = pg.PAGE(num_clusters=1).fit(model, graphs)
    outputs = own_outputs(model, graphs)
    assert np.array_equal(explainer.predictions_, outputs.argmax(dim=1))
    np.testing.assert_allclose(explainer.embeddings_[:, 0], outputs[:, 1] + 20, rtol=1e-12)
    for target in (0, 1):
        judged = explainer.judge(graphs, target)
        np.testing.assert_allclose(judged.probabilities, outputs.softmax(dim=1)[:, target], atol=1e-12)
    for index, graph in enumerate(graphs):
        assert torch.equal(explainer.graphs_[index].edge_index, graph.edge_index)


@pytest.mark.parametrize("search", SEARCHES)
def test_prototypes_are_judged_with_the_edges_of_their_sources(search):
    graphs = [mixed(seed) for seed in range(40)]
    model = InSums(bias=-20.0)
    explanations = pg.PAGE(search=search, num_clusters=2).fit(model, graphs).explain_all()
    for prototype in (one for explanation in explanations.values() for one in explanation.prototypes):
        source, nodes = graphs[prototype.source], prototype.nodes
        there = [(nodes.index(u), nodes.index(v)) for u, v in source.edge_index.T.tolist() if {u, v} <= set(nodes)]
        joined = set(prototype.edges)
        there = sorted(ends for ends in there if ends[0] == ends[1] or tuple(sorted(ends)) in joined)
        assert sorted(map(tuple, prototype.graph.edge_index.T.tolist())) == there
        own = own_outputs(model, [prototype.graph]).softmax(dim=1)[0, prototype.target]
        assert prototype.probability == pytest.approx(float(own), abs=1e-9)
        assert prototype.num_edges == len({frozenset(ends) for ends in there})


def test_repeated_edges_are_not_merged():
    graphs = [with_ends([(0, 1), (1, 0)] * (1 + number % 2), 2 + number % 5, y=number % 2) for number in range(40)]
    explainer = pg.PAGE().fit(InSums(bias=-10.0), graphs)  # 1 + 1, or 16 + 16
    assert is_always_right(explainer)
    (prototype,) = explainer.explain(1).prototypes
    assert sorted(map(tuple, prototype.graph.edge_index.T.tolist())) == [(0, 1), (0, 1), (1, 0), (1, 0)]
    assert (prototype.num_edges, prototype.edges, prototype.predicted) == (1, [(0, 1)], 1)


def test_random_parts_go_along_edges_either_way():
    explanation = pg.baselines.RandomSubgraph(max_nodes=3, num_candidates=40).fit(HasCycle(), triangles()).explain(1)
    assert explanation.prototypes[0].probability > 0.9
    assert explanation.prototypes[0].graph.num_edges == 3


def test_a_vocabulary_takes_edges_to_go_both_ways():
    from protograph.baselines.generation import learn

    ends, rows = torch.tensor([[0, 0, 1, 1], [1, 1, 0, 2]]), torch.tensor([[1.0], [1.0], [1.0], [2.0]])
    kinds = torch.eye(3)
    directed = learn([Data(x=kinds, edge_index=ends, edge_attr=rows)])
    to_and_fro = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    both = learn([Data(x=kinds, edge_index=to_and_fro, edge_attr=rows[[0, 1, 3, 3]])])
    assert directed.joined.tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert (directed.max_degree.tolist(), directed.edges_per_node.tolist()) == ([1, 2, 1], [2 / 3])
    assert directed.edge_attr[[1, 2], [2, 1]].flatten().tolist() == [2, 2]
    assert torch.equal(directed.edge_attr, both.edge_attr)


# ---- numbers of nodes -----------------------------------------------------------------------------------------------


class Rooted(Data):
    """A graph with the number of a node that PyG's batches count up."""

    def __inc__(self, key, value, *args, **kwargs):
        return self.num_nodes if key == "root" else super().__inc__(key, value, *args, **kwargs)


def rooted(count=40):
    """Rings, with a chord from the first node in every other; beside all that numbers nodes."""
    graphs = []
    for number in range(count):
        size = 5 + number % 5
        ring = [(node, (node + 1) % size) for node in range(size)] + [(0, 2)] * (number % 2)
        both = [*ring, *((v, u) for u, v in ring)]
        indices = {
            "motif_index": torch.tensor([0, size - 1]),
            "assoc_index": torch.tensor([[0, 1, size - 1], [0, 0, 1]]),
            "every_index": torch.arange(size)[None],
            "root": torch.tensor([0]),
            "face": torch.tensor([[0], [1], [2]]),
            "words": [str(node) for node in range(size)],
        }
        graph = with_ends(both, size, y=number % 2)
        graph.x += number / 1e5  # no two graphs have the same embedding
        graphs.append(Rooted(**graph.to_dict(), **indices))
    return graphs


NAMES = ["motif_index", "assoc_index", "every_index", "root", "face", "words"]


class Degrees(nn.Module):
    """Squares of degrees, so that a chord shows."""

    def degrees(self, data):
        ones = torch.ones(data.num_nodes, 1, dtype=data.x.dtype) * data.x
        return torch.zeros_like(ones).index_add(0, data.edge_index[1], ones[data.edge_index[0]])

    def forward(self, data):
        return self.scores(self.degrees(data), data)

    @staticmethod
    def scores(degrees, data):
        score = 4 * global_add_pool((degrees - 2).clamp(min=0), data.batch) - 2
        return torch.cat([-score, score], dim=1)


class ReadsRoot(Degrees):
    """The degree of the root alone."""

    def forward(self, data):
        degrees = self.degrees(data)
        score = 4 * degrees[data.root] - 10
        return torch.cat([-score, score], dim=1)


class ReadsMotif(Degrees):
    """Whatever there is about motifs, in the way of models that do with and without."""

    def forward(self, data):
        degrees = self.degrees(data)
        if getattr(data, "motif_index", None) is not None:
            degrees[data.motif_index] *= 1.0
        return self.scores(degrees, data)


class ByName(Degrees):
    def forward(self, x, edge_index, batch):
        return super().forward(Data(x=x, edge_index=edge_index, batch=batch))


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("model", [Degrees, ReadsMotif, ByName])
def test_numbers_of_nodes_that_are_not_needed_do_not_matter(model, search):
    options = {"search": search, "num_clusters": 1, "match_features": False}
    explainer = pg.PAGE(**options).fit(model(), rooted())
    plain = [Data(x=graph.x, edge_index=graph.edge_index, y=graph.y) for graph in rooted()]
    expected = pg.PAGE(**options).fit(model(), plain).explain(1)
    explanation = explainer.explain(1)
    assert is_always_right(explainer)
    found, wanted = (
        [(one.source, one.nodes, one.graph.edge_index.tolist(), one.probability) for one in each.prototypes]
        for each in (explanation, expected)
    )
    assert found == wanted != []
    told = [note for note in explanation.warnings if "cannot be cut out" in note]
    assert len(told) == (0 if model is ByName else 1)
    assert all(name in note for name in NAMES for note in told)
    assert len(explanation.warnings) == len(expected.warnings) + len(told)


@pytest.mark.parametrize("search", SEARCHES)
def test_a_model_that_needs_them_is_told_apart_by_one_clear_error(search):
    explainer = pg.PAGE(search=search).fit(ReadsRoot(), rooted())
    assert is_always_right(explainer)
    with pytest.raises(ValueError, match=r"parts of graphs, which have no root, .*let the model do without.*\(.*root"):
        explainer.explain(1)


def test_a_model_that_asks_for_them_by_name_is_told_the_same():
    class ByRoot(ReadsRoot):
        def forward(self, x, edge_index, batch, root):
            return super().forward(Data(x=x, edge_index=edge_index, batch=batch, root=root))

    explainer = pg.PAGE().fit(ByRoot(), rooted())
    assert is_always_right(explainer)
    assert [note for note in explainer.embedded_.warnings if "cannot be cut out" in note] == [
        "parts of graphs have no root, as that cannot be cut out"
    ]
    with pytest.raises(ValueError, match=r"parts of graphs, which have no root, .*let the model do without"):
        explainer.explain(1)


def test_numbers_of_nodes_that_pyg_does_not_know_of_are_told_of():
    class CountsUp(ReadsRoot):
        def forward(self, data):
            score = 4 * self.degrees(data)[data.ptr[:-1] + data.root] - 10
            return torch.cat([-score, score], dim=1)

    graphs = [Data(x=one.x, edge_index=one.edge_index, y=one.y, root=one.motif_index[1:]) for one in rooted()]
    explainer = pg.PAGE(search="walk").fit(CountsUp(), graphs, class_names=["plain", "chord"])
    with pytest.raises(ValueError, match=r"index is out of range in the model; where root of the graphs .*__inc__"):
        explainer.explain(int(explainer.predictions_[0]))


class OneProbability(ReadsRoot):
    """The probability of the second class, which fit may try on parts of graphs."""

    def forward(self, data):
        return super().forward(data)[:, 1:].sigmoid() * 1.0


def test_fit_does_not_need_parts_of_graphs():
    explainer = pg.PAGE().fit(OneProbability(), rooted())
    assert is_always_right(explainer)
