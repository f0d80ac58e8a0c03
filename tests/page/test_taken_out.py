from dataclasses import replace

import torch

from protograph.explanation import Example, Pattern, Prototype
from protograph.explanation.survey import TakenOut
from protograph.models.predictions import Judgement
from protograph.page.taken_out import prototype_places, reason_places, taken_out
from tests.explanation.by_hand import counted, reason
from tests.metrics.small_graphs import path, ring


def judge(graphs, target):
    """The margin is the number of nodes."""
    sizes = torch.tensor([[0.0, float(graph.num_nodes)] for graph in graphs])
    return Judgement.of(sizes, target)


def test_margins_with_and_without_some_nodes():
    graphs = [path(5), ring(3), path(2)]
    places = [(0, (0, 1)), (1, (0, 1, 2)), (2, ())]
    assert taken_out(places, graphs.__getitem__, judge, 1) == (
        TakenOut(index=0, nodes=(0, 1), margin=5.0, margin_without=3.0),
    )


def test_a_prototype_lies_where_it_was_matched():
    matches = torch.tensor([[3, 0], [1, -1]])
    matched = Prototype(graph=path(2), probability=1.0, margin=0.0, sources=[7, 5], matches=matches)
    assert prototype_places(matched) == [(7, (1, 3)), (5, (0,))]
    assert prototype_places(Prototype(graph=path(2), probability=1.0, margin=0.0)) == []


def test_a_reason_lies_where_its_example_says_and_in_other_graphs_of_the_class():
    graphs = [ring(3), path(3), ring(3)]

    def take(indices):
        return [graphs[index] for index in indices]

    whole = Example(source=2, nodes=(0, 1, 2), graph=ring(3), marked=((0, 1, 2),), probability=1.0, is_whole=True)
    triangle = counted(reason(has=(Pattern(graph=ring(3)),)), graphs, [True, False, True], [0, 0, 0])
    assert reason_places(triangle, lambda index: index != 1, take) == [(0, (0, 1, 2)), (2, (0, 1, 2))]
    assert reason_places(replace(triangle, example=whole), lambda index: index == 2, take) == [(2, (0, 1, 2))]
    ends = counted(reason(has=(Pattern(graph=path(2), closed=(0,), at_least=2),)), graphs, [True] * 3, [0, 0, 0])
    assert reason_places(ends, lambda index: True, take) == [(1, (0, 1, 2))]
    assert reason_places(reason(lacks=(Pattern(graph=ring(3)),)), lambda index: True, take) == []
