import math
import re

import numpy as np
import pytest

from protograph.explanation import Evidence

COUNTS = {
    "num_in_class": 3,
    "num_class": 4,
    "num_elsewhere": 1,
    "num_others": 5,
    "num_in_cluster": 2,
    "information": 0.625,
    "num_looked_at": 3,
}


@pytest.mark.parametrize(
    ("figures", "problem"),
    [
        ({"num_in_cluster": -1}, "num_in_cluster must be a whole number of at least 0, got -1"),
        ({"node_sources": (1, -2)}, "node_sources[1] must be a whole number of at least 0, got -2"),
        ({"num_in_class": 5}, "num_in_class must be at most 4, which is num_class, got 5"),
        ({"num_elsewhere": 6}, "num_elsewhere must be at most 5, which is num_others, got 6"),
        ({"node_graphs": (3, 4)}, "node_graphs[1] must be at most 3, which is num_looked_at, got 4"),
        ({"edge_graphs": (9,)}, "edge_graphs[0] must be at most 3, which is num_looked_at, got 9"),
        ({"information": math.nan}, 'information must be a finite number, got "nan"'),
        ({"information": np.float32("inf")}, 'information must be a finite number, got "inf"'),
        ({"contribution_share": -math.inf}, 'contribution_share must be a finite number, got "-inf"'),
        ({"contributions": (0.5, math.nan)}, 'contributions[1] must be a finite number, got "nan"'),
    ],
)
def test_figures_that_cannot_be_are_refused(figures, problem):
    with pytest.raises(ValueError, match=f"^{re.escape(problem)}$"):
        Evidence(**COUNTS | figures)


def test_figures_that_can_be_are_taken():
    evidence = Evidence(**COUNTS, node_sources=(9,), contributions=(-1, 0.5), contribution_share=-0.5, steps=("-1",))
    assert evidence.support == 0.75
    assert evidence.support_elsewhere == 0.2


def test_shares_of_no_graphs_are_not_a_number():
    evidence = Evidence(**COUNTS | dict.fromkeys(("num_in_class", "num_class", "num_elsewhere", "num_others"), 0))
    assert math.isnan(evidence.support)
    assert math.isnan(evidence.support_elsewhere)
