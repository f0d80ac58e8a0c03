import pytest

from protograph._utils.intervals import wilson


@pytest.mark.parametrize(
    ("successes", "trials", "expected"),
    [
        (0, 0, (0.0, 1.0)),
        (0, 10, (0.0, 0.2775)),  # z^2 / (n + z^2) = 3.8415 / 13.8415
        (10, 10, (0.7225, 1.0)),
        (15, 148, (0.0624, 0.1605)),  # Newcombe 1998, table I
    ],
)
def test_wilson(successes, trials, expected):
    assert wilson(successes, trials) == pytest.approx(expected, abs=5e-5)


def test_what_is_no_share():
    with pytest.raises(ValueError, match=r"^confidence must be between 0 and 1, got 95$"):
        wilson(1, 2, 95)
    with pytest.raises(ValueError, match=r"^successes must be in \[0, 2\], the number of trials, got 3$"):
        wilson(3, 2)
