import torch

from protograph.explanation import Pattern
from protograph.explanation.places import nodes_of
from tests.metrics.small_graphs import path, ring


def test_closed_nodes_and_missing_chords_count():
    chord = ring(4)
    chord.edge_index = torch.cat([chord.edge_index, torch.tensor([[0, 2], [2, 0]])], dim=1)
    square = Pattern(graph=ring(4), kind="induced")
    assert nodes_of([square], [chord, ring(4)]) == [(), (0, 1, 2, 3)]
    end = Pattern(graph=path(2), closed=(1,))
    assert nodes_of([end], [ring(3), path(3)]) == [(), (0, 1)]


def test_a_graph_that_lacks_one_of_them_has_none():
    assert nodes_of([Pattern(graph=path(2)), Pattern(graph=ring(3))], [path(3), ring(3)]) == [(), (0, 1, 2)]
    assert nodes_of([], [ring(3)]) == [()]
