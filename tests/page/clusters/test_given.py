from types import SimpleNamespace

import numpy as np
import pytest
import torch

from protograph.page.clusters.given import given_cluster

EMBEDDINGS = np.array([[0.0, 2.0], [4.0, 0.0], [8.0, 8.0]])
EMBEDDED = SimpleNamespace(predictions=np.zeros(3), exact_embeddings=EMBEDDINGS.__getitem__)


def given(representatives, least=1):
    return given_cluster(representatives, EMBEDDED, least, "scoring='arithmetic'")


def test_they_are_the_only_cluster_in_the_order_given():
    selection = given([1, torch.tensor(0)])
    (cluster,) = selection.clusters
    assert (cluster.representatives, cluster.members, cluster.distances) == ((1, 0), (1, 0), ())
    assert cluster.mean.tolist() == [2.0, 1.0]
    assert selection.notes == ()


@pytest.mark.parametrize(
    ("representatives", "error", "message"),
    [
        (5, TypeError, r"must be a list of graph indices, got 5$"),
        ([0.5], TypeError, r"must be indices of graphs, got 0.5$"),
        ([True], TypeError, r"must be indices of graphs, got True$"),
        ([0, 3], ValueError, r"in \[0, 3\), got 3$"),
        ([], ValueError, r"different graphs, at least one, got \[\]$"),
        ([1, 1], ValueError, r"different graphs, at least one, got \[1, 1\]$"),
    ],
)
def test_what_cannot_be_taken_is_refused(representatives, error, message):
    with pytest.raises(error, match=message):
        given(representatives)


def test_means_over_pairs_take_two():
    with pytest.raises(ValueError, match=r"scoring='arithmetic' needs at least 2 representatives, got 1$"):
        given([0], least=2)
