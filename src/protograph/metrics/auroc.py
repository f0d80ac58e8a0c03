"""AUROC: whether an instance-level attribution ranks the nodes of the ground truth first."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from protograph.metrics.concentration import checked_pair

# Nodes that a model cannot tell apart have equal attributions up to rounding in float32.
DECIMALS = 6


def auroc(attribution: Tensor | NDArray[Any], truth_mask: Tensor | NDArray[Any] | Sequence[bool]) -> float:
    r"""Area under the receiver operating characteristic of an attribution against the ground truth's nodes.

    .. math:: \frac{1}{|T| |R|} \sum_{v \in T} \sum_{w \in R}
              \left([\Lambda(v) > \Lambda(w)] + \tfrac12 [\Lambda(v) = \Lambda(w)]\right)

    with :math:`T` the nodes of the truth and :math:`R` the others; attributions are compared at six decimals. In
    [0, 1], and higher is better; NaN where all nodes or none are of the truth.

    Args:
        attribution: One number a node, as :func:`protograph.metrics.attribute` gives them.
        truth_mask: Which nodes belong to the ground truth, booleans.

    >>> import torch
    >>> auroc(torch.tensor([0.5, 0.3, 0.2]), [True, False, True])
    0.5
    """
    values, mask = checked_pair(attribution, truth_mask)
    if bool(mask.all()) or not bool(mask.any()):
        return math.nan
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(mask.numpy(), np.round(values.numpy(), DECIMALS)))
