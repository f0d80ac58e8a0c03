import pytest

from protograph.metrics.support import embedding_coverage
from tests.metrics.by_hand import Linear, explanation, graph, prototype

# With a sum readout the embedding is the sum of the features: points of a line.
MODEL = Linear([[0.0, 0.0], [1.0, 0.0]])
GRAPHS = [graph([value, 0]) for value in (0.0, 1.0, 3.0, 6.0, 10.0)] + [graph([1.0, 0])]
PREDICTIONS = [1, 1, 1, 1, 1, 0]


def test_by_hand():
    # Nearest others in the class are at 1, 1, 2, 3 and 4, so the radius is 2; of 0, 1, 3, 6, 10, near 4 is 3 and 6.
    found = embedding_coverage([graph([4.0, 0])], MODEL, GRAPHS, PREDICTIONS, 1)
    assert found.radius == pytest.approx(2.0)
    assert (found.num_covered, found.num_graphs) == (2, 5)
    assert float(found) == found.value == pytest.approx(0.4)
    assert (found.low, found.high) == pytest.approx((0.1176, 0.7693), abs=5e-5)


@pytest.mark.parametrize(("radius", "expected"), [(0.0, 2), (1.0, 3), (3.9, 4), (4.0, 5)])
def test_radius_and_several_prototypes(radius, expected):
    prototypes = explanation([prototype(graph([1.0, 0])), prototype(graph([2.0, 0], [4.0, 0]))])
    assert embedding_coverage(prototypes, MODEL, GRAPHS, PREDICTIONS, 1, radius).num_covered == expected


def test_errors():
    with pytest.raises(ValueError, match=r"^no graph is predicted as class 2, so there is nothing to cover$"):
        embedding_coverage(GRAPHS[:1], MODEL, GRAPHS, PREDICTIONS, 2)
    with pytest.raises(ValueError, match=r"^only one graph is predicted as class 0, .*; pass radius$"):
        embedding_coverage(GRAPHS[:1], MODEL, GRAPHS, PREDICTIONS, 0)
    with pytest.raises(ValueError, match=r"^radius must be at least 0 and finite, got -1$"):
        embedding_coverage(GRAPHS[:1], MODEL, GRAPHS, PREDICTIONS, 1, -1)
    with pytest.raises(ValueError, match=r"^predictions must be one class for each of the 6 graphs, got shape \[2\]$"):
        embedding_coverage(GRAPHS[:1], MODEL, GRAPHS, [1, 0], 1)
