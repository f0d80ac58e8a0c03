import copy

import pytest
import torch
from torch_geometric.data import Batch
from torch_geometric.nn import global_add_pool, global_max_pool, global_mean_pool

from protograph import GraphClassifier
from protograph.graphs.subgraph import induced_subgraph
from tests import zoo, zoo_flat, zoo_inputs, zoo_outputs, zoo_pooling

GRAPHS = zoo.random_graphs(10)
SIZES = [graph.num_nodes for graph in GRAPHS]
# PyTorch's own, of the sparse matrices in ASAPooling.
pytestmark = pytest.mark.filterwarnings("ignore:Sparse (invariant|CSR)")
BATCH = torch.repeat_interleave(torch.tensor(SIZES))
CLOSE = {"rtol": 1e-9, "atol": 1e-12}


def built(kind, *args, **options):
    torch.manual_seed(0)
    return kind(*args, **options).eval()


def started(model, graphs=GRAPHS, **options):
    return GraphClassifier(model, **options).start(graphs)


def pooled(rows, reduce):
    """Rows of nodes brought to graphs by a plain loop."""
    parts = [rows[graph == BATCH] for graph in range(len(GRAPHS))]
    return torch.stack([{"sum": part.sum(0), "mean": part.mean(0), "max": part.amax(0)}[reduce] for part in parts])


# ---- a readout after every layer ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "reduce", "pool"),
    [("heads", "sum", global_add_pool), ("cat", "mean", global_mean_pool), ("mean", "max", global_max_pool)],
)
def test_layers_that_are_read_out_stand_side_by_side(how, reduce, pool):
    model = built(zoo_flat.Layerwise, how, pool)
    running = started(model)
    result = running.embed(GRAPHS, nodes=True)
    together = Batch.from_data_list(GRAPHS)
    with torch.no_grad():
        states = torch.cat(copy.deepcopy(model).double().states(together.x.double(), together.edge_index), dim=1)
    torch.testing.assert_close(result.node_embeddings, states, **CLOSE)
    torch.testing.assert_close(result.graph_embeddings, pooled(states, reduce), **CLOSE)
    assert running.readout.note == ""


def test_a_layer_that_writes_over_the_one_before_does_not_change_what_was_read():
    model = built(zoo_flat.Layerwise, "heads", in_place=True)
    result = started(model).embed(GRAPHS, nodes=True)
    torch.testing.assert_close(pooled(result.node_embeddings, "sum"), result.graph_embeddings, **CLOSE)
    heads = copy.deepcopy(model).double().heads
    with torch.no_grad():
        outputs = sum(head(part) for head, part in zip(heads, result.graph_embeddings.split(8, dim=1), strict=True))
    torch.testing.assert_close(outputs, result.outputs, **CLOSE)


@pytest.mark.parametrize("how", ["heads", "cat", "mean"])
def test_nodes_are_left_out_of_every_layer_s_readout(how):
    model = built(zoo_flat.Layerwise, how)
    running = started(model)
    nodes = running.embed(GRAPHS, nodes=True).node_embeddings
    keep = torch.arange(len(nodes)) % 3 != 0
    parts = pooled(nodes * keep.unsqueeze(1), "sum").split(8, dim=1)
    twin = copy.deepcopy(model).double()
    with torch.no_grad():
        if how == "heads":
            expected = sum(head(part) for head, part in zip(twin.heads, parts, strict=True))
        else:
            expected = twin.head(torch.cat(parts, dim=1) if how == "cat" else sum(parts) / 3)
    torch.testing.assert_close(running.classify_without(GRAPHS, keep), expected, **CLOSE)


# ---- hierarchical pooling -------------------------------------------------------------------------------------------


def by_hand(running):
    """The states that were read out, put back to nodes by following what each pooling has kept, one node at a time."""
    running.classify(GRAPHS)
    columns, nodes = [], list(range(sum(SIZES)))
    for perm, states in zip(running.model.kept, running.model.states, strict=True):
        nodes = [nodes[row] for row in perm.tolist()]
        column = torch.zeros(sum(SIZES), states.size(1), dtype=torch.float64)
        for row, node in enumerate(nodes):
            column[node] = states[row]
        columns.append(column)
    return columns


@pytest.mark.parametrize("pooling", ["topk", "sag", "asa"])
@pytest.mark.parametrize("every_layer", [True, False])
def test_nodes_that_are_left_are_mapped_back(pooling, every_layer):
    running = started(built(zoo_pooling.Hierarchical, pooling, every_layer, global_add_pool))
    result = running.embed(GRAPHS, nodes=True)
    columns = by_hand(running)
    expected = torch.cat(columns if every_layer else columns[-1:], dim=1)
    torch.testing.assert_close(result.node_embeddings, expected, **CLOSE)
    torch.testing.assert_close(result.graph_embeddings, pooled(expected, "sum"), **CLOSE)
    assert running.readout.note.startswith("the model leaves nodes out on the way")


def test_a_mean_is_over_those_that_are_left():
    running = started(built(zoo_pooling.Hierarchical, "topk"))
    result = running.embed(GRAPHS, nodes=True)
    kept = [torch.bincount(BATCH[nodes], minlength=10) for nodes in followed(running)]
    means = pooled(result.node_embeddings, "sum") / torch.stack(kept, dim=1).repeat_interleave(8, dim=1)
    torch.testing.assert_close(means, result.graph_embeddings, **CLOSE)


def followed(running):
    """The nodes that are left after each pooling of the latest call."""
    nodes = torch.arange(sum(SIZES))
    for perm in running.model.kept:
        nodes = nodes[perm]
        yield nodes


@pytest.mark.parametrize("readout", [global_add_pool, global_mean_pool, global_max_pool])
def test_leaving_out_of_what_is_left(readout):
    running = started(built(zoo_pooling.Hierarchical, "topk", readout=readout))
    generator = torch.Generator().manual_seed(1)
    keep = torch.rand(sum(SIZES), generator=generator) < 0.7
    found = running.classify_without(GRAPHS, keep)
    running.embed(GRAPHS)
    parts = []
    for nodes, states in zip(followed(running), running.model.states, strict=True):
        of_graph, left = BATCH[nodes], keep[nodes]
        rows = []
        for graph in range(len(GRAPHS)):
            own, staying = states[of_graph == graph], states[(of_graph == graph) & left]
            if readout is global_max_pool:
                rows.append(staying.amax(0) if len(staying) else torch.zeros(8, dtype=torch.float64))
            else:
                rows.append(staying.sum(0) / (len(own) if readout is global_mean_pool else 1))
        parts.append(torch.stack(rows))
    with torch.no_grad():
        expected = running.model.head(torch.cat(parts, dim=1))
    torch.testing.assert_close(found, expected, **CLOSE)


def test_nodes_that_were_merged_share_what_is_read_out_of_them():
    running = started(built(zoo_pooling.Hierarchical, "edge", readout=global_add_pool))
    result = running.embed(GRAPHS, nodes=True)
    torch.testing.assert_close(pooled(result.node_embeddings, "sum"), result.graph_embeddings, **CLOSE)
    assert running.readout.is_pooled


# ---- leaving nodes out of graphs ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (lambda: zoo_pooling.Dense("diffpool"), {"graph_embeddings": "lin1"}),
        (lambda: zoo_pooling.Dense("mincut"), {"graph_embeddings": "lin1"}),
        (zoo_pooling.Memory, {}),
        (lambda: zoo_pooling.ByMatrix(functional=True), {}),
    ],
    ids=["diffpool", "mincut", "memory", "functional"],
)
def test_a_node_s_embedding_is_what_its_graph_s_loses_without_it(kind, options):
    running = started(built(kind), **options)
    graphs = GRAPHS[:3]
    whole = running.embed(graphs, nodes=True)
    expected = []
    for graph, own in zip(graphs, whole.graph_embeddings, strict=True):
        for node in range(graph.num_nodes):
            rest = induced_subgraph(graph, [other for other in range(graph.num_nodes) if other != node])
            expected.append(own - running.embed([rest]).graph_embeddings[0])
    torch.testing.assert_close(whole.node_embeddings, torch.stack(expected), **CLOSE)


def test_nodes_are_left_out_of_the_graph_where_nobody_knows_the_readout():
    running = started(built(zoo_pooling.Memory))
    keep = torch.arange(sum(SIZES)) % 2 == 0
    parts = [
        induced_subgraph(graph, own.nonzero().flatten().tolist())
        for graph, own in zip(GRAPHS, keep.split(SIZES), strict=True)
    ]
    torch.testing.assert_close(running.classify_without(GRAPHS, keep), running.classify(parts), **CLOSE)
    with pytest.raises(ValueError, match=r"^all nodes of a graph would be left out of it, and a model classifies no"):
        running.classify_without(GRAPHS[:1], torch.zeros(SIZES[0], dtype=torch.bool))


# ---- one graph at a time --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("readout", "reduce"), [("mean", "mean"), ("sum", "sum"), ("max", "max"), ("zeros", "sum"), ("none", "mean")]
)
def test_a_model_of_one_graph_is_called_graph_by_graph(readout, reduce):
    model = built(zoo_inputs.OneGraph, readout)
    running = started(model)
    result = running.embed(GRAPHS, nodes=True)
    with torch.no_grad():
        outputs = torch.stack([model(graph.x, graph.edge_index).flatten() for graph in GRAPHS])
    torch.testing.assert_close(result.outputs, outputs.double(), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(pooled(result.node_embeddings, reduce), result.graph_embeddings, **CLOSE)
    keep = torch.arange(sum(SIZES)) % 3 != 1
    left = result.node_embeddings[keep]
    if reduce == "max":
        owners = BATCH[keep]
        parts = torch.stack([left[owners == graph].amax(0) for graph in range(len(GRAPHS))])
    else:
        parts = pooled(result.node_embeddings * keep.unsqueeze(1), reduce)
    with torch.no_grad():
        expected = running.model.head(parts)
    torch.testing.assert_close(running.classify_without(GRAPHS, keep), expected, **CLOSE)


# ---- what comes out -------------------------------------------------------------------------------------------------


def test_a_task_is_a_column_and_must_be_there():
    model, graphs = built(zoo_outputs.Answers, 12), zoo_outputs.labelled_for_tasks(10)
    everything = GraphClassifier(model, return_type="raw").start(graphs).classify(graphs)
    assert torch.equal(started(model, graphs, task=3).classify(graphs), everything[:, 3:4])
    with pytest.raises(ValueError, match=r"^task must be in \[0, 12\), a column of the model's output, got 12$"):
        started(model, graphs, task=12)


@pytest.mark.parametrize("task", [-1, True, 1.5, "3"])
def test_a_task_is_a_whole_number(task):
    with pytest.raises(ValueError, match=r"^task must be the number of a column of the model's output, from 0, got "):
        GraphClassifier(zoo.make(), task=task)


def test_the_columns_must_stay_the_same():
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        started(built(zoo_outputs.Varying)).classify(GRAPHS[:3])
    assert str(caught.value) == (
        "the model must return the same classes for all graphs, got 1 columns, and 8 before; let the size of its last "
        "layer not depend on the graphs"
    )
