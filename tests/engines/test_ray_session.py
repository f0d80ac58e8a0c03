import gc
import os
import sys
from types import SimpleNamespace

import pytest

from protograph.engines import ray_session
from protograph.engines.ray_session import joined


class FakeRay(SimpleNamespace):
    """Takes note of how it is called."""

    def __init__(self, is_there=False, error=None):
        super().__init__(is_there=is_there, error=error, started=[], num_shut_down=0)

    def is_initialized(self):
        return self.is_there

    def init(self, **options):
        if self.error is not None:
            raise self.error
        self.is_there = True
        self.started.append(options)

    def shutdown(self):
        self.is_there = False
        self.num_shut_down += 1


@pytest.fixture
def make(monkeypatch):
    def make(**options):
        ray = FakeRay(**options)
        monkeypatch.setitem(sys.modules, "ray", ray)
        return ray

    monkeypatch.setattr(ray_session, "_current", None)
    for name in (*ray_session.QUIET, "RAY_ADDRESS"):
        monkeypatch.delenv(name, raising=False)
    return make


def test_a_cluster_of_this_machine_tells_nobody_and_goes_with_its_last_user(make):
    ray = make()
    one, other = joined(), joined()
    assert other is one
    (options,) = ray.started
    own = {"address": "local", "_node_ip_address": "127.0.0.1", "include_dashboard": False}
    assert options.items() >= own.items()
    assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"
    del one
    gc.collect()
    assert ray.num_shut_down == 0
    del other
    gc.collect()
    assert ray.num_shut_down == 1


def test_the_cluster_of_an_address_is_joined(make, monkeypatch):
    ray = make()
    joined("host:1234").close()
    monkeypatch.setenv("RAY_ADDRESS", "host:5")
    joined().close()
    assert [options["address"] for options in ray.started] == ["host:1234", "host:5"]
    assert ray.num_shut_down == 2


def test_a_cluster_that_was_there_stays(make):
    ray = make(is_there=True)
    session = joined("auto")
    session.close()
    assert (ray.started, ray.num_shut_down, session.ray) == ([], 0, ray)


def test_where_there_is_no_cluster_it_is_said(make):
    make(error=ConnectionError("Could not find any running Ray instance.\nMore."))
    message = (
        r"^address must be that of a running Ray cluster, got 'auto': Could not find any running Ray instance\.; start "
        r"one with 'ray start --head', or leave address out$"
    )
    with pytest.raises(ValueError, match=message):
        joined("auto")
