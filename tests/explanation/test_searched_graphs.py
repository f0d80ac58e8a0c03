import re

import pytest
from torch_geometric.data import Batch, Data

from protograph._base.errors import ProtographWarning
from protograph.explanation import searched_graphs
from protograph.explanation.searched_graphs import SearchedGraphs, as_searched
from protograph.graphs.conditions import EdgeRule
from protograph.graphs.encoding import EncodedGraphs
from tests.explanation.by_hand import complete
from tests.metrics.small_graphs import path, ring


@pytest.fixture
def calls(monkeypatch):
    """How often graphs are encoded and searched."""
    made = {"encoded": 0, "searched": 0}

    def encoded(*args, **kwargs):
        made["encoded"] += 1
        return EncodedGraphs(*args, **kwargs)

    def contained_in(*args, **kwargs):
        made["searched"] += 1
        return original(*args, **kwargs)

    original = searched_graphs.contained_in
    monkeypatch.setattr(searched_graphs, "EncodedGraphs", encoded)
    monkeypatch.setattr(searched_graphs, "contained_in", contained_in)
    return made


def test_graphs_are_encoded_once_a_way_and_searched_once_a_pattern(calls):
    graphs = SearchedGraphs([ring(4), path(4)])
    for pattern in (path(3), path(4), path(3)):
        graphs.contain(pattern)
        graphs.contain(pattern, induced=True)
    assert calls == {"encoded": 1, "searched": 4}
    graphs.contain(path(3), match_features=False)
    assert calls == {"encoded": 2, "searched": 5}
    with pytest.raises(ValueError, match="edge_attr must be alike"):
        graphs.contain(path(2, bonds=[0]), edge_rule=EdgeRule(is_matched=True))
    assert calls["encoded"] == 3


def test_patterns_are_told_apart_by_all_that_counts():
    graphs = SearchedGraphs([path(3, kinds=[0, 1, 0]), ring(3, kinds=[0, 0, 0])])
    assert graphs.contain(path(2, kinds=[0, 1])).tolist() == [True, False]
    assert graphs.contain(path(2, kinds=[0, 0])).tolist() == [False, True]
    assert graphs.contain(path(2, kinds=[0, 0]), match_features=False).tolist() == [True, True]
    assert graphs.contain(path(2, kinds=[0, 0]), at_least=3).tolist() == [False, True]
    assert graphs.contain(path(2, kinds=[0, 0]), at_least=4).tolist() == [False, False]
    assert graphs.contain(path(2, kinds=[0, 1]), closed=(0,)).tolist() == [True, False]
    assert graphs.contain(path(2, kinds=[0, 1]), closed=(1,)).tolist() == [False, False]


def test_batches_are_taken_apart_and_what_is_searched_already_stays():
    batch = Batch.from_data_list([path(2), ring(3)])
    graphs = as_searched([batch, ring(4)])
    assert graphs.contain(ring(3)).tolist() == [False, True, False]
    assert as_searched(graphs) is graphs


def test_a_single_graph_is_refused():
    message = "graphs must be a sequence or iterable of graphs, got a single Data; pass [data]"
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        SearchedGraphs(path(2))
    with pytest.raises(TypeError, match=r"pass graphs\.to_data_list\(\)$"):
        SearchedGraphs(Batch.from_data_list([path(2)]))


def test_what_is_given_up_is_told():
    graphs = SearchedGraphs([complete(9), Data(num_nodes=2)], max_calls=1)
    message = "the search for a pattern in 1 graph of 2 was given up after 1 call; they count as without it"
    with pytest.warns(ProtographWarning, match=f"^{message}$"):
        assert graphs.contain(path(6)).tolist() == [False, False]
