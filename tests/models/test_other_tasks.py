"""What is no graph classifier of classes is told what it is, and what to do; whoever does that is explained."""

import re
import warnings

import pytest
import torch
from torch import nn
from torch_geometric.data import Batch, Data, HeteroData
from torch_geometric.nn import GCNConv, RGCNConv, global_add_pool, global_mean_pool

import protograph as pg
from protograph import PAGE, GraphClassifier
from protograph.models.outputs import task_line
from tests.zoo import random_graphs

WIDTH = 8
# PyTorch's own, of TorchScript.
IGNORED = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore:The .grad attribute", "ignore::torch.jit.TracerWarning"
)


def fitted(model, graphs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pg.ProtographWarning)  # random weights have learned nothing
        return PAGE(max_reasons=0, budget=1, num_clusters=1).fit(
            model.eval() if isinstance(model, nn.Module) else model, graphs
        )


def explained(model, graphs):
    explainer = fitted(model, graphs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pg.ProtographWarning)
        explanation = explainer.explain(int(explainer.predictions_[0]))
    assert explanation.prototypes[0].num_nodes >= 1
    return explanation


def refused(model, graphs):
    with pytest.raises((TypeError, ValueError)) as caught:
        fitted(model, graphs)
    return str(caught.value)


def ways(message, model):
    """What a message says to write."""
    names = {"GraphClassifier": GraphClassifier, "model": model}
    return [eval(line, names) for line in re.findall(r"GraphClassifier\([^()]*\)", message)]  # noqa: S307


class Nodes(nn.Module):
    """One vector a node, and what the subclasses make of it."""

    def __init__(self, num_columns=2):
        super().__init__()
        torch.manual_seed(0)
        self.conv, self.head = GCNConv(3, WIDTH), nn.Linear(WIDTH, num_columns)

    def forward(self, x, edge_index):
        return self.head(self.conv(x, edge_index).relu())


class Scores(Nodes):
    def forward(self, x, edge_index, batch):
        return self.head(global_add_pool(self.conv(x, edge_index).relu(), batch))


# ---- outputs of nodes and edges -------------------------------------------------------------------------------------


class NodesOfData(Nodes):
    def forward(self, data):
        return super().forward(data.x, data.edge_index)


class NodesAsVector(Nodes):
    def forward(self, x, edge_index):
        return super().forward(x, edge_index)[:, 0]


class Links(Nodes):
    def forward(self, x, edge_index):
        state = self.conv(x, edge_index)
        return (state[edge_index[0]] * state[edge_index[1]]).sum(dim=1)


class AskedLinks(Nodes):
    def forward(self, data):
        state, (start, end) = self.conv(data.x, data.edge_index), data.edge_label_index
        return (state[start] * state[end]).sum(dim=1)


def alike(count):
    return [random_graphs(4)[3] for _ in range(count)]


def asking(count):
    graphs = random_graphs(count)
    for number, graph in enumerate(graphs):
        graph.edge_label_index = graph.edge_index[:, : 3 + number % 3]
    return graphs


@pytest.mark.parametrize("graphs", [random_graphs(10), alike(4), random_graphs(1)], ids=["all", "alike", "one"])
@pytest.mark.parametrize("kind", [Nodes, NodesAsVector])
def test_node_classifiers_are_not_explained_and_pooled_they_are(kind, graphs):
    message = refused(kind(), graphs)
    assert "one row a node: " in message or "one a node: " in message
    assert "node classifiers are not explained yet" in message

    class Pooled(kind):
        def forward(self, x, edge_index, batch):
            out = super().forward(x, edge_index)
            return global_mean_pool(out, batch)

    assert "global_mean_pool(out, batch)" in message
    explained(Pooled(), random_graphs(10))
    assert "one row a node: " in refused(NodesOfData(), random_graphs(10))


@pytest.mark.parametrize(
    ("kind", "graphs"),
    [(Links, random_graphs(10)), (Links, random_graphs(1)), (AskedLinks, asking(10)), (AskedLinks, asking(1))],
)
def test_link_prediction_is_not_explained_and_pooled_it_is(kind, graphs):
    message = refused(kind(), graphs)
    assert "an edge, as of link prediction, which is not explained" in message

    class Pooled(Links):
        def forward(self, x, edge_index, batch):
            out = super().forward(x, edge_index)
            return global_mean_pool(out, batch[edge_index[0]], int(batch.max()) + 1)

    assert "global_mean_pool(out, batch[edge_index[0]], int(batch.max()) + 1)" in message
    explained(Pooled(), random_graphs(10))


def test_one_graph_after_the_other_may_have_as_many_classes_as_nodes():
    """Now and then: graphs have 4 to 9 nodes."""

    class OneGraph(Nodes):
        def forward(self, x, edge_index):
            return super().forward(x, edge_index).sum(dim=0)

    assert fitted(OneGraph(5), random_graphs(10)).num_classes_ == 5


# ---- graphs of several kinds, and several graphs --------------------------------------------------------------------


def heterogeneous(graph):
    result = HeteroData()
    result["atom"].x, result["ring"].x = graph.x, torch.ones(2, 5)
    result["atom", "bond", "atom"].edge_index = graph.edge_index
    result["ring", "of", "atom"].edge_index = torch.tensor([[0, 1], [0, 1]])
    result.y = graph.y
    return result


class OfTypes(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.kinds = nn.Embedding(2, WIDTH)
        self.conv, self.head = RGCNConv(5 + WIDTH, WIDTH, num_relations=2), nn.Linear(WIDTH, 2)

    def forward(self, x, edge_index, node_type, edge_type, batch):
        x = torch.cat([x, self.kinds(node_type)], dim=1)
        return self.head(global_add_pool(self.conv(x, edge_index, edge_type).relu(), batch))


class OfDicts(Nodes):
    def forward(self, x_dict, edge_index_dict, batch_dict):
        raise NotImplementedError


def test_heterogeneous_graphs_are_not_explained_and_made_homogeneous_they_are():
    graphs = [heterogeneous(graph) for graph in random_graphs(10)]
    single = [graph.to_homogeneous() for graph in graphs]
    for message in (refused(OfDicts(), graphs), refused(OfDicts(), graphs[0]), refused(OfDicts(), single)):
        assert "graph.to_homogeneous()" in message
        assert "x, edge_index, node_type and edge_type" in message
    explained(OfTypes(), single)


class OfPairs(Nodes):
    def forward(self, data):
        raise NotImplementedError


class Pairs(Nodes):
    """Takes pairs that were joined apart again."""

    def forward(self, x, edge_index, is_second, batch):
        x, sums = self.conv(x, edge_index).relu(), []
        for side in (0, 1):
            own = is_second == side
            sums.append(global_add_pool(x[own], batch[own], int(batch.max()) + 1))
        return self.head(sums[0] * sums[1])


def test_pairs_of_graphs_are_not_explained_and_joined_they_are():
    firsts = random_graphs(10)
    pairs = list(zip(firsts, firsts[::-1], strict=True))
    data = [Data(x_s=a.x, edge_index_s=a.edge_index, x_t=b.x, edge_index_t=b.edge_index) for a, b in pairs]
    assert refused(OfPairs(), data).startswith(
        "graph 0 is several graphs (edge_index_s, edge_index_t) and no edge_index"
    )
    way = "join each pair into one graph: x and edge_index of both, the second's nodes numbered after the first's"
    for graphs in (data, pairs):
        assert way in refused(OfPairs(), graphs)
    joined = [
        Data(
            x=torch.cat([a.x, b.x]),
            edge_index=torch.cat([a.edge_index, b.edge_index + a.num_nodes], dim=1),
            is_second=torch.tensor([0] * a.num_nodes + [1] * b.num_nodes),
        )
        for a, b in pairs
    ]
    explained(Pairs(), joined)


# ---- TorchScript ----------------------------------------------------------------------------------------------------


@IGNORED
def test_a_scripted_model_is_explained_by_its_outputs():
    graphs, model = random_graphs(10), Scores()
    scripted = explained(torch.jit.script(model), graphs)
    assert any(note.startswith("no module of the model takes one vector a graph") for note in scripted.warnings)
    assert fitted(torch.jit.script(model), graphs).predictions_.tolist() == fitted(model, graphs).predictions_.tolist()


@IGNORED
def test_a_traced_model_that_knows_its_batch_is_refused():
    graphs, model = random_graphs(10), Scores()
    batch = Batch.from_data_list(graphs)
    message = refused(torch.jit.trace(model, (batch.x, batch.edge_index, batch.batch)), graphs)
    assert message.endswith("pass the module it was made from, or torch.jit.script of it")


# ---- real numbers ---------------------------------------------------------------------------------------------------


class Above(nn.Module):
    """What the message says to write."""

    def __init__(self, model, threshold, column=None):
        super().__init__()
        self.model, self.t, self.column = model, threshold, column

    def forward(self, x, edge_index, batch):
        output, t = self.model(x, edge_index, batch), self.t
        out = output.reshape(-1, 1) if self.column is None else output[:, [self.column]]
        return torch.cat([t - out, out - t], dim=1)


def labelled(*labels):
    graphs = random_graphs(len(labels))
    for graph, y in zip(graphs, labels, strict=True):
        graph.y = y
    return graphs


REAL = [0.7 * number - 2 for number in range(10)]


@pytest.mark.parametrize(
    "graphs",
    [labelled(*REAL), labelled(*map(torch.tensor, REAL)), labelled(*(float(number) for number in range(10)))],
    ids=["numbers", "tensors", "whole floats"],
)
def test_regression_is_not_explained_and_above_a_threshold_it_is(graphs):
    model = Scores(1)
    message = refused(model, graphs)
    assert "regression is not explained yet" in message
    assert "torch.cat([t - out, out - t], dim=1), two classes, with out = output.reshape(-1, 1)" in message
    outputs = GraphClassifier(model, return_type="raw").start(graphs, precision="model").classify(graphs)
    threshold = float(outputs.median())
    explainer = fitted(Above(model, threshold), graphs)
    assert explainer.predictions_.tolist() == (outputs[:, 0] > threshold).long().tolist()
    explained(Above(model, threshold), graphs)
    (stated,) = ways(message, model)
    assert explained(stated, graphs).provenance.about["task"] == "2 classes, by one column"


def test_regression_of_several_columns_is_not_taken_for_tasks():
    graphs, model = labelled(*(torch.tensor([[value, 1.5, 3.2]]) for value in REAL)), Scores(3)
    message = refused(model, graphs)
    assert "regression is not explained yet" in message
    assert "with out = output[:, [0]] or another column" in message
    explained(Above(model, 0.1, column=0), graphs)
    message = refused(GraphClassifier(model, task=1), graphs)
    assert "with out = output[:, [1]]" in message
    assert all(explained(way, graphs) for way in ways(message, model))


@pytest.mark.parametrize("labels", [(0.0, 1.0), (-1.0, 1.0), (0, 7, 3), (torch.tensor([0.0]), torch.nan)])
def test_whole_numbers_are_classes(labels):
    graphs = labelled(*labels * 4)
    assert explained(Scores(1), graphs).provenance.about["task"] == "2 classes, by one column"


# ---- what was found is said -----------------------------------------------------------------------------------------


def test_the_task_is_said_and_kept(tmp_path):
    graphs, model = random_graphs(10), Scores(12)
    for graph in graphs:
        del graph.y
    explanation = explained(model, graphs)
    line = "12 columns taken for classes, as no labels (y) say otherwise; if they are yes-or-no tasks"
    assert explanation.summary().splitlines()[0] == f"Task: {line}: GraphClassifier(model, task=0)."
    explanation.save(tmp_path / "explanation.json")
    assert pg.load(tmp_path / "explanation.json").summary() == explanation.summary()
    explanation.report(tmp_path / "report.html")
    assert line in (tmp_path / "report.html").read_text()
    (task,) = ways(explanation.provenance.about["task"], model)
    explanation = explained(task, graphs)
    assert explanation.summary().splitlines()[0] == "Task: column 0 of 12 tasks, yes or no."
    assert len(explanation.class_names) == 2


@pytest.mark.parametrize(
    ("model", "line"),
    [
        (Scores(2), "2 classes"),
        (Scores(3), "3 classes"),
        (Scores(1), "2 classes, by one column"),
        (GraphClassifier(Scores(1), task=0), "column 0 of 1 task, yes or no"),
    ],
)
def test_the_task_of_a_model(model, line):
    assert explained(model, random_graphs(10)).provenance.about["task"] == line


def test_classes_are_known_by_labels_or_by_the_user():
    assert task_line(12, None, are_classes=True) == "12 classes"
    graphs = random_graphs(10)
    for graph in graphs:
        del graph.y
    model = GraphClassifier(Scores(12), return_type="raw")
    assert fitted(model, graphs).embedded_.task == "12 classes"


def test_what_a_column_is_taken_for_is_said_with_its_task():
    graphs = random_graphs(10)
    with pytest.warns(pg.ProtographWarning, match="its|single output") as caught:
        PAGE().fit(GraphClassifier(AlwaysIn(), task=1), graphs)
    (message,) = [str(one.message) for one in caught if "single output" in str(one.message)]
    stated = ways(message, AlwaysIn())
    assert [(way.task, way.return_type) for way in stated] == [(1, "probs"), (1, "raw")]
    assert all(explained(way, graphs) for way in stated)


class AlwaysIn(Scores):
    """Raw columns that happen to lie in [0, 1]."""

    def forward(self, x, edge_index, batch):
        return super().forward(x, edge_index, batch).tanh().abs()
