import numpy as np
import pytest

from protograph.page.clusters.selection import select
from protograph.page.clusters.streaming import select_streamed
from protograph.page.options import ClusterOptions


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
