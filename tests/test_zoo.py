"""Every model of the zoo is explained, or says what to write, and is explained when that is written."""

import re
import warnings

import numpy as np
import pytest
import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import global_add_pool

from protograph import PAGE, GraphClassifier, ProtographWarning
from protograph.graphs.subgraph import induced_subgraph
from tests import zoo_flat, zoo_outputs, zoo_pooling
from tests.zoo import random_graphs
from tests.zoo_census import CENSUS

# PyTorch's own, of the sparse matrices in ASAPooling, and where a TorchScript module is copied.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Sparse (invariant|CSR)"),
    pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf"),
]


def built(entry):
    torch.manual_seed(0)
    return entry.build().eval()


def fitted(model, graphs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ProtographWarning)  # random weights have learned nothing, and it is said
        return PAGE(max_reasons=0, budget=1, num_clusters=1).fit(model, graphs)


def explained(explainer):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ProtographWarning)
        return explainer.explain(int(explainer.predictions_[0]))


def lines_of(error):
    """The lines of Python in a message, as they are to be written."""
    return re.findall(r"GraphClassifier\([^()]*\)", str(error))


def taking_advice(model, graphs, entry):
    """An explainer of the model, with what its refusal says to write."""
    if not entry.refusal:
        return [fitted(model, graphs)]
    with pytest.raises(ValueError, match=re.escape(entry.refusal)) as caught:
        fitted(model, graphs)
    names = {"GraphClassifier": GraphClassifier, "model": model}
    return [fitted(eval(line, names), graphs) for line in lines_of(caught.value)]  # noqa: S307


def test_the_zoo_is_large():
    assert len(CENSUS) >= 100


@pytest.mark.parametrize("name", CENSUS)
def test_it_is_explained(name):
    entry = CENSUS[name]
    model, graphs = built(entry), entry.graphs()
    explainers = taking_advice(model, graphs, entry)
    assert len(explainers) == (2 if entry.refusal else 1)
    explainer = explainers[0]
    explanation = explained(explainer)
    assert explanation.prototypes[0].num_nodes >= 1
    assert [text for text in explanation.warnings if text == entry.note] == ([entry.note] if entry.note else [])
    # EdgePooling takes the first of equally good edges by an unstable sort, which need not agree in two precisions.
    assert explainer._running.is_double == entry.is_double or name.startswith("edge, ")
    assert_judges_single_nodes(explainer)
    if entry.relation:
        assert_related(explainer, entry.relation)


def assert_judges_single_nodes(explainer):
    """Parts of graphs are judged too, down to a node, and alone as beside others."""
    parts = [induced_subgraph(graph, [node]) for graph in explainer.graphs_[:2] for node in (0, 1)]
    together = explainer.judge(parts, 0).margins
    alone = np.concatenate([explainer.judge([part], 0).margins for part in parts])
    # Quantised activations depend a little on the other graphs.
    np.testing.assert_allclose(together, alone, rtol=0, atol=1e-9 if explainer._running.is_double else 1e-2)


def assert_related(explainer, relation):
    """Graph embeddings follow from node embeddings."""
    graphs = [explainer.graphs_[index] for index in range(4)]
    result = explainer._running.embed(graphs, nodes=True)
    parts = torch.split(result.node_embeddings, [graph.num_nodes for graph in graphs])
    reduce = {"sum": lambda part: part.sum(0), "mean": lambda part: part.mean(0), "max": lambda part: part.amax(0)}
    expected = torch.stack([reduce[relation](part) for part in parts])
    torch.testing.assert_close(result.graph_embeddings, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(explainer.embeddings_[:4], expected.numpy(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (
            lambda x: x.argmax(dim=1),
            "the model must return class scores, got whole numbers (torch.int64), as predicted classes are; let it "
            "return the scores before argmax or rounding",
        ),
        (
            lambda x: torch.complex(x, x),
            "the model must return real class scores, got complex ones (torch.complex64); let it return their real "
            "part or their absolute value",
        ),
    ],
    ids=["classes", "complex"],
)
def test_outputs_that_are_no_scores_are_refused(out, message):
    torch.manual_seed(0)
    graphs, model = random_graphs(8), zoo_outputs.Answers(2, out)
    with pytest.raises(TypeError) as caught:
        fitted(model, graphs)
    assert str(caught.value) == message
    model.out = lambda x: x if "argmax" in message else torch.complex(x, x).real  # as the message says
    assert fitted(model, graphs).num_classes_ == 2


def test_a_task_has_its_own_two_classes_and_its_column_of_labels():
    torch.manual_seed(0)
    model, graphs = zoo_outputs.Answers(12).eval(), zoo_outputs.labelled_for_tasks(16)
    explainer = fitted(GraphClassifier(model, task=3), graphs)
    assert explainer.num_classes_ == 2
    outputs = GraphClassifier(model, return_type="raw").start(graphs).classify(graphs)[:, 3]
    np.testing.assert_allclose(explainer.embedded_.probabilities[:, 1], outputs.sigmoid().numpy())
    assert explainer.embedded_.labels.tolist() == [int(graph.y[0, 3]) for graph in graphs]
    assert fitted(GraphClassifier(model, task=5), graphs).embedded_.labels is None  # they are missing


# ---- what is planted is found ---------------------------------------------------------------------------------------

HOUSE = ((0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4))


def with_a_house(count):
    """Trees with a house, and trees with a house that lacks an edge; roofs, walls and the others are of three kinds."""
    generator = torch.Generator().manual_seed(0)

    def below(number):
        return int(torch.randint(number, (), generator=generator))

    graphs = []
    for number in range(count):
        tree, house = [(node, below(node)) for node in range(1, 8)], [(8 + a, 8 + b) for a, b in HOUSE]
        if number % 2 == 0:
            del house[below(6)]
        ends, order = [*tree, *house, (8 + below(5), below(8))], torch.randperm(13, generator=generator)
        x = torch.zeros(13, 3)
        x[order] = nn.functional.one_hot(torch.tensor([2] * 8 + [1] * 4 + [0]), 3).float()
        edges = order[torch.tensor(ends).t()]
        graphs.append(Data(x=x, edge_index=torch.cat([edges, edges.flip(0)], 1), y=torch.tensor([number % 2])))
    return graphs


@pytest.mark.parametrize(
    ("build", "seed", "num_epochs"),
    [(zoo_flat.Layerwise, 0, 20), (lambda: zoo_pooling.Hierarchical("topk", readout=global_add_pool), 2, 30)],
    ids=["a readout a layer", "topk"],
)
def test_a_planted_house_is_found(build, seed, num_epochs):
    graphs = with_a_house(96)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = build()
        optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
        for _ in range(num_epochs):
            for batch in DataLoader(graphs, batch_size=48, shuffle=True):
                optimizer.zero_grad()
                scores = model(batch.x, batch.edge_index, batch.batch)
                nn.functional.cross_entropy(scores, batch.y).backward()
                optimizer.step()
    explainer = fitted(model.eval(), graphs)
    assert (explainer.predictions_ == explainer.embedded_.labels).mean() == 1
    (prototype,) = explainer.explain(1).prototypes
    assert "a house of four kind 1 nodes and one kind 0 node" in prototype.describe()
    assert (prototype.num_nodes, prototype.num_edges) == (5, 6)


@pytest.mark.parametrize("name", ["a readout a layer, heads of sum", "topk, every layer", "diffpool, one head"])
def test_the_paper_s_search_takes_them_too(name):
    entry = CENSUS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ProtographWarning)
        explainer = PAGE(search="walk", num_clusters=1).fit(built(entry), entry.graphs())
    explanation = explained(explainer)
    assert explanation.prototypes[0].num_nodes >= 1
    assert (entry.note in explanation.warnings) == bool(entry.note)
