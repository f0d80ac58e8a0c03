import pytest

from protograph.engines.engine import Here
from protograph.engines.ray_pool import MOST_ENDED, HolderPool
from protograph.engines.ray_work import Finished, Unfinished
from tests.engines.fake_ray import FakeRay, RayTaskError


def outcomes(ray, shards, work=abs, count=2):
    return HolderPool(ray, Here(work), shards, "shard {}".format, count, {"num_cpus": 1}).outcomes()


def results(ray, shards, **options):
    return [(shard, outcome.result) for shard, outcome in outcomes(ray, shards, **options)]


NUMBERS = [(-number, number) for number in range(30)]


@pytest.mark.parametrize(
    "ends",
    [{}, {0: [0]}, {0: [3, 4], 1: [1]}, {0: [0, 2, 4], 1: [0]}],
    ids=["none", "at once", "later", "again and again"],
)
def test_every_shard_is_done_once_and_in_order_whoever_ends(ends):
    ray = FakeRay(ends)
    assert results(ray, range(0, -30, -1)) == NUMBERS
    assert ray.killed == [0, 1]
    assert ray.options == [{"max_restarts": -1, "num_cpus": 1}]


def test_the_others_go_on_where_one_cannot_be_started_again():
    assert results(FakeRay({0: ...}, gone=[0]), range(0, -30, -1)) == NUMBERS


def test_shards_are_gone_through_no_further_than_actors_need():
    read = []
    found = outcomes(FakeRay(), (shard for shard in range(100) if not read.append(shard)))
    next(found)
    assert len(read) <= 8
    found.close()


def test_a_shard_that_ends_its_actors_is_given_up():
    ray = FakeRay({0: ..., 1: ...})
    message = (
        rf"^shard 7 was given up: {MOST_ENDED} Ray workers ended while they had it, as where memory is not enough "
        r"\(The actor is unavailable\.\)$"
    )
    with pytest.raises(OSError, match=message):
        results(ray, [7])
    assert ray.killed == [0, 1]


def test_what_work_raises_is_told_in_words():
    def refuse(shard):
        if shard == 1:
            raise ValueError("no such file\nand more")
        return shard

    assert [outcome for _, outcome in outcomes(FakeRay(), [0, 1, 2], work=refuse)] == [
        Finished(0),
        Unfinished("ValueError: no such file"),
        Finished(2),
    ]


def test_work_that_cannot_be_unpacked_is_told_in_words():
    class Missing:
        def get(self):
            raise RayTaskError("Traceback\n  deep inside\nModuleNotFoundError: No module named 'mine'")

    pool = HolderPool(FakeRay(), Missing(), [3], str, 1, {})
    assert list(pool.outcomes()) == [(3, Unfinished("ModuleNotFoundError: No module named 'mine'"))]
