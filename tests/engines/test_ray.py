"""Work by two workers of Ray, on a cluster of this machine that is started once."""

import importlib.util
import os
import signal
import sys
from pathlib import Path

import pytest

import protograph as pg
from protograph.engines.ray import opened
from tests import zoo

GRAPHS = zoo.random_graphs(16)
pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed"),
]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Started by a script, in whose folder, as in the working folder, is a file with the name of a package."""
    folder = tmp_path_factory.mktemp("ray")
    (folder / "scripts").mkdir()
    for place in (folder, folder / "scripts"):
        (place / "numpy.py").write_text("raise SystemExit('not this one')")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "argv", [str(folder / "scripts" / "run.py")])
        yield opened("ray")
        importlib.import_module("ray").shutdown()


def where(shared, item):
    import numpy

    return numpy.__file__, os.getcwd()


def test_a_file_of_the_working_folder_is_no_package_of_a_worker_and_nobody_else_is_heard(cluster):
    ((package, folder),) = cluster.map(where, None, [0], name_of=str)
    assert package.endswith("numpy/__init__.py")
    assert not (Path(folder) / "numpy.py").exists()
    assert importlib.import_module("ray").util.get_node_ip_address() == "127.0.0.1"


def added(shared, item):
    return shared + item


def test_results_come_in_the_order_of_the_items(cluster):
    assert list(cluster.map(added, 10, iter(range(30)), name_of=str)) == list(range(10, 40))


def never(shared, item):
    raise ZeroDivisionError("never")


def test_what_a_worker_raises_is_raised_here_and_where_it_was_is_told(cluster):
    with pytest.raises(ZeroDivisionError, match="never") as caught:
        list(cluster.map(never, None, [1], name_of="item {}".format))
    assert "Ray worker was at item 1; every machine" in caught.value.__notes__[0]


def test_what_cannot_be_pickled_is_refused_with_a_way_out(cluster):
    with pytest.raises(TypeError, match=r"must be picklable: .*lock.*engine='local'"):
        list(cluster.map(added, __import__("threading").Lock(), [1], name_of=str))
    with pytest.raises(ValueError, match=r"a GPU, got none; pass device='cpu'"):
        list(cluster.map(added, 1, [1], name_of=str, on_gpu=True))


def told(explanations):
    """All of explanations but for how long it took."""
    plain = {}
    for target, one in explanations.items():
        prototypes = [(p.graph.x.tolist(), p.sources, p.nodes, p.margin, p.matches.tolist()) for p in one.prototypes]
        plain[target] = (prototypes, str(one.rule), one.warnings, one.provenance.model_calls)
    return plain


def test_two_workers_give_the_same_answers(cluster):
    model = zoo.make(seed=1)
    here = pg.PAGE(budget=1, max_reasons=1).fit(model, GRAPHS)
    there = pg.PAGE(budget=1, max_reasons=1).fit(model, GRAPHS, batch_size=7, engine="ray")
    assert there.predictions_.tolist() == here.predictions_.tolist()
    found, wanted = told(there.explain_all()), told(here.explain_all())
    assert found.keys() == wanted.keys()
    for target in wanted:
        assert repr(found[target][1:]) == repr(wanted[target][1:])
        for one, other in zip(found[target][0], wanted[target][0], strict=True):
            assert one[:3] == other[:3]
            assert one[3] == pytest.approx(other[3], abs=1e-5)
            assert one[4] == other[4]


def ends_once(place, item):
    """Ends its process the first time that item 1 is worked on."""
    if item == 1 and not Path(place).exists():
        Path(place).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return item, os.getpid()


def test_what_a_killed_worker_had_is_done_again(cluster, tmp_path):
    found = list(cluster.map(ends_once, str(tmp_path / "ended"), range(2), name_of=str))
    assert [item for item, _ in found] == [0, 1]
    assert (tmp_path / "ended").exists()
    assert os.getpid() not in {pid for _, pid in found}


def test_where_there_is_no_cluster_is_said(monkeypatch):
    with pytest.raises(ValueError, match=r"address needs engine='ray'.*got 'auto' with engine='local'"):
        pg.PAGE().fit(zoo.make(), GRAPHS, address="auto")
    with pytest.raises(ValueError, match=r"engine must be 'local' or 'ray', got 'spark'"):
        pg.PAGE().fit(zoo.make(), GRAPHS, engine="spark")
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ImportError, match=r"pip install protograph\[ray\]"):
        pg.PAGE().fit(zoo.make(), GRAPHS, engine="ray")
