import pytest
import torch
from protograph.training.threads import one_thread


@pytest.fixture
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("two_threads")
def test_one_thread_inside_and_as_many_as_before_afterwards():
    with one_thread():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == 2


@pytest.mark.usefixtures("two_threads")
def test_an_error_brings_the_threads_back():
    with pytest.raises(ValueError, match=r"^broken$"), one_thread():
        raise ValueError("broken")
    assert torch.get_num_threads() == 2
