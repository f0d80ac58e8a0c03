import numpy as np
import pytest

from protograph.explanation import codec, long_columns
from protograph.explanation.long_columns import is_packed, packed, unpacked


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([], int),
        ([5, 5, 5], int),
        ([0, -(2**40), 2**40], int),
        ([0.123457, 1.0, 0.0], float),
        ([1 / 3, -0.0, 1e300], float),
    ],
)
def test_numbers_come_back_to_the_last_bit(values, kind):
    made = packed(values, kind)
    assert is_packed(made)
    assert [repr(value) for value in unpacked(made)] == [repr(value) for value in values]


def test_a_column_of_many_graphs_takes_little():
    assert len(packed(range(10**6), int)["numbers"]) < 2000
    flags = np.random.default_rng(0).integers(0, 2, 10**5)
    assert len(packed(flags, int)["numbers"]) < 30_000


@pytest.mark.parametrize(
    "change", [{"dtype": "object"}, {"size": 4}, {"size": -1}, {"size": 2}, {"numbers": "?"}, {"numbers": "AAAA"}]
)
def test_other_content_is_refused(change):
    with pytest.raises(ValueError, match=r"packed"):
        unpacked({**packed([1, 2, 3], int), **change})


def test_long_lists_are_packed_and_read_whatever_their_length(monkeypatch):
    monkeypatch.setattr(codec, "LONG", 2)
    for kind, values in ((tuple[int, ...], (1, 2, 4)), (tuple[float, ...], (0.5, 1 / 3, 2.0))):
        written = codec.pack(values, kind)
        assert is_packed(written)
        assert codec.read(written, kind) == values
    assert long_columns.LONG == 100_000
