"""Models as people may have them: those of the tests, some that take any features, and broken ones."""

from random import Random

import torch
from torch import nn
from torch_geometric.nn import GCNConv, global_add_pool

from tests import zoo


class BrokenModelError(Exception):
    """What a user's own model raises."""


class AnyFeatures(nn.Module):
    """Takes features of any type and shape, or none: what the odder graphs are explained with."""

    def __init__(self):
        super().__init__()
        self.conv, self.head = GCNConv(3, 8), nn.Linear(8, 2)

    def features(self, x, batch):
        if x is None or not x.numel():
            return self.conv.lin.weight.new_ones(batch.numel(), 3)
        x = x.to(self.conv.lin.weight.dtype).reshape(len(x), -1)[:, :3]
        return nn.functional.pad(x, (0, 3 - x.size(1)))

    def score(self, x, edge_index, batch):
        return self.head(global_add_pool(self.conv(self.features(x, batch), edge_index.long()).relu(), batch))

    def forward(self, x, edge_index, batch):
        return self.score(x, edge_index, batch)


class AnyGraph(AnyFeatures):
    def forward(self, data):
        return self.score(data.x, data.edge_index, data.batch)


class ReadsExtra(AnyFeatures):
    """Takes an attribute that few graphs have."""

    def forward(self, x, edge_index, batch, extra=None):
        return self.score(x, edge_index, batch)


class NeedsExtra(AnyFeatures):
    def forward(self, x, edge_index, batch, extra):
        return self.score(x, edge_index, batch)


class WritesIntoInput(AnyFeatures):
    def forward(self, data):
        if data.x is not None and data.x.is_floating_point():
            data.x.mul_(0.5)
        data.edge_index.clamp_(min=0)
        return self.score(data.x, data.edge_index, data.batch)


class Raises(AnyFeatures):
    def forward(self, x, edge_index, batch):
        raise BrokenModelError("no")


class RaisesOnSmall(AnyFeatures):
    def forward(self, x, edge_index, batch):
        if int(torch.bincount(batch).min()) < 4:
            raise BrokenModelError("graphs must have four nodes")
        return self.score(x, edge_index, batch)


class RaisesLater(AnyFeatures):
    def forward(self, x, edge_index, batch):
        if int(batch.max()) > 8:
            raise BrokenModelError("too many graphs")
        return self.score(x, edge_index, batch)


class Infinite(AnyFeatures):
    def forward(self, x, edge_index, batch):
        return self.score(x, edge_index, batch) * torch.nan


class NotANumberOnSmall(AnyFeatures):
    def forward(self, x, edge_index, batch):
        small = torch.bincount(batch) < 4
        return self.score(x, edge_index, batch).masked_fill(small[:, None], torch.nan)


class OneRowANode(AnyFeatures):
    def forward(self, x, edge_index, batch):
        return self.score(x, edge_index, batch)[batch]


class ThreeDimensions(AnyFeatures):
    def forward(self, x, edge_index, batch):
        return self.score(x, edge_index, batch)[:, None]


class OneNumber(AnyFeatures):
    def forward(self, x, edge_index, batch):
        return self.score(x, edge_index, batch).sum()


class NoTensor(AnyFeatures):
    def forward(self, x, edge_index, batch):
        return "class 1"


class Tuple(AnyFeatures):
    def forward(self, x, edge_index, batch):
        scores = self.score(x, edge_index, batch)
        return scores, x


class OtherCounts(AnyFeatures):
    """As many classes as there are graphs in the batch."""

    def forward(self, x, edge_index, batch):
        scores = self.score(x, edge_index, batch)
        return scores.repeat(1, len(scores))


class Integers(AnyFeatures):
    def forward(self, x, edge_index, batch):
        return self.score(x, edge_index, batch).argmax(1)


class Complex(AnyFeatures):
    def forward(self, x, edge_index, batch):
        return self.score(x, edge_index, batch) * 1j


class Constant(AnyFeatures):
    def forward(self, x, edge_index, batch):
        return torch.zeros(int(batch.max()) + 1, 2)


class Random_(AnyFeatures):
    def forward(self, x, edge_index, batch):
        scores = self.score(x, edge_index, batch)
        return scores + torch.randn_like(scores)


class ChangesBuffer(AnyFeatures):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x, edge_index, batch):
        self.calls += 1
        return self.score(x, edge_index, batch)


class NoReadout(AnyFeatures):
    """Reads graphs out node by node, as nobody can follow."""

    def forward(self, x, edge_index, batch):
        nodes = self.conv(self.features(x, batch), edge_index.long())
        return self.head(torch.stack([nodes[batch == graph].sum(0) for graph in range(int(batch.max()) + 1)]))


class OneGraph(AnyFeatures):
    def forward(self, x, edge_index):
        return self.head(self.conv(x, edge_index).sum(0, keepdim=True))


class OneClass(AnyFeatures):
    """Predicts the same class always."""

    def forward(self, x, edge_index, batch):
        return self.score(x, edge_index, batch) * 0 + torch.tensor([3.0, -3.0])


def lazy():
    class Lazy(AnyFeatures):
        def __init__(self):
            super().__init__()
            self.conv = GCNConv(-1, 8)

    return Lazy()


def trained(kind):
    """A model whose classes are not all the same: its head is moved to the median of some scores."""
    model = kind()
    graphs = zoo.random_graphs(12)
    scores = torch.cat([model.score(g.x, g.edge_index, torch.zeros(len(g.x), dtype=torch.long)) for g in graphs])
    with torch.no_grad():
        model.head.bias -= scores.median(dim=0).values
    return model


GOOD = (AnyFeatures, AnyGraph, ReadsExtra, NeedsExtra, WritesIntoInput)
BROKEN = (
    *(Raises, RaisesOnSmall, RaisesLater, Infinite, NotANumberOnSmall, OneRowANode, ThreeDimensions, OneNumber),
    *(NoTensor, Tuple, OtherCounts, Integers, Complex, Constant, Random_, ChangesBuffer, NoReadout, OneGraph, OneClass),
)


def odd_model(rng: Random) -> tuple[nn.Module, str]:
    """A model of the tests, one that takes any features, or a broken one, and what it is called."""
    torch.manual_seed(rng.randrange(1000))
    kind = rng.choices(["zoo", "any", "broken", "lazy", "half", "training"], [35, 35, 22, 2, 3, 3])[0]
    if kind == "zoo":
        return _from_zoo(rng)
    if kind == "any":
        made = rng.choice(GOOD)
        return trained(made).eval(), made.__name__
    if kind == "broken":
        made = rng.choice(BROKEN)
        return trained(made).eval(), made.__name__
    if kind == "lazy":
        return lazy(), "lazy"
    if kind == "training":
        return trained(AnyGraph).train(), "in training mode"
    type_ = rng.choice([torch.float16, torch.bfloat16])
    return trained(AnyFeatures).eval().to(type_), str(type_)


def _from_zoo(rng: Random) -> tuple[nn.Module, str]:
    conv, pool = rng.choice(["gcn", "gin", "gat", "sage", "gine"]), rng.choice(list(zoo.POOLS))
    kind = zoo.Net if conv == "gine" else rng.choice([zoo.Net, zoo.TakesData, zoo.TakesDataCalledBatch, zoo.OtherNames])
    options = {
        "output": rng.choice(["raw", "raw", "probs", "log_probs"]),
        "num_classes": rng.choice([2, 2, 3]),
        "norm": rng.random() < 0.2,
    }
    if options["output"] == "probs" and rng.random() < 0.3:
        options["num_classes"] = 1
    model = zoo.make(rng.randrange(5), kind, conv=conv, pool=pool, **options)
    return model, f"{kind.__name__} {conv} {pool} {options}"
