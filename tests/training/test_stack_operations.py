"""The compiled loops and PyTorch's operations, which stand in for them on other devices, do the same."""

import pytest
import torch

from protograph.training.stack_operations import SparseRows, add_bias_and_relu, loss_gradient

# Rows of two, none and three entries.
ENTRIES = torch.tensor([0, 2, 2, 5]), torch.tensor([3, 0, 1, 2, 3]), torch.tensor([2.0, -1.0, 0.5, 4.0, 1.0])
DENSE = torch.tensor([[0.0, 2.0, 0.0, -1.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.5, 4.0, 1.0]]).T.contiguous()


@pytest.fixture(params=[True, False], ids=["compiled", "torch"])
def is_compiled(request):
    if not request.param and not torch.backends.mkl.is_available():
        pytest.skip("PyTorch has sparse products on the CPU only with MKL")
    return request.param


@pytest.fixture
def matrix():
    return torch.tensor([[-1.0, 0.0, 0.0, 2.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.5, 4.0, 1.0]])


@pytest.fixture
def rows(is_compiled):
    return SparseRows(*ENTRIES, 4, is_compiled=is_compiled)


def test_a_product(rows, matrix):
    out = torch.full((3, 3), torch.nan)
    rows.times(DENSE, out)
    assert torch.equal(out, matrix @ DENSE)


def test_a_product_where_units_are_active(rows, matrix):
    active = torch.tensor([[1.0, 0.0, 2.0], [1.0, 1.0, 1.0], [0.0, 3.0, 1.0]])
    out, sums = torch.full((3, 3), torch.nan), torch.full((3,), torch.nan)
    rows.times_masked(DENSE, active, out, sums)
    assert torch.equal(out, (matrix @ DENSE) * (active > 0))
    assert torch.equal(sums, out.sum(0))


def test_a_bias_and_relu(is_compiled):
    h = torch.tensor([[1.0, -1.0, torch.nan], [3.0, 4.0, -9.0]])
    add_bias_and_relu(h, torch.tensor([-2.0, 0.5, 1.0]), is_compiled)
    assert torch.equal(h.nan_to_num(-7.0), torch.tensor([[0.0, 0.0, -7.0], [1.0, 4.5, 0.0]]))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_losses_and_their_gradients(is_compiled, dtype):
    generator = torch.Generator().manual_seed(0)
    logits = torch.randn(3, 5, 4, generator=generator, dtype=dtype) * 3
    labels = torch.randint(4, (3, 5), generator=generator)
    weights = torch.rand(3, 4, generator=generator, dtype=dtype) + 0.1
    given, sums = logits.clone(), torch.empty(3, 4, dtype=dtype)
    losses = loss_gradient(given, labels, weights, sums, is_compiled)
    logits.requires_grad_(True)
    expected = torch.stack(
        [torch.nn.functional.cross_entropy(logits[m], labels[m], weight=weights[m]) for m in range(3)]
    )
    expected.sum().backward()
    assert torch.allclose(losses, expected)
    assert torch.allclose(given, logits.grad, atol=1e-6)
    assert torch.allclose(sums, logits.grad.sum(1), atol=1e-6)
