from types import SimpleNamespace

import numpy as np

from research.paper.fidelity.trees import tree_fidelities

# A graph is here the numbers of the patterns that it has.
INSIDE, OUTSIDE = [{0}, {0, 1}, {1}, set()], [{0}, {0, 1}, {0, 1}, {1}]


def patterns(*numbers):
    return [SimpleNamespace(holds_in=lambda graphs, n=n: np.array([n in one for one in graphs])) for n in numbers]


def test_a_tree_is_learned_inside_and_judged_outside():
    # Class 1 has the first pattern and lacks the second.
    inside, outside = np.array([1, 0, 0, 0]), np.array([1, 0, 1, 0])
    found = tree_fidelities(patterns(0, 1), INSIDE, OUTSIDE, inside, outside)
    assert found == {"tree_8": (1 + 1 / 2) / 2, "tree_32": (1 + 1 / 2) / 2}


def test_without_patterns_there_is_no_tree():
    nothing = {"tree_8": None, "tree_32": None}
    assert tree_fidelities([], INSIDE, OUTSIDE, np.zeros(4, int), np.zeros(4, int)) == nothing
