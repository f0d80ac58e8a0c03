import math

import pytest
import torch
from torch import nn
from torch_geometric.nn import GCNConv, global_add_pool, global_max_pool, global_mean_pool

from protograph import GraphClassifier
from protograph._utils.errors import ProtographWarning
from protograph.graphs.subgraph import induced_subgraph
from protograph.metrics.judging import graphs_of, judge, margin_share, share_of_margin
from protograph.models.outputs import margins
from tests import zoo
from tests.metrics.by_hand import POOLS, Linear, explanation, graph, is_as_found, of_probability, prototype, state_of

A, B = graph([1, 0]), graph([0, 1])


def test_probabilities_and_margins_by_hand():
    judged = judge(of_probability(0.8, 0.25), [A, B], target=1)
    assert judged.probabilities.tolist() == pytest.approx([0.8, 0.25], abs=1e-7)
    assert judged.margins.tolist() == pytest.approx([math.log(4), -math.log(3)], abs=1e-6)
    assert judged.probability == pytest.approx(0.525)
    assert judged.margin == pytest.approx(math.log(0.525 / 0.475), abs=1e-6)
    assert judge(of_probability(0.8, 0.25), [A, B], target=0).probabilities.tolist() == pytest.approx([0.2, 0.75])


def test_reference_graphs_decide_what_the_output_is():
    # One logit, 0.5 for the prototype: a probability, if there were nothing else to go by.
    model, few = Linear([[0.5, 7.0]]), [A]
    assert judge(model, few, 1, reference_graphs=[B]).probabilities[0] == pytest.approx(1 / (1 + math.exp(-0.5)))
    with pytest.warns(ProtographWarning, match=r"^the model's single output lies in \[0, 1\] for all 1 graphs"):
        assert judge(model, few, 1).probabilities[0] == pytest.approx(0.5)
    assert judge(model, few, 1, return_type="raw").return_type == "raw"
    assert judge(GraphClassifier(model, return_type="raw"), few, 1).return_type == "raw"


def test_everything_is_left_as_found():
    model = zoo.make().train()
    before = state_of(model)
    judge(model, zoo.random_graphs(4), 1)
    assert is_as_found(model, before)


def test_errors_of_judge():
    model = of_probability(0.8, 0.25)
    with pytest.raises(ValueError, match=r"^target must be in \[0, 2\), got 2;"):
        judge(model, [A], 2)
    with pytest.raises(TypeError, match=r"^target must be a whole number.*got 'b'$"):
        judge(model, [A], "b")
    with pytest.raises(ValueError, match=r"^graphs is empty; pass at least one graph or prototype$"):
        judge(model, [], 1)
    with pytest.raises(TypeError, match=r"got int$"):
        graphs_of([3])
    with pytest.raises(ValueError, match=r"^the model's output for graph 1, of one node, is NaN or infinite"):
        judge(model, [A, graph([0, math.nan])], 1)
    with pytest.raises(ValueError, match=r"^return_type='probs' wants outputs in \[0, 1\], got -1.099 to 0;"):
        judge(model, [B], 1, return_type="probs")
    assert torch.get_default_dtype() == torch.float32


# Margin of class 1: 3 a - b + 5. Nodes contribute 3, -2, 5 to the sum of 6.
SOURCE = graph([1, 0], [0, 2], [2, 1])
WEIGHT, BIAS = [[0.0, 0.0], [3.0, -1.0]], [0.0, 5.0]


def share(nodes, model, source=SOURCE, target=None):
    one = prototype(induced_subgraph(source, nodes), source=7, nodes=nodes)
    return margin_share(one, explanation([one], source_graphs={7: source}), model, target)


@pytest.mark.parametrize("pool", ["add", "mean", "SumAggregation", "MeanAggregation"])
@pytest.mark.parametrize(("nodes", "expected"), [([0], 1 / 2), ([1], -1 / 3), ([2, 0], 8 / 6), ([0, 1, 2], 1.0)])
def test_share_of_a_linear_head_by_hand(pool, nodes, expected):
    model = Linear(WEIGHT, BIAS, POOLS[pool])
    assert share(nodes, model) == pytest.approx(expected, abs=1e-9)
    assert math.isnan(share(nodes, model, target=0))  # its margin is lowered by as much


class Head(nn.Module):
    """A head with a kink behind any readout of one layer of messages; a norm over batch goes before it."""

    def __init__(self, readout):
        super().__init__()
        self.conv = GCNConv(3, 4)
        self.head = nn.Sequential(nn.Linear(4 * 3 if readout == "all" else 4, 4), nn.Tanh(), nn.Linear(4, 2))
        self.readout = readout

    def embed(self, x, edge_index, batch):
        x = self.conv(x, edge_index)
        return x - 0.5 * global_mean_pool(x, batch)[batch]

    def forward(self, x, edge_index, batch):
        x = self.embed(x, edge_index, batch)
        if self.readout == "all":
            pools = (global_mean_pool, global_max_pool, global_add_pool)
            return self.head(torch.cat([pool(x, batch) for pool in pools], dim=1))
        if self.readout == "by hand":
            counts = torch.zeros(int(batch.max()) + 1, dtype=x.dtype).index_add(0, batch, torch.ones_like(x[:, 0]))
            return self.head(torch.zeros(counts.numel(), 4, dtype=x.dtype).index_add(0, batch, x) / counts[:, None])
        size, index = int(batch.max()) + 1, batch[:, None].expand_as(x)
        pooled = x.new_zeros(size, 4).scatter_reduce(0, index, x, reduce=self.readout, include_self=False)
        return self.head(pooled)


def pooled_by_hand(readout, nodes, keep):
    kept = nodes[keep]
    total, largest = kept.sum(0), kept.amax(0) if len(kept) else torch.zeros(4, dtype=nodes.dtype)
    mean = total / len(nodes)
    return {"all": torch.cat([mean, largest, total]), "amax": largest, "sum": total}.get(readout, mean)


@pytest.mark.parametrize("readout", ["all", "by hand", "amax", "sum", "mean"])
def test_any_head_and_readout_as_written_out(readout):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        model = Head(readout).eval()
    source, chosen = zoo.random_graph(4), [1, 4, 5]
    found = {target: share(chosen, model, source, target) for target in (0, 1)}
    twin = model.double()
    nodes = twin.embed(source.x.double(), source.edge_index, torch.zeros(7, dtype=torch.long)).detach()
    rest = [v for v in range(7) if v not in chosen]
    logits = torch.stack([twin.head(pooled_by_hand(readout, nodes, keep)) for keep in (list(range(7)), rest, [])])
    whole, without, none = margins(logits.detach(), 1).tolist()
    raised = int(whole > none)
    assert found[raised] == pytest.approx((whole - without) / (whole - none), rel=1e-5)
    assert math.isnan(found[1 - raised])


@pytest.mark.parametrize(
    ("figures", "share"),
    [
        ((6.0, 1.0, 0.0), 5 / 6),
        ((6.0, 7.0, 0.0), -1 / 6),
        ((2.0, 6.0, 0.0), -2.0),  # a fifth of 4 + 6 is left
        ((2.0, -4.0, 0.0), 3.0),
        ((1.9, 6.0, 0.0), math.nan),
        ((-0.1, 5.0, 0.0), math.nan),
        ((3.0, 1.0, 3.0), math.nan),
    ],
)
def test_a_share_is_of_a_margin_that_is_there(figures, share):
    assert share_of_margin(*figures) == pytest.approx(share, nan_ok=True)


def test_errors_of_margin_share():
    model, made = Linear(WEIGHT, BIAS), prototype(SOURCE)
    with pytest.raises(ValueError, match=r"^prototype must be cut from a graph, got one without source and nodes"):
        margin_share(made, explanation([made]), model)
    stray = prototype(induced_subgraph(SOURCE, [0]), source=3, nodes=[0])
    with pytest.raises(ValueError, match=r"whose source graphs are \[7\], got one cut from graph 3$"):
        margin_share(stray, explanation([], source_graphs={7: SOURCE}), model)
    named = GraphClassifier(zoo.make(), node_embeddings="conv2", graph_embeddings="head")
    with pytest.raises(ValueError, match=r"^all nodes of a graph would be left out of it, and a model classifies no"):
        share([0], named, zoo.random_graph(2))
