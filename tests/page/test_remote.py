import copy
from dataclasses import replace

import cloudpickle
import numpy as np
import pytest

import protograph as pg
from protograph.engines.engine import LocalEngine
from protograph.page.candidate import NoPrototypeError
from protograph.page.remote import Search, Twin, begin_searches, search_cluster
from tests import zoo

GRAPHS = zoo.random_graphs(60)
SEARCHES = {"walk": {"search": "walk", "num_clusters": 2}, "consensus": {"max_reasons": 0, "num_clusters": 2}}


class Pickled:
    """What workers get is a copy, whose arrays can only be read as those of Ray."""

    def __init__(self, value):
        self._value = value

    def get(self):
        buffers = []
        data = cloudpickle.dumps(self._value, protocol=5, buffer_callback=buffers.append)
        return cloudpickle.loads(data, buffers=[bytes(buffer.raw()) for buffer in buffers])


class Workers(LocalEngine):
    """An engine whose workers are copies of everything."""

    is_local = False

    def share(self, value, what, **options):
        return Pickled(value)


@pytest.mark.parametrize("search", SEARCHES)
def test_searches_of_a_copy_find_the_same(search, monkeypatch):
    model = zoo.make()
    expected = pg.PAGE(**SEARCHES[search]).fit(model, GRAPHS)
    monkeypatch.setattr("protograph.explainer.opened", lambda *_: Workers())
    explainer = pg.PAGE(**SEARCHES[search]).fit(model, iter(GRAPHS))
    found, wanted = explainer.explain_all(), expected.explain_all()
    for target in wanted:
        assert found[target].model_calls == wanted[target].model_calls
        for one, other in zip(found[target].prototypes, wanted[target].prototypes, strict=True):
            assert (one.sources, one.nodes, one.margin) == (other.sources, other.nodes, other.margin)
            assert np.array_equal(one.matches, other.matches)
            assert one.evidence == other.evidence
    again = explainer.explain(0)
    assert [one.nodes for one in again.prototypes] == [one.nodes for one in wanted[0].prototypes]


def test_a_copy_has_its_own_model_and_progress():
    explainer = pg.PAGE(**SEARCHES["walk"]).fit(zoo.make(), GRAPHS, progress=print)
    explainer.explain(0)
    twin = copy.deepcopy(Twin(explainer, explainer.graphs_)).explainer
    assert twin._running.usage.num_graphs == 0
    assert {name.partition(",")[0] for name in twin._cache} == {"encoded", "edges"}
    assert twin._progress._progress is None


def test_a_cluster_without_a_prototype_says_why():
    explainer = pg.PAGE(search="walk", scoring="arithmetic", num_clusters=1).fit(zoo.make(), GRAPHS)
    cluster = explainer.representatives(0).clusters[0]
    single = replace(cluster, representatives=cluster.representatives[:1])
    shared = LocalEngine().share(Twin(explainer, explainer.graphs_), "")
    found = search_cluster(Search(shared, 0, single))
    assert found.result == "scoring='arithmetic' needs at least 2 graphs, it has 1"
    begun = begin_searches(LocalEngine(), shared, [0])[0]
    begun._found = iter([found])
    with pytest.raises(NoPrototypeError, match=r"^scoring='arithmetic' needs at least 2 graphs, it has 1$"):
        begun.next_result(explainer._running.usage)
    assert Search(shared, 0, single).name == f"the search of class 0, a cluster of {len(cluster.members)} graphs"
