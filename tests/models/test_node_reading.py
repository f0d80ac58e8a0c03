"""How a model reads features: models whose answers are known by hand."""

import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import global_add_pool

from protograph.models.classifier import GraphClassifier
from protograph.models.predictions import Judge
from protograph.models.sensitivity import column_effects, looked_up_columns

EDGES = torch.tensor([[0, 1], [1, 0]])


class Reads(nn.Module):
    """Embeds column 0 and multiplies column 1; column 2 is not read."""

    def __init__(self, how):
        super().__init__()
        self.how, self.table = how, nn.Embedding(6, 2)
        self.table.weight.data = torch.tensor([[4.0, 0.0], [0.0, 4.0]] * 3)  # odd and even numbers
        self.head = nn.Linear(2, 2, bias=False)
        self.head.weight.data = torch.eye(2)

    def forward(self, x, edge_index, batch):
        numbers = x[:, 0].long()
        if self.how == "one-hot":
            rows = nn.functional.one_hot(numbers, 6).to(x) @ self.table.weight
        elif self.how == "index":
            rows = self.table.weight[numbers]
        else:
            rows = self.table(numbers)
        return self.head(global_add_pool(rows + x[:, 1:2] * torch.tensor([1.0, 0.0]), batch))


def graphs(number=16):
    generator = torch.Generator().manual_seed(0)
    kinds = torch.randint(6, (number, 2, 1), generator=generator).float()
    others = torch.rand(number, 2, 2, generator=generator)
    return [Data(x=torch.cat([kinds[i], others[i]], dim=1), edge_index=EDGES) for i in range(number)]


def judge(how="module"):
    return Judge(GraphClassifier(Reads(how)).start(graphs()), "raw")


def test_columns_that_are_looked_up_are_types():
    for how in ("module", "index", "one-hot"):
        assert looked_up_columns(judge(how).classifier, graphs()) == {0}, how


def test_a_column_that_is_not_read_has_no_effect_and_others_have():
    effects = column_effects(judge(), graphs(), [[0], [1], [2], [1, 2]])
    assert effects[2] == 0
    assert effects[0] > effects[1] > 0
    assert effects[3] == effects[1]
