import numpy as np
import pytest
from scipy.stats import t

from research.paper.findings import Estimate, verdict


def test_a_mean_has_students_interval():
    values = [0.2, 0.5, 0.5, 0.8]
    low, high = t.interval(0.95, 3, loc=0.5, scale=np.std(values, ddof=1) / 2)
    assert Estimate.of(values) == Estimate(0.5, pytest.approx(low), pytest.approx(high), 4)


def test_an_interval_ends_where_no_mean_can_be():
    assert Estimate.of([0.0, 1.0], least=0.0, most=1.0) == Estimate(0.5, 0.0, 1.0, 2)


def test_the_interval_of_one_more_draw_is_wider_by_the_root_of_n_plus_one():
    mean = Estimate.of([1.0, 2.0, 3.0])
    draw = Estimate.of([1.0, 2.0, 3.0], is_of_one_draw=True)
    assert draw.high - 2.0 == pytest.approx(2.0 * (mean.high - 2.0))


def test_of_one_value_nothing_is_known_of_the_spread():
    assert Estimate.of([0.4], least=0.0, most=1.0) == Estimate(0.4, None, None, 1)
    assert Estimate.bootstrap([0.4]) == Estimate(0.4, None, None, 1)
    assert Estimate.tau(1.0, 1) == Estimate(1.0, None, None, 1)


def test_a_share_has_wilsons_interval():
    assert Estimate.share(8, 10) == Estimate(0.8, pytest.approx(0.4902, abs=5e-5), pytest.approx(0.9433, abs=5e-5), 10)
    with pytest.raises(ValueError, match=r"trials must be at least 1, got 0$"):
        Estimate.share(0, 0)


def test_a_bootstrap_of_equal_values_has_no_width_and_the_same_seed_gives_the_same():
    assert Estimate.bootstrap([3.0] * 5) == Estimate(3.0, 3.0, 3.0, 5)
    values = list(np.random.default_rng(1).normal(size=30))
    assert Estimate.bootstrap(values, np.std) == Estimate.bootstrap(values, np.std)


def test_a_bootstrap_of_a_mean_is_near_the_normal_interval():
    values = np.random.default_rng(0).normal(size=400)
    found = Estimate.bootstrap(list(values), np.mean)
    spread = 1.96 * values.std(ddof=1) / 20
    assert (found.low, found.high) == pytest.approx((values.mean() - spread, values.mean() + spread), abs=0.015)


def test_tau_over_eleven_models_has_the_error_that_is_known():
    found = Estimate.tau(0.0, 11)
    assert found.high / 1.959964 == pytest.approx(np.sqrt(54 / 990))
    assert Estimate.tau(0.95, 11).high == 1.0


@pytest.mark.parametrize("values", [[], [1.0, float("nan")]])
def test_values_are_checked(values):
    with pytest.raises(ValueError, match=r"values must be finite numbers, at least one, got \["):
        Estimate.of(values)


@pytest.mark.parametrize(
    ("ours", "paper", "larger", "wanted"),
    [
        (Estimate(0.8, 0.7, 0.9, 5), 0.6, True, "better"),
        (Estimate(0.8, 0.7, 0.9, 5), 0.6, False, "worse"),
        (Estimate(0.5, 0.4, 0.55, 5), 0.6, True, "worse"),
        (Estimate(0.5, 0.4, 0.55, 5), 0.6, False, "better"),
        (Estimate(0.5, 0.4, 0.6, 5), 0.6, True, "undecided"),
        (Estimate(0.5, None, None, 1), 9.0, True, "undecided"),
        (Estimate(1.0, 1.0, 1.0, 5), 1.00004, True, "agrees"),
        (Estimate(1.0, 1.0, 1.0, 5), 0.9999, True, "better"),
        (Estimate(0.5, 0.4, 0.6, 5), 0.6, None, "agrees"),
        (Estimate(0.5, 0.4, 0.6, 5), 0.7, None, "differs"),
        (Estimate(0.5, 0.4, 0.6, 5), None, True, "not comparable"),
    ],
)
def test_verdicts(ours, paper, larger, wanted):
    assert verdict(ours, paper, larger) == wanted
