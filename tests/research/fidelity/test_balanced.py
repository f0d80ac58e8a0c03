import numpy as np

from research.paper.fidelity.balanced import balanced


def test_shares_of_classes_weigh_the_same():
    assert balanced(np.array([True, False, True]), np.array([0, 0, 1])) == 0.75
    assert balanced(np.array([True, False]), np.array([2, 2])) == 0.5
