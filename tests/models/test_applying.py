import pytest

from protograph.models.applying import graphs_at_once
from protograph.models.checkpoint import GRAPHS_A_SHARD


@pytest.mark.parametrize(
    ("batch_size", "device", "options", "number"),
    [
        (None, "cpu", {}, 1024),
        (None, "cpu", {"are_views": True}, 4096),
        (None, "cuda", {"are_views": True}, 2**15),
        (None, "cuda", {"has_checkpoint": True}, GRAPHS_A_SHARD),
        (7, "cuda", {"has_checkpoint": True, "are_views": True}, 7),
    ],
)
def test_how_many_graphs_are_read_at_a_time(batch_size, device, options, number):
    assert graphs_at_once(batch_size, device, **options) == number
