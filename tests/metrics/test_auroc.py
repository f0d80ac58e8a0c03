import math

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from protograph.metrics.auroc import auroc


@st.composite
def attributions(draw):
    """Shares of few values, so that ties occur, and a mask with nodes of the truth and others."""
    nodes = draw(st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=2, max_size=8))
    values, mask = zip(*nodes, strict=True)
    assume(sum(values) > 0 and any(mask) and not all(mask))
    return torch.tensor([value / sum(values) for value in values]), list(mask)


@settings(deadline=None)
@given(attributions())
def test_share_of_pairs_in_the_right_order(drawn):
    values, mask = drawn
    truth = [value for value, is_true in zip(values.tolist(), mask, strict=True) if is_true]
    others = [value for value, is_true in zip(values.tolist(), mask, strict=True) if not is_true]
    pairs = [(v > w) + (v == w) / 2 for v in truth for w in others]
    assert auroc(values, mask) == pytest.approx(sum(pairs) / len(pairs))


@settings(deadline=None)
@given(attributions())
def test_the_other_nodes_have_the_rest(drawn):
    values, mask = drawn
    assert auroc(values, mask) == pytest.approx(1 - auroc(values, [not is_true for is_true in mask]))


@pytest.mark.parametrize("mask", [[True, True], [False, False]])
def test_nothing_to_compare_is_not_a_number(mask):
    assert math.isnan(auroc(torch.tensor([0.1, 0.9]), mask))
