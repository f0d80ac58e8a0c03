import random

import numpy as np
import pytest
import torch

from protograph._utils.randomness import checked_seed, preserved_random_state, seed_generators


def draws():
    return random.random(), float(np.random.rand()), float(torch.rand(1))


def seeded(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


@pytest.mark.parametrize("error", [None, ValueError, KeyboardInterrupt])
def test_the_generators_go_on_as_if_nothing_had_been_drawn(error):
    with preserved_random_state():
        seeded(3)
        expected = draws()
        seeded(3)
        try:
            with preserved_random_state():
                assert draws() == expected
                seeded(99)
                if error is not None:
                    raise error
        except (ValueError, KeyboardInterrupt):
            pass
        assert draws() == expected


@pytest.mark.parametrize(
    ("seed", "kind", "message"),
    [
        (-1, ValueError, "random_state must be in [0, 2**32), got -1"),
        (2**32, ValueError, "random_state must be in [0, 2**32), got 4294967296"),
        (0.0, TypeError, "random_state must be a whole number, got float"),
        (True, TypeError, "random_state must be a whole number, got bool"),
        (None, TypeError, "random_state must be a whole number, got NoneType"),
    ],
)
def test_other_seeds_are_refused(seed, kind, message):
    with pytest.raises(kind) as caught:
        checked_seed(seed)
    assert str(caught.value) == message


def test_a_seed_decides_all_that_is_drawn():
    with preserved_random_state():
        seed_generators(3)
        first = draws()
        seed_generators(3)
        assert draws() == first
        seeded(3)
        assert draws() == first
