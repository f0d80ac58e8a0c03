import sys

import pytest

import protograph as pg
from protograph.engines.engine import LocalEngine, opened
from tests import zoo


def test_everything_is_done_here_when_it_is_asked_for():
    engine, done = LocalEngine(), []

    def double(number):
        done.append(number)
        return 2 * number

    work = engine.share(double, "a function", is_kept=True)
    results = engine.over_shards(work, iter([1, 2, 3]), name_of=str, here=double)
    assert (next(results), done) == (2, [1])
    assert list(engine.begin(double, [4, 5], name_of=str)) == [8, 10]
    assert (engine.is_local, engine.num_workers) == (True, 1)


def test_engines_have_names():
    assert isinstance(opened("local"), LocalEngine)
    with pytest.raises(ValueError, match=r"^engine must be 'local' or 'ray', got 'spark'$"):
        opened("spark")
    with pytest.raises(ValueError, match=r"^address needs engine='ray', as it is that of a Ray cluster, got 'auto' "):
        pg.baselines.RandomSubgraph().fit(zoo.make(), zoo.random_graphs(5), address="auto")


def test_without_ray_it_is_said_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(
        ImportError, match=r"^engine='ray' needs Ray, which is not installed; pip install protograph\[ray\]$"
    ):
        pg.PAGE().fit(zoo.make(), zoo.random_graphs(5), engine="ray")
