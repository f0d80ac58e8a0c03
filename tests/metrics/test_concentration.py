import math

import numpy as np
import pytest
import torch

from protograph.metrics.concentration import auroc, concentration

SHARES = [0.1, 0.4, 0.2, 0.3]


@pytest.mark.parametrize(
    ("mask", "alpha", "area"),
    [
        # Area: pairs of a node of the truth and another that are ranked right, of all such pairs.
        ([False, True, False, True], 0.7, 4 / 4),
        ([True, False, True, False], 0.3, 0 / 4),
        ([True, True, False, False], 0.5, 2 / 4),
        ([False, False, False, True], 0.3, 2 / 3),
        ([False] * 4, 0.0, math.nan),
        ([True] * 4, 1.0, math.nan),
    ],
)
def test_by_hand(mask, alpha, area):
    assert concentration(torch.tensor(SHARES), torch.tensor(mask)) == pytest.approx(alpha, abs=1e-7)
    assert concentration(np.array(SHARES), mask) == pytest.approx(alpha)
    assert auroc(torch.tensor(SHARES), mask) == pytest.approx(area, nan_ok=True)


def test_rounding_does_not_order_nodes():
    assert auroc(torch.tensor([0.5 + 1e-8, 0.5 - 1e-8]), [True, False]) == 0.5


@pytest.mark.parametrize("metric", [concentration, auroc])
def test_errors(metric):
    with pytest.raises(TypeError, match=r"^truth_mask must be booleans, one for each node, got torch.int64$"):
        metric(torch.tensor(SHARES), [0, 1, 2, 3])
    with pytest.raises(ValueError, match=r"got shapes \[4\] and \[2\]$"):
        metric(torch.tensor(SHARES), [True, False])
    with pytest.raises(ValueError, match=r"got a smallest of -0.5 and a sum of 0.5; use protograph.metrics.attribute$"):
        metric(torch.tensor([1.0, -0.5]), [True, False])
