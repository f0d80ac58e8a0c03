import numpy as np

from protograph.page.clusters.assigning import Assigning, far_limits
from protograph.page.clusters.mixture import Mixture, Scaling
from protograph.page.options import ClusterOptions

# Two clusters of one dimension, as large as each other, with means 0 and 10 and variances of 1; of the second nothing
# is far off.
SCALING = Scaling(np.array([True]), np.zeros(1), np.ones(1))
MIXTURE = Mixture(np.array([0, 1]), [np.zeros(1), np.full(1, 10.0)], [np.ones(1), np.ones(1)], "diag", "")
OPTIONS = ClusterOptions(far=6.0, clip=100.0)
LIMITS = [(np.zeros(1), np.ones(1)), None]
ASSIGNING = Assigning(SCALING, MIXTURE, LIMITS, OPTIONS)


def column(*values):
    return np.array(values, dtype=float)[:, None]


def test_graphs_go_to_the_likelier_cluster_and_of_those_as_likely_to_the_first():
    found = ASSIGNING(column(1.0, 9.0, 5.0, 5.0 + 1e-13, 5.1, -7.0, 20.0))
    assert found.labels.tolist() == [0, 1, 0, 0, 1, 0, 1]
    np.testing.assert_allclose(found.distances, [1.0, 1.0, 5.0, 5.0, 4.9, 7.0, 10.0])
    assert found.is_far.tolist() == [False] * 5 + [True, False]


def test_unsure_are_those_that_an_error_might_move_over_a_boundary():
    rows = column(4.0, 4.95, 5.05, 6.0, -5.95, -6.05, -7.0, 16.0)
    errors = np.full((8, 1), 0.1)
    assert ASSIGNING.are_unsure(rows, errors).tolist() == [False, True, True, False, True, True, False, False]
    assert not ASSIGNING.are_unsure(rows, np.zeros((8, 1))).any()


def test_a_distance_is_wrong_by_no_more_than_the_errors_of_all_dimensions_come_to():
    rng = np.random.default_rng(0)
    covariance = np.array([[2.0, 1.5], [1.5, 2.0]])
    scaling = Scaling(np.array([True, False, True]), np.ones(2), np.array([0.5, 3.0]))
    mixture = Mixture(np.array([0]), [np.ones(2)], [covariance], "full", "")
    assigning = Assigning(scaling, mixture, [None], OPTIONS)
    rows, errors = rng.normal(size=(500, 3)), rng.uniform(0, 0.1, size=(500, 3))
    most = assigning.distance_errors(errors)[0]
    for _ in range(50):
        moved = rows + rng.choice([-1.0, 1.0], rows.shape) * errors
        change = np.abs(assigning.distances(moved, 0) - assigning.distances(rows, 0))
        assert (change <= most + 1e-12).all()
    assert change.max() > most.max() / 2


def test_a_cluster_that_would_have_too_few_others_has_no_limit():
    positions, twins = column(*np.linspace(-1, 1, 50), 99.0), np.arange(51)
    labels = np.zeros(51, np.int64)
    (limit,) = far_limits(positions, twins, labels, 3, ClusterOptions())
    assert limit[0].tolist() == [np.median(positions)]
    assert far_limits(positions, twins, labels, 51, ClusterOptions()) == [None]


def test_rows_that_do_not_vary_are_all_sure():
    scaling = Scaling(np.array([False]), np.zeros(0), np.zeros(0))
    mixture = Mixture(np.array([0]), [np.zeros(0)], [np.zeros(0)], "none", "")
    assigning = Assigning(scaling, mixture, [None], OPTIONS)
    assert not assigning.are_unsure(column(1.0, 1.0), column(0.1, 0.1)).any()
    assert assigning(column(1.0, 1.0)).distances.tolist() == [0.0, 0.0]
