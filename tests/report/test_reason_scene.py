from dataclasses import replace

import numpy as np
import pytest

from protograph.explanation import Example, Pattern
from protograph.report.reason_scene import MAX_PATTERNS, drawn_patterns, reason_scenes
from protograph.report.views import MAX_SOURCE_NODES
from tests.explanation.by_hand import both, explained, house, reason
from tests.made import with_reasons
from tests.metrics.small_graphs import path, ring

TRIANGLE, SQUARE = Pattern(graph=ring(3)), Pattern(graph=ring(4))
TWO = Pattern(graph=ring(3), at_least=2, closed=(0,))


def of_reasons(*some, examples=()):
    """An explanation of these reasons, with their examples."""
    found = explained(0, some, [house(), path(3)], [0, 1], [0, 0])
    given = zip(found.reasons, examples, strict=False)
    return with_reasons(found, [replace(one, example=example) for one, example in given] or found.reasons)


def example_of(graph, *marked):
    nodes = tuple(range(10, 10 + graph.num_nodes))
    return Example(source=7, nodes=nodes, graph=graph, marked=marked, probability=0.9)


@pytest.mark.parametrize(
    ("parts", "drawn"),
    [
        ({"has": (TRIANGLE, TWO)}, [("a triangle", False), (TWO.describe(), False)]),
        ({"has": (TRIANGLE,), "lacks": (SQUARE,)}, [("a triangle", False), ("no ring of four nodes", True)]),
        ({"unless": (reason(has=(TRIANGLE,)),), "lacks": (TRIANGLE,)}, [("no triangle", True)]),
        ({"unless": (reason(lacks=(TRIANGLE,)),)}, [("a triangle", False)]),
        (
            {"unless": (reason(has=(TRIANGLE,), lacks=(SQUARE,)),)},
            [("not at once: a triangle", True), ("not at once: no ring of four nodes", True)],
        ),
    ],
)
def test_patterns_are_drawn_with_how_they_count(parts, drawn):
    assert [(part.words, part.is_lacking) for part in drawn_patterns(reason(**parts))] == drawn


def test_closed_nodes_are_ringed_and_counts_are_kept():
    (scene,) = reason_scenes(of_reasons(reason(has=(TWO,), lacks=(SQUARE,))))
    assert [(view.rings, part.pattern.at_least) for part, view in scene.patterns] == [((0,), 2), ((), 1)]
    assert (scene.number, scene.example, len(scene.views)) == (1, None, 2)


def test_patterns_are_marked_in_the_example():
    graph = both(ring(3), path(2), ring(3))
    marked = ((2, 1, 0), (5, 6, 7))
    twice = Pattern(graph=ring(3), at_least=2)
    (scene,) = reason_scenes(of_reasons(reason(has=(twice,)), examples=[example_of(graph, *marked)]))
    part = scene.example.part
    assert part.nodes == [2, 1, 0, 5, 6, 7]
    assert {frozenset(edge) for edge in part.edges.tolist()} == {
        *map(frozenset, ((0, 1), (1, 2), (0, 2), (5, 6), (6, 7), (5, 7)))
    }


def test_of_a_large_example_what_is_around_the_patterns_is_drawn():
    size = MAX_SOURCE_NODES + 50
    long = path(size)
    pair = Pattern(graph=path(2))
    (scene,) = reason_scenes(of_reasons(reason(has=(pair,)), examples=[example_of(long, (size - 2, size - 1))]))
    assert len(scene.example.positions) == MAX_SOURCE_NODES
    assert np.array_equal(np.sort(scene.example.part.edges, axis=1), [[0, 1]])


def test_of_many_patterns_the_first_are_drawn():
    others = tuple(reason(has=(Pattern(graph=path(size)),)) for size in range(2, MAX_PATTERNS + 4))
    (scene,) = reason_scenes(of_reasons(reason(unless=others)))
    assert len(scene.patterns) == MAX_PATTERNS
