import io

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from protograph.graphs.splitting import check_range, checked_count, one_hot, split_graphs


@settings(deadline=None)
@given(st.lists(st.integers(0, 4)))
def test_one_hot_is_undone_by_the_largest_entry(values):
    rows = one_hot(np.array(values, dtype=np.int64), 5, "atoms")
    assert rows.shape == (len(values), 5)
    assert rows.argmax(dim=1).tolist() == values
    assert rows.sum(dim=1).tolist() == [1.0] * len(values)


@pytest.mark.parametrize(("values", "wrong"), [([0, 3], 3), ([-1, 7], -1)])
def test_the_first_value_out_of_range_is_named(values, wrong):
    for check in (one_hot, check_range):
        with pytest.raises(ValueError, match=r"^atoms must be") as caught:
            check(np.array(values), 3, "atoms")
        assert str(caught.value) == f"atoms must be in [0, 3), got {wrong}"


def test_how_many_graphs():
    assert [checked_count(wanted, 4) for wanted in (None, 1, 4)] == [4, 1, 4]
    for wanted in (0, 5, -1):
        with pytest.raises(ValueError, match=r"^num_graphs") as caught:
            checked_count(wanted, 4)
        assert str(caught.value) == f"num_graphs must be in [1, 4], got {wanted}"


def three_graphs(num_graphs):
    """Of two, none and one nodes, with two, none and one edges."""
    return split_graphs(
        node_values={"x": torch.arange(6.0).reshape(3, 2)},
        edge_values={"edge_index": torch.tensor([[0, 1, 0], [1, 0, 0]]), "edge_attr": torch.arange(3)},
        labels=torch.tensor([1, 0, 2]),
        node_bounds=np.array([0, 2, 2, 3]),
        edge_bounds=np.array([0, 2, 2, 3]),
        num_graphs=num_graphs,
    )


def test_each_graph_has_what_lies_between_its_bounds():
    first, second, third = three_graphs(3)
    assert [graph.x.tolist() for graph in (first, second, third)] == [[[0, 1], [2, 3]], [], [[4, 5]]]
    assert [graph.edge_index.tolist() for graph in (first, second, third)] == [[[0, 1], [1, 0]], [[], []], [[0], [0]]]
    assert [graph.edge_attr.tolist() for graph in (first, second, third)] == [[0, 1], [], [2]]
    assert [graph.y.tolist() for graph in (first, second, third)] == [[1], [0], [2]]
    assert len(three_graphs(1)) == 1


def test_a_graph_does_not_take_the_whole_data_set_along():
    big = split_graphs(
        node_values={"x": torch.rand(10_000, 1)},
        edge_values={"edge_index": torch.zeros(2, 0, dtype=torch.long)},
        labels=torch.zeros(10_000),
        node_bounds=np.arange(10_001),
        edge_bounds=np.zeros(10_001, dtype=np.int64),
        num_graphs=2,
    )
    file = io.BytesIO()
    torch.save(big[0], file)
    assert file.tell() < 10_000
