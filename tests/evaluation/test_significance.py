import pytest
from scipy import stats

from protograph.evaluation.significance import holm, paired_p_value


@pytest.mark.parametrize("others", [[0.1, 0.5, 0.2, 0.9], [0.0, 0.1, 0.1, 0.3]])
def test_it_is_the_paired_t_test(others):
    values = [0.3, 0.4, 0.6, 0.8]
    assert paired_p_value(values, others) == pytest.approx(stats.ttest_rel(values, others).pvalue, rel=1e-12)


@pytest.mark.parametrize(("num", "p_value"), [(2, 0.5), (6, 2 / 64), (11, 2 / 2048)])
def test_a_difference_that_is_always_the_same_is_tested_by_its_sign(num, p_value):
    assert paired_p_value([0.7] * num, [0.2] * num) == p_value
    assert paired_p_value([0.7] * num, [0.7] * num) == 1.0


def test_holm_by_hand():
    # 3 * .02, 2 * .03 and 1 * .04, none below the one before it.
    assert holm([0.04, 0.02, 0.03]) == [0.06, 0.06, 0.06]
    assert holm([0.001, 0.9, 0.02]) == pytest.approx([0.003, 0.9, 0.04])
    assert holm([]) == []
    assert holm([0.6, 0.7]) == [1.0, 1.0]
