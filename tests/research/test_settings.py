import pytest

from research.paper.settings import Settings


def test_a_quick_run_takes_the_first_seeds_and_the_first_set():
    quick = Settings(seeds=(5, 6, 7), is_quick=True)
    assert (quick.seeds, quick.table1_seeds) == ((5, 6), (0, 1))
    assert quick.sets(["ba-house", "benzene"]) == ("ba-house",)
    assert quick.fewer((1, 2, 3), 2) == (1, 2)
    assert (quick.num_graphs, quick.max_epochs) == (160, 12)


def test_a_whole_run_takes_all():
    whole = Settings()
    assert (whole.seeds, whole.table1_seeds) == (tuple(range(10)), tuple(range(5)))
    assert whole.sets(["ba-house", "benzene"]) == ("ba-house", "benzene")
    assert (whole.num_graphs, whole.max_epochs) == (None, 1000)


def test_a_set_that_is_left_out_is_not_the_first_either():
    assert Settings(is_quick=True, without=("ba-house",)).sets(["ba-house", "benzene"]) == ("benzene",)


@pytest.mark.parametrize("seeds", [(), (1, 1), (-1,)])
def test_seeds_are_checked(seeds):
    with pytest.raises(ValueError, match=r"seeds must be different whole numbers of at least 0, at least one, got \("):
        Settings(seeds=seeds)


def test_jobs_are_checked():
    with pytest.raises(ValueError, match=r"jobs must be at least 1, got 0$"):
        Settings(jobs=0)


def test_worlds_have_all_seeds_or_the_first():
    assert Settings().world_seeds == tuple(range(10))
    assert Settings(seeds=(4, 5, 6), num_world_seeds=2).world_seeds == (4, 5)


@pytest.mark.parametrize("num", [0, 11])
def test_the_number_of_seeds_of_worlds_is_checked(num):
    with pytest.raises(ValueError, match=rf"^num_world_seeds must be from 1 to the number of seeds, 10, got {num}$"):
        Settings(num_world_seeds=num)
