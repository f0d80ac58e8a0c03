import torch

from protograph.explanation import Example, Pattern, Prototype
from protograph.explanation.survey import TakenOut
from protograph.graphs.encoding import EncodedGraphs
from protograph.models.judging import Judgement
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


def test_a_reason_lies_where_its_example_says_and_elsewhere_if_any_place_will_do():
    graphs = [ring(3), path(3), ring(3)]
    encoded = EncodedGraphs(graphs, match_features=False)
    whole = Example(source=2, nodes=(0, 1, 2), graph=ring(3), marked=((0, 1, 2),), probability=1.0, is_whole=True)
    triangle = counted(reason(has=(Pattern(graph=ring(3)),)), graphs, [True, False, True], [0, 0, 0])
    assert reason_places(triangle, lambda index: index != 1, encoded) == [(0, (0, 1, 2)), (2, (0, 1, 2))]
    shown = reason(has=(Pattern(graph=ring(3), kind="induced"),), example=whole)
    assert reason_places(shown, lambda index: True, encoded) == [(2, (0, 1, 2))]
    assert reason_places(reason(lacks=(Pattern(graph=ring(3)),)), lambda index: True, encoded) == []
