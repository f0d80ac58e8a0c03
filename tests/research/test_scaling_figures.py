"""``docs/scaling.md`` quotes what ``results/speed.json`` and ``results/gpu.json`` say.

``python -m tests.test_scaling_figures`` prints the tables as they must be.
"""

import statistics

import pytest
from tests.test_results import assert_says, results_of, table_of

from research.speed import any_k, embedding, ray_workers, streaming
from research.speed.timing import median_and_spread

DOCUMENT = "docs/scaling.md"


def embedding_rows():
    return {
        data: [median_and_spread(embedding.ratios(one, name)) for name in embedding.LEAST]
        for data, one in results_of("speed.json")["embedding"].items()
    }


def streaming_rows():
    """Medians over the rounds; of memory the highest."""
    rows, earlier = {}, ()
    for runs in zip(*results_of("speed.json")["streaming"]["rounds"], strict=True):
        taken = [statistics.median(one[key] for one in runs) for key in ("seconds", "fit_seconds", "cpu_seconds")]
        further = [microseconds_of_a_further_graph(*pair) for pair in zip(earlier, runs, strict=False)]
        rows[f"{runs[0]['num_graphs']:,}"] = [
            f"{taken[0]:.0f}",
            f"{taken[1]:.1f}",
            f"{taken[2]:.0f}",
            f"{statistics.median(further):.0f}" if further else "",
            f"{max(one['peak_mebibytes'] for one in runs):,.0f}",
            ", ".join(f"{one['bytes'] / 2**20:.1f}" for one in runs[0]["saved"].values()),
        ]
        earlier = runs
    return rows


def microseconds_of_a_further_graph(one, other):
    return 1e6 * (other["seconds"] - one["seconds"]) / (other["num_graphs"] - one["num_graphs"])


def large_set_rows():
    return {
        name: [
            f"{runs[0]['num_graphs']:,}",
            median_and_spread([one["seconds"] for one in runs], 0),
            f"{statistics.median(one['peak_mebibytes'] for one in runs):,.0f}",
            f"{statistics.median(one['fidelity'] for one in runs):.3f}".lstrip("0"),
        ]
        for name, runs in results_of("speed.json")["large_sets"].items()
    }


def any_k_rows():
    found = {
        (one["search"], one["nodes"], one["k"]): one["seconds"] for one in results_of("speed.json")["any_k"]["rows"]
    }
    return {
        f"{search}, {nodes} nodes": [f"{found[search, nodes, k]:.1f}" for k in any_k.KS]
        for search in any_k.SEARCHES
        for nodes in any_k.SIZES
    }


TABLES = {
    "| embedding | list": embedding_rows,
    "| graphs | seconds |": streaming_rows,
    "| as large as |": large_set_rows,
    "| search and size |": any_k_rows,
}


@pytest.mark.parametrize("header", TABLES)
def test_tables_are_those_of_the_results(header):
    assert table_of(DOCUMENT, header) == TABLES[header]()


def test_a_further_graph_late_costs_no_more_than_early():
    content = results_of("speed.json")["streaming"]
    assert_says(DOCUMENT, f"{median_and_spread(streaming.growths(content))} times as much from 10^5 to 10^6")


def test_two_workers_beside_one():
    content = results_of("speed.json")["ray"]
    assert_says(DOCUMENT, f"{median_and_spread(ray_workers.times_faster(content))} times as many graphs a second")


def test_a_gpu_beside_two_cores():
    content = results_of("gpu.json")
    rates = {name: [round(rate, -3) for rate in own] for name, own in content["graphs_a_second"].items()}
    for name in ("GPU", "2 cores"):
        own = rates[name]
        assert_says(DOCUMENT, f"{statistics.median(own):,.0f} ({min(own):,.0f} to {max(own):,.0f})")
    times = statistics.median(
        gpu / cpu
        for gpu, cpu in zip(content["graphs_a_second"]["GPU"], content["graphs_a_second"]["2 cores"], strict=True)
    )
    assert_says(DOCUMENT, f"**{times:.1f} times as many**")
    bare = content["share_of_bounds"]["GPU, the bare model on a batch that is there"]["device"]
    assert_says(DOCUMENT, f"{bare:.1%} of what the memory's bandwidth allows")


if __name__ == "__main__":
    for header, rows in TABLES.items():
        print(f"\n{header}")  # noqa: T201
        for first, others in rows().items():
            print("| " + " | ".join([first, *others]) + " |")  # noqa: T201
