import pytest
import torch

from protograph.models.precision import DoubleInPlaceOfFloat, run_as_is, run_in_double

X = torch.ones(2, dtype=torch.float64)


@pytest.mark.parametrize(
    "operation",
    [
        lambda: X.float(),
        lambda: X.to(torch.float32),
        lambda: X.to(dtype=torch.float32),
        lambda: X.sum(dtype=torch.float32),
        lambda: torch.zeros(3, dtype=torch.float32),
        lambda: X + 1,
    ],
)
def test_what_asks_for_single_precision_gets_double(operation):
    with DoubleInPlaceOfFloat():
        assert operation().dtype is torch.float64


def test_other_types_stay_as_they_are():
    with DoubleInPlaceOfFloat():
        assert X.to(torch.int64).dtype is torch.int64
        assert torch.zeros(3, dtype=torch.bool).dtype is torch.bool


def test_an_operation_is_run_with_its_arguments():
    assert run_in_double(torch.sum, (X,), None) == run_as_is(torch.sum, (X,), {"dim": 0}) == 2
    assert run_as_is(torch.Tensor.to, (X, torch.float32), None).dtype is torch.float32
