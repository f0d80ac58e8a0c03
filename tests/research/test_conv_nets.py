import pytest
import torch
from torch_geometric.data import Data
from torch_geometric.nn import GATConv, GINConv

import protograph as pg
from research.paper.conv_nets import CONVS, ConvNet, train_conv_net

EDGE = torch.tensor([[0, 1], [1, 0]])
GRAPHS = [Data(x=torch.full((2, 1), float(y)), edge_index=EDGE, y=y) for y in (0, 1) * 20]


@pytest.mark.parametrize("conv", CONVS)
def test_each_kind_learns_what_a_feature_tells(conv):
    trained = train_conv_net(GRAPHS, conv=conv, hidden=(8, 8), learning_rate=0.05, max_epochs=20)
    assert trained.test_accuracy == 1.0
    assert not trained.model.training
    assert len(trained.model.convs) == 2


@pytest.mark.parametrize("conv", CONVS)
def test_the_same_seed_gives_the_same_weights_and_touches_no_generator(conv):
    before = torch.random.get_rng_state()
    one, other = (train_conv_net(GRAPHS, conv=conv, hidden=(4,), max_epochs=2, random_state=3) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(one.model.parameters(), other.model.parameters(), strict=True))
    assert torch.equal(torch.random.get_rng_state(), before)
    assert one.num_epochs == 2


def test_a_gcn_is_the_paper_s_on_the_same_split():
    """Same seed, same split, same first weights, same batches: the same model up to rounding."""
    ours = train_conv_net(GRAPHS, conv="gcn", hidden=(4, 4), max_epochs=3, random_state=1)
    paper = pg.train(GRAPHS, hidden=(4, 4), max_epochs=3, random_state=1)
    assert torch.equal(ours.split.train, paper.split.train)
    for (name, weight), (other, expected) in zip(
        ours.model.state_dict().items(), paper.model.state_dict().items(), strict=True
    ):
        assert name == other
        torch.testing.assert_close(weight, expected, rtol=1e-4, atol=1e-6)


def test_the_widths_are_those_asked_for():
    gat, gin = ConvNet(3, 2, (8, 12), conv="gat"), ConvNet(3, 2, (8, 12), conv="gin")
    assert [(conv.in_channels, conv.out_channels * conv.heads) for conv in gat.convs] == [(3, 8), (8, 12)]
    assert all(isinstance(conv, GATConv) for conv in gat.convs)
    assert all(isinstance(conv, GINConv) for conv in gin.convs)
    assert gin(torch.ones(2, 3), EDGE).shape == (1, 2)


def test_what_cannot_be_built_is_said():
    with pytest.raises(ValueError, match=r"^conv must be one of 'gcn', 'gin', 'gat', got 'sage'$"):
        ConvNet(3, 2, (8,), conv="sage")
    with pytest.raises(ValueError, match=r"^hidden must be multiples of 4 for 'gat', got 6$"):
        ConvNet(3, 2, (6,), conv="gat")
