import pytest
import torch
from torch import nn
from torch_geometric.data import Data

from protograph.models.raising import is_of_model, noted

GRAPHS = [Data(num_nodes=3), Data(num_nodes=5), Data(num_nodes=3)]


def raised(step):
    with pytest.raises(RuntimeError) as caught, noted(GRAPHS):
        step()
    return caught.value


def test_an_error_of_a_model_says_to_how_many_graphs_it_was_applied():
    error = raised(lambda: nn.Linear(3, 1)(torch.ones(2, 2)))
    assert is_of_model(error)
    assert error.__notes__ == ["the model was applied to 3 graphs of 3 to 5 nodes"]


def test_an_error_of_ours_is_left_alone():
    def fails():
        raise RuntimeError("ours")

    error = raised(fails)
    assert not is_of_model(error)
    assert not hasattr(error, "__notes__")
