"""Models as people may have them: those of the tests, some that take any features, and broken ones."""

from collections.abc import Callable
from random import Random
from typing import Any

import torch
from torch import nn
from torch_geometric.nn import GCNConv, global_add_pool

from tests import zoo

try:
    from tests.zoo_census import CENSUS
except ImportError:
    CENSUS = {}


class BrokenModelError(Exception):
    """What a user's own model raises."""


class AnyFeatures(nn.Module):
    """Takes features of any type and shape, or none: what the odder graphs are explained with."""

    def __init__(self):
        super().__init__()
        self.conv, self.head = GCNConv(3, 8), nn.Linear(8, 2)

    def nodes(self, x, edge_index, batch):
        """Embeddings of nodes."""
        if x is None or not x.numel():
            x = self.conv.lin.weight.new_ones(batch.numel(), 3)
        x = x.to(self.conv.lin.weight.dtype).reshape(len(x), -1)[:, :3]
        return self.conv(nn.functional.pad(x, (0, 3 - x.size(1))), edge_index.long()).relu()

    def score(self, x, edge_index, batch):
        """Scores of classes."""
        return self.head(global_add_pool(self.nodes(x, edge_index, batch), batch))

    def forward(self, x, edge_index, batch):
        """Called by names."""
        return self.score(x, edge_index, batch)


class AnyGraph(AnyFeatures):
    """Takes the whole batch."""

    def forward(self, data):
        """Called with the batch."""
        return self.score(data.x, data.edge_index, data.batch)


class ReadsExtra(AnyFeatures):
    """Takes an attribute that few graphs have."""

    def forward(self, x, edge_index, batch, extra=None):
        """Called by names."""
        return self.score(x, edge_index, batch)


class NeedsExtra(AnyFeatures):
    """Cannot do without an attribute that few graphs have."""

    def forward(self, x, edge_index, batch, extra):
        """Called by names."""
        return self.score(x, edge_index, batch)


class WritesIntoInput(AnyFeatures):
    """Changes what it is given."""

    def forward(self, data):
        """Called with the batch."""
        if data.x is not None and data.x.is_floating_point():
            data.x.mul_(0.5)
        data.edge_index.clamp_(min=0)
        return self.score(data.x, data.edge_index, data.batch)


class OneGraph(AnyFeatures):
    """Takes a single graph."""

    def forward(self, x, edge_index):
        """Called by names, without a batch."""
        return self.head(self.conv(x, edge_index).sum(0, keepdim=True))


class Broken(AnyFeatures):
    """Does something to its scores that nobody should."""

    def __init__(self, wrong: Callable[..., Any]):
        super().__init__()
        self.wrong = wrong
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x, edge_index, batch):
        """Called by names."""
        return self.wrong(self, self.score(x, edge_index, batch), x, edge_index, batch)


def raises(model, scores, x, edge_index, batch):
    raise BrokenModelError("no")


def raises_on_small(model, scores, x, edge_index, batch):
    if int(torch.bincount(batch).min()) < 4:
        raise BrokenModelError("graphs must have four nodes")
    return scores


def raises_on_many(model, scores, x, edge_index, batch):
    if len(scores) > 8:
        raise BrokenModelError("too many graphs")
    return scores


def changes_buffer(model, scores, x, edge_index, batch):
    model.calls += 1
    return scores


def reads_out_by_hand(model, scores, x, edge_index, batch):
    nodes = model.nodes(x, edge_index, batch)
    return model.head(torch.stack([nodes[batch == graph].sum(0) for graph in range(int(batch.max()) + 1)]))


def not_a_number_on_small(model, scores, x, edge_index, batch):
    return scores.masked_fill((torch.bincount(batch) < 4)[:, None], torch.nan)


BROKEN = {
    "raises": raises,
    "raises on small graphs": raises_on_small,
    "raises on many graphs": raises_on_many,
    "NaN": lambda model, scores, x, edges, batch: scores * torch.nan,
    "NaN for small graphs": not_a_number_on_small,
    "a row a node": lambda model, scores, x, edges, batch: scores[batch],
    "three dimensions": lambda model, scores, x, edges, batch: scores[:, None],
    "one number": lambda model, scores, x, edges, batch: scores.sum(),
    "no tensor": lambda model, scores, x, edges, batch: "class 1",
    "tuple": lambda model, scores, x, edges, batch: (scores, x),
    "other class counts": lambda model, scores, x, edges, batch: scores.repeat(1, len(scores)),
    "integers": lambda model, scores, x, edges, batch: scores.argmax(1),
    "complex": lambda model, scores, x, edges, batch: scores * 1j,
    "constant": lambda model, scores, x, edges, batch: torch.zeros(len(scores), 2),
    "random": lambda model, scores, x, edges, batch: scores + torch.randn_like(scores),
    "one class": lambda model, scores, x, edges, batch: scores * 0 + torch.tensor([3.0, -3.0]),
    "changes a buffer": changes_buffer,
    "reads out by hand": reads_out_by_hand,
}
GOOD = (AnyFeatures, AnyGraph, ReadsExtra, NeedsExtra, WritesIntoInput)


def balanced(model: Any) -> Any:
    """The model with a head such that classes differ: moved by the median of some scores."""
    graphs = zoo.random_graphs(12)
    batches = [torch.zeros(len(graph.x), dtype=torch.long) for graph in graphs]
    scores = [model.score(graph.x, graph.edge_index, batch) for graph, batch in zip(graphs, batches, strict=True)]
    with torch.no_grad():
        model.head.bias -= torch.cat(scores).median(dim=0).values
    return model.eval()


def odd_model(rng: Random) -> tuple[nn.Module, str]:
    """A model of the tests, one that takes any features, or a broken one, and what it is called."""
    torch.manual_seed(rng.randrange(1000))
    kind = rng.choices(["zoo", "any", "broken", "single", "lazy", "half", "training"], [35, 35, 20, 1, 2, 4, 3])[0]
    if kind == "zoo":
        return _from_zoo(rng)
    if kind == "any":
        made = rng.choice(GOOD)
        return balanced(made()), made.__name__
    if kind == "broken":
        name = rng.choice(list(BROKEN))
        return balanced(Broken(BROKEN[name])), name
    if kind == "single":
        return balanced(OneGraph()), kind
    if kind == "training":
        return balanced(AnyGraph()).train(), kind
    model = balanced(AnyFeatures())
    if kind == "lazy":
        model.conv = GCNConv(-1, 8)
        return model, kind
    type_ = rng.choice([torch.float16, torch.bfloat16])
    return model.to(type_), str(type_)


def _from_zoo(rng: Random) -> tuple[nn.Module, str]:
    if CENSUS and rng.random() < 0.5:
        name = rng.choice(list(CENSUS))
        return CENSUS[name].build(), name
    conv, pool = rng.choice(["gcn", "gin", "gat", "sage", "gine"]), rng.choice(list(zoo.POOLS))
    kinds = [zoo.Net] if conv == "gine" else [zoo.Net, zoo.TakesData, zoo.TakesDataCalledBatch, zoo.OtherNames]
    kind = rng.choice(kinds)
    options = {
        "output": rng.choice(["raw", "raw", "probs", "log_probs"]),
        "num_classes": rng.choice([2, 2, 3]),
        "norm": rng.random() < 0.2,
    }
    if options["output"] == "probs" and rng.random() < 0.3:
        options["num_classes"] = 1
    model = zoo.make(rng.randrange(5), kind, conv=conv, pool=pool, **options)
    return model, f"{kind.__name__} {conv} {pool} {options}"
