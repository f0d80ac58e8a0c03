import numpy as np
import pytest

from protograph.page.clusters.selection import select
from protograph.page.clusters.streaming import select_streamed
from protograph.page.options import ClusterOptions
from tests.page.clusters.rounded import Rounded


def clouds(*sizes, seed=0, dim=3):
    """Well separated clouds of points, and a few that lie far from all."""
    rng = np.random.default_rng(seed)
    parts = [rng.normal(size=(size, dim)) + 12 * number for number, size in enumerate(sizes)]
    return np.concatenate(parts)


def streamed(points, members, sample, **options):
    return select_streamed(
        points,
        members,
        num_clusters=options.get("num_clusters", 2),
        num_graphs=3,
        random_state=0,
        resolution=1e-13,
        content_key=lambda index: index.to_bytes(8, "big"),
        options=ClusterOptions(max_fitted=sample),
    )


@pytest.mark.parametrize("block", [7, 2**16])
def test_a_sample_of_all_gives_the_clusters_and_representatives_of_all(monkeypatch, block):
    monkeypatch.setattr("protograph.page.clusters.streaming._BLOCK", block)
    points = clouds(60, 40)
    members = np.arange(100)
    wanted = select(points, members, num_clusters=2, num_graphs=3, random_state=0, resolution=1e-13)
    found = streamed(points, members, 100)
    assert [set(one.members) for one in found] == [set(one.members) for one in wanted]
    assert [one.representatives for one in found] == [one.representatives for one in wanted]
    for one, other in zip(found, wanted, strict=True):
        assert one.members[:10] == other.members[:10]
        np.testing.assert_allclose(one.distances, other.distances, rtol=1e-9)
        np.testing.assert_allclose(one.mean, other.mean, rtol=1e-9)


def test_all_are_assigned_by_a_mixture_of_some_and_it_is_said():
    points = np.concatenate([np.full((5, 3), 99.0), clouds(600, 400, seed=1)])
    members = np.arange(5, 1005)
    found = streamed(points, members, 50)
    assert [len(one.members) for one in found] == [600, 400]
    assert set(found.clusters[0].members) == set(range(5, 605))
    assert found.notes[0] == (
        "the mixture was fitted to 50 of the 1,000 graphs of the class, drawn by the seed 0; all of them were assigned "
        "to its clusters"
    )
    assert streamed(points, members, 50).clusters[0].representatives == found.clusters[0].representatives


def test_twins_are_chosen_once_and_the_first_by_content():
    points = np.repeat(clouds(50, 50, seed=2), 4, axis=0)
    found = select_streamed(
        points,
        np.arange(400),
        num_clusters=2,
        num_graphs=3,
        random_state=0,
        resolution=1e-13,
        content_key=lambda index: (-index % 4).to_bytes(8, "big"),
        options=ClusterOptions(max_fitted=200),
    )
    for cluster in found:
        assert len({index // 4 for index in cluster.near}) == len(cluster.near) == 50
        assert all(index % 4 == 0 for index in cluster.near)
        assert cluster.representatives == cluster.near[:3]


def test_graphs_far_off_are_members_and_represent_nothing():
    points = clouds(500, seed=3)
    points[17] = 1e6
    found = streamed(points, np.arange(500), 400, num_clusters=1)
    (cluster,) = found.clusters
    assert len(cluster.members) == 500
    assert cluster.far == {17}
    assert 17 not in cluster.near
    assert found.notes[-1] == "graph 17 lies far outside of the class; it counts as a member but represents no cluster"


def rows_of_a_class(seed, number, dim, *, with_twins):
    """Normal rows, or such on a grid, which have twins, and others as far from the mean."""
    rows = np.random.default_rng(seed).normal(size=(number, dim))
    return np.round(rows, 1) / 3 if with_twins else rows


def both_precisions(rows, **options):
    """What is chosen by exact rows, and by rows of single precision that are made exact on demand."""
    rounded = Rounded(rows, options.pop("relative_error", 2.0**-23))
    seed, sample = options.pop("seed"), ClusterOptions(max_fitted=options.pop("max_fitted", 20_000))

    def chosen(embeddings, exact):
        return select_streamed(
            embeddings,
            np.arange(len(rows)),
            num_graphs=3,
            random_state=seed,
            resolution=1e-13,
            content_key=lambda index: (index % 7).to_bytes(8, "big"),
            options=sample,
            exact=exact,
            **options,
        )

    return chosen(rows, None), chosen(rounded.embeddings, rounded), rounded


def assert_same(wanted, found):
    assert [one.representatives for one in found] == [one.representatives for one in wanted]
    assert [one.near for one in found] == [one.near for one in wanted]
    assert [sorted(one.members) for one in found] == [sorted(one.members) for one in wanted]
    assert [one.far for one in found] == [one.far for one in wanted]
    assert found.notes == wanted.notes


@pytest.mark.parametrize(("num_clusters", "seed"), [(1, 1), (2, 2)])
def test_the_graphs_of_a_large_class_are_those_of_double_precision(num_clusters, seed):
    rows = rows_of_a_class(seed, 25_000, 2, with_twins=False)
    wanted, found, _ = both_precisions(rows, num_clusters=num_clusters, seed=seed)
    assert_same(wanted, found)


@pytest.mark.parametrize("with_twins", [False, True], ids=["all different", "with twins"])
@pytest.mark.parametrize("num_clusters", [1, 2, 3, "auto"])
@pytest.mark.parametrize("seed", range(3))
def test_they_are_so_whatever_the_rows(seed, num_clusters, with_twins):
    rows = rows_of_a_class(seed, 4000, 2 + seed, with_twins=with_twins)
    wanted, found, rounded = both_precisions(rows, num_clusters=num_clusters, seed=seed, max_fitted=500)
    assert_same(wanted, found)
    assert rounded.num_exact >= 500


def test_how_large_errors_are_said_to_be_decides_nothing():
    rows = rows_of_a_class(5, 6000, 3, with_twins=True)
    options = {"num_clusters": 2, "seed": 5, "max_fitted": 800}
    chosen = [both_precisions(rows, relative_error=error, **options)[1] for error in (2.0**-23, 1e-5, 1e-3)]
    for other in chosen[1:]:
        assert_same(chosen[0], other)


def test_of_many_graphs_that_are_not_near_most_stay_as_they_are():
    rows = rows_of_a_class(0, 60_000, 3, with_twins=False)
    wanted, found, rounded = both_precisions(rows, num_clusters=2, seed=0, max_fitted=2000)
    assert_same(wanted, found)
    assert rounded.num_exact < 2000 + 2 * 6400 + 100
