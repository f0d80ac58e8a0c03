import math

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from protograph.metrics.robustness import consistency, corrupted, faithfulness
from tests.metrics.by_hand import Linear, explanation, graph, of_probability, prototype

A = graph([1, 0])
MODELS = [of_probability(p, 0.5) for p in (0.3, 0.6, 0.5, 0.9)]


def test_faithfulness_by_hand():
    # Probabilities rank the models 0 2 1 3, accuracies 0 1 2 3: of 6 pairs, 5 agree and 1 does not.
    found = faithfulness([A], MODELS, [0.5, 0.6, 0.7, 0.8], target=1)
    assert float(found) == found.value == pytest.approx(4 / 6)
    assert found.probabilities == pytest.approx((0.3, 0.6, 0.5, 0.9), abs=1e-7)
    assert found.test_accuracies == (0.5, 0.6, 0.7, 0.8)
    assert found.note == ""


def test_ties_by_hand():
    # Models 0 and 1 tie in accuracy: 4 pairs agree, 1 does not, so 3 / sqrt(6 * 5).
    found = faithfulness([A], MODELS, [0.5, 0.5, 0.7, 0.8], 1)
    assert found.value == pytest.approx(3 / math.sqrt(30))


def test_probabilities_of_one_are_still_ranked():
    models = [Linear([[0.0, 0.0], [margin, 0.0]]) for margin in (50.0, 60.0, 70.0, 80.0)]
    found = faithfulness([A], models, [0.5, 0.6, 0.7, 0.8], 1)
    assert set(found.probabilities) == {1.0}
    assert found.value == pytest.approx(1.0)
    assert found.margins == pytest.approx((50, 60, 70, 80))


def test_no_order_is_nan_with_a_note():
    found = faithfulness([A], MODELS, [0.5] * 4, 1)
    assert math.isnan(found.value)
    assert found.note == "the test accuracy is the same for all 4 models, so there is no order"
    found = faithfulness([A], MODELS[:1] * 3, [0.5, 0.6, 0.7], 1)
    assert math.isnan(float(found))
    assert found.note == "the class probability is the same for all 3 models, so there is no order"


def test_errors_of_faithfulness():
    with pytest.raises(ValueError, match=r"^test_accuracies must be one for each of the 4 models, got 3$"):
        faithfulness([A], MODELS, [0.5, 0.6, 0.7], 1)
    with pytest.raises(ValueError, match=r"^test_accuracies must be numbers, got nan$"):
        faithfulness([A], MODELS, [0.5, 0.6, 0.7, math.nan], 1)


def labelled(count, num_classes=3):
    return [graph([1, 0], [0, 1], y=i % num_classes) for i in range(count)]


@pytest.mark.parametrize(("share", "expected"), [(0.0, 0), (0.05, 1), (0.25, 5), (0.5, 10), (1.0, 20)])
def test_exactly_that_many_labels_are_wrong(share, expected):
    graphs = labelled(20)
    copies = corrupted(graphs, share, random_state=3)
    assert sum(int(old.y) != int(new.y) for old, new in zip(graphs, copies, strict=True)) == expected
    assert {int(new.y) for new in copies} <= {0, 1, 2}


def test_originals_are_untouched_and_tensors_shared():
    graphs = labelled(10)
    copies = corrupted(graphs, 1.0, random_state=0)
    assert [int(g.y) for g in graphs] == [i % 3 for i in range(10)]
    for old, new in zip(graphs, copies, strict=True):
        assert new is not old
        assert new.x is old.x
        assert new.edge_index is old.edge_index
        assert new.y.shape == old.y.shape
        assert new.y.dtype == old.y.dtype


def test_wrong_labels_are_uniform_over_the_other_classes():
    copies = corrupted([Data(y=0) for _ in range(3000)] + [Data(y=c) for c in (1, 2, 3)], 1.0, random_state=0)
    counts = np.bincount([graph.y for graph in copies[:3000]], minlength=4)
    assert counts[0] == 0
    assert (abs(counts[1:] - 1000) < 100).all()


def test_shares_nest_and_seeds_differ():
    graphs = labelled(40)
    few, many, other = (
        [int(g.y) for g in corrupted(graphs, share, seed)] for share, seed in ((0.2, 1), (0.5, 1), (0.2, 2))
    )
    right = [int(g.y) for g in graphs]
    assert all(a == b for a, b, truth in zip(few, many, right, strict=True) if a != truth)
    assert few != other


def test_among_limits_what_is_changed():
    graphs, train = labelled(20), torch.arange(10, 20)
    copies = corrupted(graphs, 0.5, 0, among=train)
    changed = [i for i, (old, new) in enumerate(zip(graphs, copies, strict=True)) if int(old.y) != int(new.y)]
    assert len(changed) == 5
    assert min(changed) >= 10


def test_errors_of_corrupted():
    with pytest.raises(ValueError, match=r"^share must be in \[0, 1\], got 1.5$"):
        corrupted(labelled(4), 1.5, 0)
    with pytest.raises(ValueError, match=r"^graphs must have labels of at least 2 classes, got \[0\]$"):
        corrupted(labelled(4, num_classes=1), 0.5, 0)
    with pytest.raises(ValueError, match=r"^every graph must have one whole number y, got None for graph 0$"):
        corrupted([Data(num_nodes=1)], 0.5, 0)
    with pytest.raises(ValueError, match=r"^among must be indices in \[0, 4\), got 1 to 9$"):
        corrupted(labelled(4), 0.5, 0, among=[1, 9])


B = graph([0, 1])
ALIKE = [of_probability(0.2, 0.4), of_probability(0.6, 0.8), of_probability(0.9, 0.9)]


def test_consistency_by_hand():
    # Means over the two prototypes: 0.3, 0.7, 0.9. Their mean is 19/30, the deviation sqrt(14/225).
    found = consistency([A, B], ALIKE, target=1)
    assert found.probabilities == pytest.approx((0.3, 0.7, 0.9), abs=1e-7)
    assert float(found) == found.value == pytest.approx(math.sqrt(14) / 15, abs=1e-7)
    assert found.mean == pytest.approx(19 / 30)


def test_consistency_of_each_model_s_own_explanations():
    best = {id(model): part for model, part in zip(ALIKE, (B, A, A), strict=True)}
    found = consistency(None, iter(ALIKE), 1, explain=lambda model: explanation([prototype(best[id(model)])]))
    assert found.probabilities == pytest.approx((0.4, 0.6, 0.9))


def test_errors_of_consistency():
    with pytest.raises(ValueError, match=r"^models must be at least 2, got 1$"):
        consistency([A], ALIKE[:1], 1)
    with pytest.raises(ValueError, match=r"got both$"):
        consistency([A], ALIKE, 1, explain=lambda model: [A])
    with pytest.raises(ValueError, match=r"got neither$"):
        consistency(None, ALIKE, 1)
