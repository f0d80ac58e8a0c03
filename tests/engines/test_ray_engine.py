"""A real Ray cluster of two nodes: what its workers find is what one process finds, also where some are killed."""

import json
import os
import signal
import threading
import warnings

import numpy as np
import pytest

import protograph as pg
from protograph.cli import main
from protograph.engines import ray_session
from protograph.engines.ray_engine import RayEngine, resources_of
from protograph.engines.ray_session import joined
from tests import zoo
from tests.engines.slow import BATCH_SIZE, Slow

ray = pytest.importorskip("ray", reason="Ray is not installed (pip install protograph[ray])")

# One cluster for all of these tests, in their order: it has lost a node by the last.
GRAPHS = zoo.random_graphs(160)
# That a node is gone is noticed in two seconds, not in a quarter of a minute; a busy one is not taken for gone.
QUICK = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 10_000,
    "health_check_failure_threshold": 3,
}
NODE = {"num_cpus": 1, "object_store_memory": 80_000_000, "include_dashboard": False}


@pytest.fixture(scope="module")
def cluster():
    from ray.cluster_utils import Cluster

    before = dict(os.environ)
    # Else workers would wait for whatever else this machine does.
    os.environ.update(ray_session.QUIET, RAY_worker_niceness="0")
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
def model(tmp_path):
    (tmp_path / "workers").mkdir()
    return Slow(tmp_path / "workers")


def content(explanations, path):
    """All that is saved, but for what took how long, and when."""
    explanations.save(path)

    def without_times(value):
        if isinstance(value, dict):
            return {key: without_times(one) for key, one in value.items() if key not in ("timings", "date")}
        return [without_times(one) for one in value] if isinstance(value, list) else value

    return without_times(json.loads(path.read_text()))


class Killer:
    """Kills once, when a shard is done; the other worker has some at that time."""

    def __init__(self, kill):
        self._kill, self.told, self.has_killed = kill, [], False

    def __call__(self, stage, done, total):
        self.told.append((stage, done, total))
        if stage.startswith("embedding (") and not self.has_killed:
            self.has_killed = True
            self._kill()


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    """As many shards of so few graphs as there would be of many."""
    monkeypatch.setattr("protograph.models.sharding.SHARD_GRAPHS", 20)


def test_a_model_that_cannot_be_pickled_is_refused_in_a_line(cluster):
    model = zoo.make()
    model.lock = threading.Lock()
    message = (
        r"^engine='ray' sends the model to other processes, for which it must be picklable: cannot pickle "
        r"'_thread.lock' object; leave out what cannot be \(locks, open files, connections\), or use engine='local'$"
    )
    with pytest.raises(TypeError, match=message):
        pg.PAGE().fit(model, GRAPHS, engine="ray")


def test_a_model_on_a_gpu_needs_a_cluster_with_one(cluster):
    assert resources_of(on_gpu=True) == {"num_cpus": 1, "num_gpus": 1}
    engine = RayEngine(joined())
    message = r"^engine='ray' needs a cluster with a GPU, this one has none; pass device='cpu'$"
    with pytest.raises(ValueError, match=message):
        list(engine.over_shards(engine.share(abs, "a function"), [7], name_of=str, here=abs, on_gpu=True))


def test_a_killed_worker_is_replaced(cluster, folder, model):
    expected = pg.baselines.RandomSubgraph().fit(model, folder, batch_size=BATCH_SIZE)
    killer = Killer(lambda: os.kill(model.workers()[0], signal.SIGKILL))
    explainer = pg.baselines.RandomSubgraph().fit(model, folder, engine="ray", batch_size=BATCH_SIZE, progress=killer)
    assert killer.has_killed
    assert killer.told[-1] == ("embedding (8 of 8 shards)", 160, 160)
    assert np.array_equal(explainer.embeddings_, expected.embeddings_)
    assert np.array_equal(explainer.predictions_, expected.predictions_)


def test_a_killed_node_is_done_without_and_all_is_found_as_by_one_process(cluster, folder, model, tmp_path):
    expected = pg.PAGE(max_reasons=2).fit(model, folder, batch_size=BATCH_SIZE).explain_all()
    killer = Killer(lambda: cluster.remove_node(cluster.second, allow_graceful=False))
    explainer = pg.PAGE(max_reasons=2).fit(model, folder, engine="ray", batch_size=BATCH_SIZE, progress=killer)
    assert killer.has_killed
    found = content(explainer.explain_all(), tmp_path / "by-ray.json")
    assert found == content(expected, tmp_path / "by-one.json")
    assert all(one["prototypes"] for one in found["explanations"])
    assert any(one["reasons"] for one in found["explanations"])


def test_a_bad_shard_names_itself_to_the_command_too(cluster, tmp_path, monkeypatch, capsys):
    pg.write_shards(GRAPHS[:100], tmp_path / "shards", size=20)
    bad = tmp_path / "shards" / "shard-000003.graphs"
    bad.write_bytes(bad.read_bytes()[:-16])
    (tmp_path / "mine_on_ray.py").write_text("from tests import zoo\nmodel = zoo.make()\n")
    monkeypatch.chdir(tmp_path)
    command = ["protograph", "explain", "shards", "--model", "mine_on_ray:model", "--out", "run"]
    monkeypatch.setattr("sys.argv", [*command, "--engine", "ray", "--address", cluster.address])
    with pytest.raises(SystemExit, match=r"^1$"):
        main()
    said = capsys.readouterr().err.splitlines()
    assert said[-1].startswith(
        "error: shards/shard-000003.graphs is damaged or no file of tensors: its numbers are not "
    )
    assert not (tmp_path / "run").exists()
    assert ray.is_initialized()  # as it was before
