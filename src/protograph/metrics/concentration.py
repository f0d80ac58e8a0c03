"""Concentration and AUROC: whether an instance-level attribution lies on the ground truth, or ranks it first."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

# Nodes that a model cannot tell apart have equal attributions up to rounding in float32.
DECIMALS = 6


def concentration(attribution: Tensor | NDArray[Any], truth_mask: Tensor | NDArray[Any] | Sequence[bool]) -> float:
    r"""Concentration score of a prototype (paper, definition "Concentration score").

    .. math:: \alpha = \sum_{v \in V_T \cap V_l} \Lambda(v)

    with :math:`V_T` the nodes of the ground truth, :math:`V_l` those of the prototype, and :math:`\Lambda` the
    attribution, which sums to 1. In [0, 1], and higher is better; 0 where no node belongs to the truth.

    Args:
        attribution: One number a node of the prototype, as :func:`protograph.metrics.attribute` gives them.
        truth_mask: Which of these nodes belong to the ground truth, booleans.

    >>> round(concentration(torch.tensor([0.5, 0.3, 0.2]), [True, False, True]), 6)
    0.7
    """
    values, mask = _checked_pair(attribution, truth_mask)
    return float(values[mask].sum())


def auroc(attribution: Tensor | NDArray[Any], truth_mask: Tensor | NDArray[Any] | Sequence[bool]) -> float:
    r"""Area under the receiver operating characteristic of an attribution against the ground truth's nodes.

    .. math:: \frac{1}{|T| |R|} \sum_{v \in T} \sum_{w \in R}
              \left([\Lambda(v) > \Lambda(w)] + \tfrac12 [\Lambda(v) = \Lambda(w)]\right)

    with :math:`T` the nodes of the truth and :math:`R` the others; attributions are compared at six decimals. In
    [0, 1], and higher is better; NaN where all nodes or none are of the truth.

    Args:
        attribution: One number a node, as :func:`protograph.metrics.attribute` gives them.
        truth_mask: Which nodes belong to the ground truth, booleans.

    >>> auroc(torch.tensor([0.5, 0.3, 0.2]), [True, False, True])
    0.5
    """
    values, mask = _checked_pair(attribution, truth_mask)
    if bool(mask.all()) or not bool(mask.any()):
        return math.nan
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(mask.numpy(), np.round(values.numpy(), DECIMALS)))


def _checked_pair(attribution: Any, truth_mask: Any) -> tuple[Tensor, Tensor]:
    """Attribution in float64 and mask, if each has one entry a node and the first sums to 1."""
    values = torch.as_tensor(attribution).detach().double().cpu()
    mask = torch.as_tensor(truth_mask).detach().cpu()
    if mask.dtype != torch.bool:
        raise TypeError(f"truth_mask must be booleans, one for each node, got {mask.dtype}")
    if values.dim() != 1 or values.shape != mask.shape:
        raise ValueError(
            f"attribution and truth_mask must have one entry for each node, got shapes {list(values.shape)} "
            f"and {list(mask.shape)}"
        )
    if bool((values < 0).any()) or abs(float(values.sum()) - 1) > 1e-4:
        raise ValueError(
            f"attribution must be at least 0 and sum to 1, got a smallest of {float(values.min()):.4g} and a sum of "
            f"{float(values.sum()):.4g}; use protograph.metrics.attribute"
        )
    return values, mask
