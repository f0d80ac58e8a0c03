"""Every model of the zoo: how it is built, the graphs it takes, and what is said of it or has to be said to it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
import torch_geometric.nn as gnn
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import aggr, global_add_pool, global_max_pool, global_mean_pool

from protograph.models.readout import LEFT_OUT_NOTE, OUTPUT_NOTE, POOLED_NOTE
from tests import zoo, zoo_designs, zoo_flat, zoo_inputs, zoo_outputs, zoo_pooling

NUM_GRAPHS = 10


def with_edges():
    return zoo.random_graphs(NUM_GRAPHS, edge_dim=2)


@dataclass(frozen=True)
class Entry:
    """A model of the zoo.

    Attributes:
        build: Makes it.
        graphs: Makes graphs that it takes.
        note: What an explanation says of how its embeddings were had; empty for a plain readout.
        refusal: How the message begins where something must be said first; empty where nothing must.
        relation: How graph embeddings follow from node embeddings: ``"sum"``, ``"mean"``, ``"max"``; else empty.
        is_double: Whether it runs in double precision.
    """

    build: Callable[[], nn.Module]
    graphs: Callable[[], Sequence[Data]] = with_edges
    note: str = ""
    refusal: str = ""
    relation: str = ""
    is_double: bool = True


def flat():
    """Every convolution with a sum, and every other readout with a convolution that reads edges."""
    for conv in zoo_flat.CONVS:
        yield f"{conv}, sum", Entry(lambda conv=conv: zoo_flat.Flat(conv), relation="sum")
    relations = {"mean": "mean", "max": "max"}
    for readout in list(zoo_flat.READOUTS)[1:]:
        yield f"gine, {readout}", Entry(lambda r=readout: zoo_flat.Flat("gine", r), relation=relations.get(readout, ""))
    yield "residual", Entry(lambda: zoo_flat.Flat("gin", residual=True), relation="sum")
    yield "graph norm", Entry(lambda: zoo_flat.Flat("gcn", "mean", norm=True), relation="mean")


def layers():
    for how in ("heads", "cat", "mean"):
        for relation, pool in (("sum", global_add_pool), ("mean", global_mean_pool), ("max", global_max_pool)):
            entry = Entry(lambda h=how, p=pool: zoo_flat.Layerwise(h, p), relation=relation)
            yield f"a readout a layer, {how} of {relation}", entry
    for mode in ("cat", "max", "lstm"):
        yield f"jumping knowledge, {mode}", Entry(lambda m=mode: zoo_flat.Jumping(m), relation="sum")
    yield "virtual node", Entry(zoo_flat.VirtualNode, relation="sum")
    yield "virtual node as a row", Entry(lambda: zoo_flat.VirtualNode(as_row=True))


def pooling():
    for kind in ("topk", "sag", "asa", "edge"):
        yield f"{kind}, every layer", Entry(lambda k=kind: zoo_pooling.Hierarchical(k), note=POOLED_NOTE)
        # Which of two equal edges EdgePooling merges first depends on the other graphs of a batch.
        relation = "" if kind == "edge" else "sum"
        entry = Entry(
            lambda k=kind: zoo_pooling.Hierarchical(k, False, global_add_pool), note=POOLED_NOTE, relation=relation
        )
        yield f"{kind}, last layer", entry
    yield "topk, attention", Entry(zoo_pooling.TopKThenAttention, note=POOLED_NOTE)
    refusal = "cannot tell the readout of Dense: no reduction over nodes was seen that the output depends on; say which"
    for kind in ("diffpool", "mincut", "dmon"):
        yield kind, Entry(lambda k=kind: zoo_pooling.Dense(k), note=LEFT_OUT_NOTE, refusal=refusal)
        yield f"{kind}, one head", Entry(lambda k=kind: zoo_pooling.Dense(k, two_heads=False), note=LEFT_OUT_NOTE)
    yield "memory pooling", Entry(zoo_pooling.Memory, note=LEFT_OUT_NOTE)
    yield "attention over padded graphs", Entry(zoo_pooling.DenseAttention, note=LEFT_OUT_NOTE)
    refusal = refusal.replace("Dense", "ByMatrix")
    yield "readout by a matrix", Entry(zoo_pooling.ByMatrix, note=LEFT_OUT_NOTE, refusal=refusal)
    functional = Entry(lambda: zoo_pooling.ByMatrix(functional=True), note=f"{OUTPUT_NOTE}; {LEFT_OUT_NOTE}")
    yield "no module behind the readout", functional
    yield "readout of edges", Entry(zoo_pooling.OfEdges, note=LEFT_OUT_NOTE)


def inputs():
    def placed():
        return zoo_inputs.placed(NUM_GRAPHS)

    def numbers():
        return zoo_inputs.kinds_as_numbers(NUM_GRAPHS)

    yield "embedding", Entry(zoo_inputs.Embeds, numbers, relation="sum")
    yield "kinds of edges spread inside", Entry(zoo_inputs.AttentionAlone, numbers, relation="sum")
    yield "graph transformer with encodings", Entry(zoo_inputs.Transformer, placed, relation="sum")
    yield "positions", Entry(zoo_inputs.Positions, placed, relation="max")
    yield "edge weights", Entry(zoo_inputs.EdgeWeights, placed, relation="mean")
    for readout, relation in (("mean", "mean"), ("sum", "sum"), ("max", "max"), ("zeros", "sum"), ("attention", "")):
        yield f"one graph, {readout}", Entry(lambda r=readout: zoo_inputs.OneGraph(r), relation=relation)
    yield "one graph, its first node", Entry(lambda: zoo_inputs.OneGraph("first"), note=LEFT_OUT_NOTE)
    yield "one graph of data", Entry(zoo_inputs.OneGraphOfData, relation="sum")


def outputs():
    def labelled():
        return zoo_outputs.labelled_for_tasks(NUM_GRAPHS)

    refusal = (
        "the model returns 12 columns and y has 12 values, so its columns are 12 tasks rather than one class of 12"
    )
    yield "twelve tasks", Entry(lambda: zoo_outputs.Answers(12), labelled, refusal=refusal, relation="sum")
    sigmoids = refusal.replace("12 columns and y has 12 values", "several sigmoids")
    yield "twelve sigmoids", Entry(lambda: zoo_outputs.Answers(12, torch.sigmoid), refusal=sigmoids, relation="sum")
    yield "one sigmoid", Entry(lambda: zoo_outputs.Answers(1, torch.sigmoid), relation="sum")
    yield "log probabilities", Entry(lambda: zoo_outputs.Answers(3, lambda x: x.log_softmax(1)), relation="sum")
    yield "half precision", Entry(lambda: zoo_outputs.Answers().half(), relation="sum")
    yield "bfloat16", Entry(lambda: zoo_outputs.Answers().bfloat16(), relation="sum")
    yield "compiled", Entry(lambda: torch.compile(zoo_outputs.Answers(), backend="eager"), relation="sum")
    yield "a scripted part", Entry(zoo_outputs.HasScriptedPart, relation="sum")
    yield "parallel", Entry(lambda: nn.DataParallel(zoo_outputs.Answers()), relation="sum")


def convolved(conv):
    return lambda: zoo_designs.Convolved(conv())


def aggregated(pool, times=1):
    return lambda: zoo_designs.Aggregated(pool(), times)


def named(make):
    return lambda: zoo_designs.Named(make)


def more_layers():
    width, designs = zoo_designs.WIDTH, zoo_designs
    inner = [(zoo.mlp(3, width), "x -> x"), (gnn.APPNP(3, 0.1), "x, edge_index -> x")]
    convs = {
        "gated recurrent": lambda: gnn.GatedGraphConv(width, 2),
        "learned softmax of messages": lambda: gnn.GENConv(3, width, aggr="softmax", learn_t=True),
        "edge convolution": lambda: gnn.EdgeConv(zoo.mlp(6, width), aggr="max"),
        "propagation after a perceptron": lambda: gnn.Sequential("x, edge_index", inner),
        "attention of one's own": designs.OwnAttention,
        "a sparse matrix": designs.Sparse,
        "a model of PyG": lambda: gnn.GIN(3, width, 3, width, jk="lstm", norm="batch_norm", act="elu"),
    }
    for name, conv in convs.items():
        yield name, Entry(convolved(conv), relation="sum")
    yield "u-net", Entry(designs.UNet, relation="sum")
    yield "initial residual", Entry(designs.InitialResidual, relation="sum")
    yield "elements and places", Entry(designs.SchNetLike, lambda: designs.atoms(NUM_GRAPHS), relation="sum")
    yield "places that move", Entry(designs.Equivariant, lambda: designs.atoms(NUM_GRAPHS), relation="mean")
    yield "relations", Entry(designs.Relational, lambda: designs.typed(NUM_GRAPHS), relation="sum")
    yield "features of a whole graph", Entry(designs.Meta, lambda: designs.typed(NUM_GRAPHS), relation="mean")
    yield "molecules", Entry(designs.Molecular, note=LEFT_OUT_NOTE)
    both = convolved(lambda: gnn.DirGNNConv(gnn.SAGEConv(3, width)))
    yield "both directions", Entry(both, lambda: designs.directed(NUM_GRAPHS), relation="sum")
    yield "kinds without columns", Entry(designs.Kinds, lambda: designs.numbers(NUM_GRAPHS), relation="sum")


def more_readouts():
    width, designs = zoo_designs.WIDTH, zoo_designs
    yield "a set transformer", Entry(aggregated(lambda: aggr.SetTransformerAggregation(width, heads=2)))
    yield "recurrent over nodes", Entry(aggregated(lambda: aggr.GRUAggregation(width, width)))
    yield "quantiles", Entry(aggregated(lambda: aggr.QuantileAggregation([0.25, 0.75]), 2))
    deep = aggregated(lambda: aggr.DeepSetsAggregation(zoo.mlp(width, width), zoo.mlp(width, width)))
    yield "deep sets", Entry(deep)
    gated = aggregated(lambda: aggr.AttentionalAggregation(zoo.mlp(width, 1), nn.Linear(width, width)))
    yield "attention with values", Entry(gated)
    yield "a mean of powers", Entry(aggregated(lambda: aggr.PowerMeanAggregation(learn=True)))
    yield "a loop over graphs", Entry(designs.OneByOne, note=f"{OUTPUT_NOTE}; {LEFT_OUT_NOTE}")
    yield "a batch taken apart", Entry(designs.Apart, note=LEFT_OUT_NOTE)
    yield "segments", Entry(designs.BySegments, note=LEFT_OUT_NOTE)
    yield "a token", Entry(designs.Token, note=LEFT_OUT_NOTE)
    yield "votes of nodes", Entry(designs.Votes, relation="mean")
    yield "two branches", Entry(designs.TwoBranches)
    yield "ensemble", Entry(designs.Ensemble, relation="sum")
    yield "nearest class vector", Entry(designs.Nearest, relation="mean")


def calls():
    designs = zoo_designs
    yield "keyword-only", Entry(designs.ByKeyword, relation="sum")
    yield "all optional", Entry(designs.AllOptional, relation="sum")
    yield "writes into its data", Entry(designs.Writes, relation="sum")
    yield "checkpointed", Entry(designs.Checkpointed, relation="sum")
    yield "inference mode", Entry(designs.NoGradients, relation="sum")
    yield "remembers its last call", Entry(designs.remembering, relation="sum")
    yield "lightning", Entry(designs.Lightning, is_double=False)  # it holds a lock, and cannot be copied
    logits = named(lambda scores, nodes, pooled: designs.Output(scores, nodes, scores.new_zeros(())))
    yield "a named tuple", Entry(logits, relation="sum")
    yield "a mapping", Entry(named(lambda scores, nodes, pooled: {"embedding": pooled, "out": scores}), relation="sum")
    yield "nodes beside scores", Entry(named(lambda scores, nodes, pooled: [nodes, scores]), relation="sum")
    yield "one sigmoid, no column", Entry(named(lambda scores, *_: scores.sigmoid()[:, 0]), relation="sum")
    yield "sequential", Entry(designs.sequential, relation="mean")
    yield "lazy but run", Entry(designs.lazy_but_run, relation="sum")
    yield "weight-normed", Entry(designs.weight_normed, relation="sum")
    yield "weight-normed by hooks", Entry(designs.weight_normed_by_hooks, relation="sum")
    yield "quantised", Entry(designs.quantised, is_double=False)
    yield "pruned", Entry(designs.pruned, relation="sum")
    yield "averaged weights", Entry(designs.swag, relation="sum")
    yield "double precision", Entry(lambda: designs.Convolved().double(), relation="sum")
    yield "scripted", Entry(designs.scripted, note=f"{OUTPUT_NOTE}; {LEFT_OUT_NOTE}")


PARTS = (flat, layers, pooling, inputs, outputs, more_layers, more_readouts, calls)
CENSUS = {name: entry for part in PARTS for name, entry in part()}
