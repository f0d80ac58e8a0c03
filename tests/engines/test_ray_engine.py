"""A real Ray cluster of two nodes: what its workers find is what one process finds, also where some are killed."""

import json
import os
import signal
import threading
import warnings

import numpy as np
import pytest

import protograph as pg
from protograph.engines import ray_session
from protograph.engines.ray_engine import RayEngine, resources_of
from protograph.engines.ray_session import joined
from protograph.patterns import containment, spreading
from tests import zoo
from tests.engines.slow import Slow

ray = pytest.importorskip("ray", reason="Ray is not installed (pip install protograph[ray])")

# One cluster for all of these tests, in their order: the last one loses a node.
GRAPHS = zoo.random_graphs(300)
# That a node is gone is noticed in a second, not in a quarter of a minute.
QUICK = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 200,
    "health_check_timeout_ms": 1000,
    "health_check_failure_threshold": 3,
}
NODE = {"num_cpus": 1, "object_store_memory": 80_000_000, "include_dashboard": False}


@pytest.fixture(scope="module")
def cluster():
    from ray.cluster_utils import Cluster

    before = dict(os.environ)
    os.environ.update(ray_session.QUIET)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster = Cluster(initialize_head=True, head_node_args={**NODE, "_system_config": QUICK})
        cluster.second = cluster.add_node(num_cpus=1, object_store_memory=80_000_000)
        ray.init(address=cluster.address, log_to_driver=False, logging_level="FATAL")
        yield cluster
        ray.shutdown()
        cluster.shutdown()
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shards")
    pg.write_shards(GRAPHS, folder, size=20)
    return folder


@pytest.fixture
def processes(tmp_path):
    (tmp_path / "processes").mkdir()
    (tmp_path / "processes" / "slow").touch()
    return tmp_path / "processes"


def content(explanations, path):
    """All that is saved, but for what took how long, and when."""
    explanations.save(path)

    def without_times(value):
        if isinstance(value, dict):
            return {key: without_times(one) for key, one in value.items() if key not in ("timings", "date")}
        return [without_times(one) for one in value] if isinstance(value, list) else value

    return without_times(json.loads(path.read_text()))


class Killer:
    """A progress callback that kills, once the first shard is done."""

    def __init__(self, kill):
        self._kill, self.told, self.has_killed = kill, [], False

    def __call__(self, stage, done, total):
        self.told.append((stage, done, total))
        if stage.startswith("embedding (") and not self.has_killed:
            self.has_killed = True
            self._kill()


def kill_a_worker(processes):
    workers = {file.name for file in processes.iterdir()} - {"slow", str(os.getpid())}
    os.kill(int(workers.pop()), signal.SIGKILL)


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    """As many shards of so few graphs as there would be of many."""
    monkeypatch.setattr("protograph.models.sharding.SHARD_GRAPHS", 20)
    monkeypatch.setattr(containment, "MANY", 100)
    monkeypatch.setattr(spreading, "LEAST_GRAPHS", 100)


def test_a_killed_worker_is_replaced_and_all_is_found_as_by_one_process(cluster, folder, processes, tmp_path):
    model = Slow(processes)
    expected = pg.PAGE(max_reasons=2).fit(model, folder, batch_size=10)
    killer = Killer(lambda: kill_a_worker(processes))
    explainer = pg.PAGE(max_reasons=2).fit(model, folder, engine="ray", batch_size=10, progress=killer)
    assert killer.has_killed
    assert ("embedding (15 of 15 shards)", 300, 300) in killer.told
    assert np.array_equal(explainer.embeddings_, expected.embeddings_)
    assert np.array_equal(explainer.predictions_, expected.predictions_)
    (processes / "slow").unlink()
    found = content(explainer.explain_all(), tmp_path / "by-ray.json")
    assert found == content(expected.explain_all(), tmp_path / "by-one.json")
    assert found["explanations"][0]["prototypes"]
    assert len(list(processes.iterdir())) > 2  # this process, the killed one, and others


def test_the_commands_result_is_that_of_one_process(cluster, folder, tmp_path, monkeypatch, capsys):
    from protograph.cli import main

    (tmp_path / "mine.py").write_text("import torch\nfrom protograph.training import GCN\ntorch.manual_seed(0)\n")
    with (tmp_path / "mine.py").open("a") as file:
        file.write("class Mine(GCN):\n    pass\nmodel = Mine(3, 2, (8,)).eval()\n")
    monkeypatch.chdir(tmp_path)
    command = ["protograph", "explain", str(folder), "--model", "mine:model", "--max-reasons", "0", "--k", "2"]
    found = {}
    for engine in ("local", "ray"):
        address = ["--address", cluster.address] if engine == "ray" else []
        monkeypatch.setattr("sys.argv", [*command, "--engine", engine, *address, "--out", engine])
        with pytest.raises(SystemExit, match="0"):
            main()
        found[engine] = content(pg.load(tmp_path / engine / "explanation.json"), tmp_path / f"{engine}.json")
    assert capsys.readouterr().out
    assert found["ray"] == found["local"]


def test_a_bad_shard_names_itself(cluster, tmp_path):
    pg.write_shards(GRAPHS[:100], tmp_path, size=20)
    bad = tmp_path / "shard-000003.graphs"
    bad.write_bytes(bad.read_bytes()[:-16])
    with pytest.raises(
        ValueError, match=r"shard-000003\.graphs is damaged or no file of tensors: its numbers are not those that were"
    ):
        pg.PAGE().fit(zoo.make(), tmp_path, engine="ray", batch_size=10)


def test_a_model_that_cannot_be_pickled_is_refused_in_a_line(cluster):
    model = zoo.make()
    model.lock = threading.Lock()
    message = (
        r"^engine='ray' sends the model to other processes, for which it must be picklable: cannot pickle "
        r"'_thread.lock' object; leave out what cannot be \(locks, open files, connections\), or use engine='local'$"
    )
    with pytest.raises(TypeError, match=message):
        pg.PAGE().fit(model, GRAPHS, engine="ray")


def test_a_task_is_done_again_where_its_worker_was_killed(cluster, tmp_path):
    def killed_once(number):
        mark = tmp_path / str(number)
        if number == 1 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return 10 * number

    engine = RayEngine(joined())
    assert list(engine.begin(killed_once, [0, 1, 2], name_of=str)) == [0, 10, 20]
    assert (tmp_path / "1").exists()


def test_what_only_a_worker_fails_at_is_told_with_its_name(cluster):
    here = os.getpid()

    def only_here(number):
        if os.getpid() != here:
            raise RuntimeError("no such folder\nand more")
        return number

    engine = RayEngine(joined())
    message = r"^a Ray worker failed at item 7, which went well in this process: RuntimeError: no such folder; every "
    with pytest.raises(OSError, match=message):
        list(engine.begin(only_here, [7], name_of=lambda item: f"item {item}"))
    work = engine.share(only_here, "a function", is_kept=True)
    with pytest.raises(OSError, match=message):
        list(engine.over_shards(work, [7], name_of=lambda item: f"item {item}", here=only_here))


def test_a_shard_that_ends_its_workers_is_given_up(cluster, monkeypatch):
    monkeypatch.setattr("protograph.engines.ray_pool.MOST_ENDED", 2)
    engine = RayEngine(joined())
    work = engine.share(lambda number: os._exit(1), "a function", is_kept=True)
    with pytest.raises(OSError, match=r"^item 7 was given up: 2 Ray workers ended while they had it, as where memory "):
        list(engine.over_shards(work, [7], name_of=lambda item: f"item {item}", here=print))


def test_a_worker_has_a_gpu_where_the_model_needs_one(cluster):
    assert resources_of(on_gpu=True) == {"num_cpus": 1, "num_gpus": 1}
    engine = RayEngine(joined())
    with pytest.raises(ValueError, match=r"^engine='ray' needs a cluster with a GPU, this one has none"):
        list(engine.over_shards(engine.share(abs, "a function"), [7], name_of=str, here=abs, on_gpu=True))


def test_a_killed_node_is_done_without(cluster, folder, processes):
    model = Slow(processes)
    expected = pg.RandomSubgraph().fit(model, folder, batch_size=10)
    killer = Killer(lambda: cluster.remove_node(cluster.second, allow_graceful=False))
    explainer = pg.RandomSubgraph().fit(model, folder, engine="ray", batch_size=10, progress=killer)
    assert killer.has_killed
    assert np.array_equal(explainer.embeddings_, expected.embeddings_)
    assert ray.is_initialized()  # it was there before
