"""Work by two workers of Ray, on a cluster of this machine that is started once."""

import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import protograph as pg
from protograph.engines import ray as engine
from tests import zoo

GRAPHS = zoo.random_graphs(40)
pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed"),
]


@pytest.fixture(scope="module")
def cluster():
    one = engine.joined()
    yield one
    one.close()


def added(shared, item):
    return shared + item


def test_results_come_in_the_order_of_the_items(cluster):
    assert list(cluster.map(added, 10, iter(range(30)), name_of=str)) == list(range(10, 40))


def ends_once(folder, item):
    """Ends its process the first time that an item is worked on."""
    place = Path(folder) / str(item)
    if not place.exists():
        place.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return item, os.getpid()


def test_what_a_killed_worker_had_is_done_again(cluster, tmp_path):
    found = list(cluster.map(ends_once, str(tmp_path), range(2), name_of=str))
    assert [item for item, _ in found] == [0, 1]
    assert os.getpid() not in {pid for _, pid in found}


def only_here(pid, item):
    if os.getpid() != pid:
        raise KeyError("nothing here")
    return item


def never(shared, item):
    raise ZeroDivisionError("never")


def test_what_fails_here_too_is_raised_and_what_fails_there_alone_is_named(cluster):
    with pytest.raises(ZeroDivisionError, match="never"):
        list(cluster.map(never, None, [1], name_of=str))
    with pytest.raises(OSError, match=r"Ray worker failed at item 1: .*nothing here.*engine='local'"):
        list(cluster.map(only_here, os.getpid(), [1], name_of="item {}".format))


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
    here = pg.PAGE(budget=2).fit(model, GRAPHS)
    there = pg.PAGE(budget=2).fit(model, GRAPHS, batch_size=7, engine="ray")
    assert there.predictions_.tolist() == here.predictions_.tolist()
    found, wanted = told(there.explain_all()), told(here.explain_all())
    assert found.keys() == wanted.keys()
    for target in wanted:
        assert repr(found[target][1:]) == repr(wanted[target][1:])
        for one, other in zip(found[target][0], wanted[target][0], strict=True):
            assert one[:3] == other[:3]
            assert one[3] == pytest.approx(other[3], abs=1e-5)
            assert one[4] == other[4]


SCRIPT = """
import subprocess, sys
import protograph.engines.ray as engine
def where(shared, item):
    import numpy
    return numpy.__file__
if __name__ == "__main__":
    cluster = engine.joined()
    print(*cluster.map(where, None, [0], name_of=str))
    import ray
    print(ray.util.get_node_ip_address())
"""


def test_a_file_of_the_working_folder_is_no_package_of_a_worker_and_nobody_else_is_heard(tmp_path):
    (tmp_path / "numpy.py").write_text("raise SystemExit('not this one')")
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "run.py").write_text(SCRIPT)
    command = [sys.executable, "scripts/run.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    package, address = done.stdout.split()
    assert package.endswith("numpy/__init__.py")
    assert address == "127.0.0.1"


def test_where_there_is_no_cluster_is_said(monkeypatch):
    with pytest.raises(ValueError, match=r"address needs engine='ray'.*got 'auto' with engine='local'"):
        pg.PAGE().fit(zoo.make(), GRAPHS, address="auto")
    with pytest.raises(ValueError, match=r"engine must be 'local' or 'ray', got 'spark'"):
        pg.PAGE().fit(zoo.make(), GRAPHS, engine="spark")
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ImportError, match=r"pip install protograph\[ray\]"):
        pg.PAGE().fit(zoo.make(), GRAPHS, engine="ray")
