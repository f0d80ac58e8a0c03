"""The benchmark of speed: its graphs, its arithmetic and its rows, without measuring anything."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from research.speed import (
    PARTS,
    compiling,
    counting,
    embedding,
    growth,
    hard,
    hard_cases,
    ray_workers,
    streaming,
    timing,
    whole_sets,
)

SMALL = {
    "dense": lambda rng: hard_cases.dense(rng, size=20, degree=6, num_graphs=8),
    "stars": lambda rng: hard_cases.stars(rng, leaves=40),
    "large": lambda rng: hard_cases.large(rng, size=100),
    "many dimensions": lambda rng: hard_cases.many_dimensional(rng, dim=50, num_graphs=20),
    "many classes": lambda rng: hard_cases.many_classes(rng, num_classes=5, num_graphs=4),
    "among small": lambda rng: hard_cases.among_small(rng, hard_cases.complete, num_graphs=20),
}


@pytest.fixture(params=SMALL)
def make(request):
    return lambda: SMALL[request.param](np.random.default_rng(3))


def test_a_seed_gives_the_same_graphs_and_model(make):
    one, other = make(), make()
    for first, second in zip(one.graphs, other.graphs, strict=True):
        assert torch.equal(first.x, second.x)
        assert torch.equal(first.edge_index, second.edge_index)
    weights = zip(one.model().parameters(), other.model().parameters(), strict=True)
    assert all(torch.equal(first, second) for first, second in weights)


def test_every_class_is_predicted(make):
    case = make()
    model = case.model()
    predicted = {int(model(graph.x, graph.edge_index).argmax()) for graph in case.graphs}
    assert predicted == {int(graph.y) for graph in case.graphs}
    assert len(predicted) >= 2


def test_graphs_are_undirected_and_simple(make):
    for graph in make().graphs:
        edges = set(map(tuple, graph.edge_index.t().tolist()))
        assert len(edges) == graph.num_edges
        assert all(u != v and (v, u) in edges for u, v in edges)


def test_cases_have_the_sizes_of_their_names():
    rng = np.random.default_rng(0)
    dense = hard_cases.CASES["20 graphs of 60 nodes, degree 20"](rng)
    assert [graph.num_nodes for graph in dense.graphs] == [60] * 20
    assert {graph.num_edges for graph in dense.graphs[::2]} == {60 * 20}
    many = hard_cases.CASES["50 classes of 12 graphs"](rng)
    assert np.bincount([int(graph.y) for graph in many.graphs]).tolist() == [12] * 50
    k60 = hard_cases.CASES["a K60 among small graphs"](rng)
    assert max(graph.num_edges for graph in k60.graphs) == 60 * 59


def test_exponents_are_those_of_powers():
    assert growth.exponent([10, 100, 1000], [0.1, 1.0, 10.0]) == pytest.approx(1)
    assert growth.exponent([1, 2, 4], [2.0, 8.0, 32.0]) == pytest.approx(2)
    assert growth.exponent([1, 2, 4], [3.0, 3.0, 3.0]) == pytest.approx(0)
    assert growth.exponent([1, 2, 4], [1e-4, 2e-4, 4e-4]) is None


def test_fit_is_counted_once_over_the_classes():
    explanations = {
        target: SimpleNamespace(timings={"fit": 2.0, "search": seconds}) for target, seconds in enumerate([1.0, 0.5])
    }
    assert timing.stages_of(explanations) == {"fit": 2.0, "search": 1.5}
    assert timing.median_stages([{"fit": 1.0}, {"fit": 5.0}, {"fit": 2.0}]) == {"fit": 2.0}


WHOLE_SET = {
    "seconds": [2.0, 1.0],
    "passes": [0.1, 0.3, 0.1],
    "limits": [0.5 + 3 * 0.2, 0.5 + 3 * 0.2],
    "stages": {"fit": 0.5},
    "loops": 10.0,
}


def test_a_run_is_held_against_the_passes_around_it():
    assert whole_sets.in_passes(WHOLE_SET) == pytest.approx([5.0, 10.0])
    assert whole_sets.allowance_of(WHOLE_SET) == 0.5
    (limit,) = PARTS["consensus"].limits({"ba-house": WHOLE_SET})
    assert limit["what"] == "(f) ba-house: time as a share of 3 passes and 0.5 s"
    assert (limit["value"], limit["holds"]) == (pytest.approx(1.5 / 1.1), False)


def words(line):
    """A line without its columns."""
    return " ".join(line.split())


def test_a_row_says_what_it_took(capsys):
    PARTS["consensus"].show({"ba-house": WHOLE_SET})
    first, second, third = capsys.readouterr().out.splitlines()
    assert words(first.split("explain_all")[1]) == (
        "1.50 s of 1.10 s, 1.36 (0.91 to 1.82) 3 passes + 0.5 s DOES NOT HOLD"
    )
    assert words(second.split("loops")[1]) == "7.5 (5.0 to 10.0), 10.0"
    assert third.strip() == "fit 0.50 s"


def test_a_case_that_was_ended_holds_no_limit(capsys):
    cases = {"a case": {"seconds": None, "stopped_after": 60.0}, "another": {"seconds": None, "failed": 1}}
    assert [(one["value"], one["holds"]) for one in hard.limits(cases)] == [(60.0, False), (60.0, False)]
    hard.show(cases)
    ended, failed = capsys.readouterr().out.splitlines()
    assert words(ended) == "(h) a case ended after 60 s at most 5 s DOES NOT HOLD"
    assert words(failed) == "(h) another failed: 1 at most 5 s DOES NOT HOLD"


def test_threads_and_rdkit_are_compared_turn_by_turn():
    one = {"seconds": [2.0, 4.0], "two_threads_seconds": [1.0, 1.0], "rdkit_seconds": [4.0, 4.0]}
    rdkit, threads = counting.limits({"patterns": {"a ring": one}})
    assert (rdkit["value"], rdkit["holds"]) == (0.75, True)
    assert (threads["value"], threads["holds"]) == (3.0, True)
    assert counting.limits({"skipped": "no RDKit"}) == []


def test_what_is_compiled_inside_counts_once(monkeypatch):
    times = iter([0.0, 1.0, 3.0, 4.0])
    monkeypatch.setattr(compiling.time, "perf_counter", lambda: next(times))

    def loop(name):
        function = SimpleNamespace(__module__="protograph.loops", __name__=name)
        return SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=function)})

    watch = compiling.Watch()
    watch.on_start(loop("outer"))
    watch.on_start(loop("inner"))
    watch.on_end(loop("inner"))
    watch.on_end(loop("outer"))
    assert watch.seconds == 4.0
    assert watch.loops == {"protograph.loops.inner": 2.0, "protograph.loops.outer": 4.0}


def test_graphs_of_the_streaming_part_are_simple_and_the_same_each_time():
    one, other = list(streaming.random_trees(6)), list(streaming.random_trees(6))
    for first, second in zip(one, other, strict=True):
        assert torch.equal(first.x, second.x)
        assert torch.equal(first.edge_index, second.edge_index)
        edges = set(map(tuple, first.edge_index.t().tolist()))
        assert len(edges) == first.num_edges
        assert all(u != v and (v, u) in edges for u, v in edges)
    assert [graph.num_edges for graph in one] == [38, 44] * 3


def streamed(*seconds):
    sizes = (5, 10, 20, 40)
    rounds = zip(sizes, seconds, strict=True)
    return [{"num_graphs": n, "seconds": s, "peak_mebibytes": n + s, "stages": {"fit": s / 10}} for n, s in rounds]


def test_growth_compares_a_further_graph_late_with_one_early():
    content = {
        "rounds": [streamed(1.0, 5.0, 10.0, 25.0), streamed(1.0, 5.0, 10.0, 20.0), streamed(1.0, 5.0, 7.0, 23.0)]
    }
    assert streaming.growths(content) == [1.5, 1.0, 4.0]
    # 0.75, 0.5 and 0.8 s a further graph; a tenth of it in this stage.
    assert streaming.further_graph(content) == {"fit": 75_000.0}
    assert streaming.hours(content, 80) == pytest.approx((25 + 40 * 0.75) / 3600)
    assert streaming.peak_of_largest(content) == 65.0
    limits = {one["what"]: one["value"] for one in streaming.limits(content)}
    assert limits["(m) seconds of a further graph, late against early"] == 1.5


def test_speed_is_a_share_of_the_bare_model():
    one = {"seconds": {"bare": [1.0, 2.0], "list": [2.0, 8.0], "bare_in_double": [3.0, 4.0]}}
    assert embedding.ratios(one, "list") == [0.5, 0.25]
    assert embedding.ratios(one, "list", "bare_in_double") == [1.5, 0.5]


def test_embedding_is_held_to_limits_of_the_models_that_have_some(capsys):
    own = {"bare": [1.0], "bare_in_double": [2.0], "list": [1.6], "InMemoryDataset": [1.25], "shards": [2.0]}
    content = {
        "75 nodes, 1 thread": {"seconds": own},
        f"{embedding.WITHOUT_LIMIT}, 2 threads": {"seconds": own},
        "benzene": {"skipped": "the data set is not there"},
    }
    limits = {one["what"]: (one["value"], one["holds"]) for one in embedding.limits(content)}
    assert limits == {
        "(l) 75 nodes, 1 thread, list: share of the bare model's speed": (0.625, False),
        "(l) 75 nodes, 1 thread, InMemoryDataset: share of the bare model's speed": (0.8, True),
        "(l) 75 nodes, 1 thread, shards: share of the bare model's speed": (0.5, False),
    }
    embedding.show(content)
    shown = capsys.readouterr().out
    assert (shown.count("DOES NOT HOLD"), shown.count("holds"), shown.count("0.80 (0.80 to 0.80)")) == (2, 1, 2)
    assert "(l) embedding, benzene" in shown


def test_as_many_threads_as_are_asked_for_and_then_those_of_before():
    before = torch.get_num_threads()
    with embedding.threads(before + 1):
        assert torch.get_num_threads() == before + 1
    assert torch.get_num_threads() == before


def test_ray_workers_are_compared_round_by_round(capsys):
    content = {"graphs_a_second": {"one": [100.0, 200.0, 100.0], "two": [170.0, 360.0, 150.0]}}
    assert ray_workers.times_faster(content) == [1.7, 1.8, 1.5]
    (limit,) = ray_workers.limits(content)
    assert (limit["value"], limit["holds"]) == (1.7, True)
    ray_workers.show(content)
    assert "1.70 (1.50 to 1.80); 100 and 170 graphs a second" in capsys.readouterr().out
    ray_workers.show({"skipped": "Ray is not installed"})
    assert "skipped: Ray is not installed" in capsys.readouterr().out
    assert ray_workers.limits({"skipped": "Ray is not installed"}) == []


def test_the_first_shards_are_not_timed(monkeypatch):
    times = iter([0.0, 5.0, 5.1, 5.2, 5.3, 6.3, 7.3])
    monkeypatch.setattr(ray_workers.time, "perf_counter", lambda: next(times))
    watch = ray_workers.Watch()
    watch("embedding", 0, 700)
    for shard in range(1, 8):
        watch(f"embedding ({shard} of 7 shards)", 100 * shard, 700)
    assert watch.graphs_a_second == pytest.approx(200 / 2.0)


def test_a_gated_model_begins_when_all_have_it(tmp_path):
    gated = ray_workers.Gate(torch.nn.Identity(), tmp_path, 1)
    gated.model.forward = lambda x, edge_index, batch: x
    gated._open_in = -1  # as if it had come from another process
    assert gated(torch.ones(2), None, None).tolist() == [1.0, 1.0]
    assert len(list(tmp_path.iterdir())) == 1
