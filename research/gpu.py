"""How much a GPU is worth: embedding and explaining on it, held against this machine's processor.

    python -m research.gpu                       prints the table and writes results/gpu.json
    python -m research.gpu --sets mutagenicity   compares the answers for this data set, not for all of the paper's
    python -m research.gpu --add --sets benzene  compares answers only, and adds them to what results/gpu.json has

Graphs are like those of Benzene (20 nodes, 42 directed edges, 14 columns), the model is the house's GCN of three layers
of 32. It needs nothing but what the library itself needs. Measured are, each several times in turn, by the clock:

- graphs a second of embedding, that is of what ``fit`` does with each graph, from an InMemoryDataset on the GPU and on
  two cores of the processor;
- seconds of ``fit`` and of explaining, reasons included, and whether graphs, nodes, matches and rules are the same: for
  both classes of these graphs, and for the classes that the paper explains of its data sets, of large ones every so
  many-th graph, with the house's GCN trained on the GPU for at most 100 epochs;
- which share of two bounds is reached. *Memory*: the fewest bytes that the model can move on the device: edges and
  their weights read once a layer, the states of each layer and the features written once and read once. *Link*: the
  bytes of features, edges and sizes that must go to the device. Both are divided by what copies reach on this machine,
  measured beside it.
"""

import argparse
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch_geometric.data import Batch

import protograph as pg
from protograph.models.predictions import embed_all
from protograph.training.gcn import GCN
from research import certificate
from research.molecule_like import NUM_EDGES, NUM_KINDS, NUM_NODES, MoleculeLike
from research.paper.sets import SETS
from research.solved_head import fit_head

RESULT = certificate.RESULTS / "gpu.json"
ROUNDS, SEED, HIDDEN = 5, 0, (32, 32, 32)
NUM_ON_GPU, NUM_ON_CPU, NUM_EXPLAINED, CPU_THREADS = 1_000_000, 50_000, 12_000, 2
NUM_WARMING, MOST_EPOCHS = 300, 100
# Of a data set that is explained: reasons of 60,000 graphs with 1,400 edges each would take hours on two cores.
MOST_EDGES = 3_000_000
AT_LEAST = 20.0
COPIED = 2**30


def model_for(graphs: MoleculeLike) -> GCN:
    """The house's GCN with first weights by a seed, and a head solved for by least squares."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        model = GCN(NUM_KINDS, 2, HIDDEN).double()
    some = [graphs[index] for index in range(2000)]
    for graph in some:
        graph.x = graph.x.double()
    fit_head(model, some, 2)
    return model.float().eval()


def clock(work: Callable[[], Any]) -> float:
    """Seconds that something takes, until the GPU is done with it."""
    torch.cuda.synchronize()
    started = time.perf_counter()
    work()
    torch.cuda.synchronize()
    return time.perf_counter() - started


def on_two_cores(work: Callable[[], Any]) -> Callable[[], Any]:
    def limited() -> None:
        before = torch.get_num_threads()
        torch.set_num_threads(CPU_THREADS)
        try:
            work()
        finally:
            torch.set_num_threads(before)

    return limited


def embedding_rates(model: GCN, graphs: MoleculeLike) -> dict[str, list[float]]:
    """Graphs a second, by what was run."""
    few, chunk = graphs[:NUM_ON_CPU], 32_768
    ready = Batch.from_data_list([graphs[index] for index in range(chunk)]).to("cuda")
    twin = GCN(NUM_KINDS, 2, HIDDEN)
    twin.load_state_dict(model.state_dict())
    twin = twin.cuda().eval()

    def bare() -> None:
        with torch.no_grad():
            for _ in range(8):
                twin(ready.x, ready.edge_index, ready.batch)

    runs: dict[str, tuple[Callable[[], Any], int]] = {
        "GPU": (lambda: embed_all(model, graphs, device="cuda"), len(graphs)),
        "GPU, a list": (lambda: embed_all(model, listed, device="cuda"), NUM_ON_CPU),
        "GPU, the bare model on a batch that is there": (bare, 8 * chunk),
        "2 cores": (on_two_cores(lambda: embed_all(model, few, device="cpu")), NUM_ON_CPU),
    }
    listed = [graphs[index] for index in range(NUM_ON_CPU)]
    for work, _ in runs.values():
        work()
    rates: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name, (work, number) in runs.items():
            rates[name].append(number / clock(work))
    return rates


def bandwidths() -> dict[str, float]:
    """Bytes a second of copies: within the device (read and written), and to it out of memory that it can read."""
    one = torch.empty(COPIED, dtype=torch.uint8, device="cuda")
    other, here = torch.empty_like(one), torch.empty(COPIED, dtype=torch.uint8, pin_memory=True)

    def rate(work: Callable[[], Any], moved: int) -> float:
        work()
        return moved / statistics.median(clock(work) for _ in range(ROUNDS))

    return {
        "device": rate(lambda: [other.copy_(one) for _ in range(8)], 8 * 2 * COPIED),
        "link": rate(lambda: one.copy_(here, non_blocking=True), COPIED),
    }


def least_bytes() -> dict[str, int]:
    """The fewest bytes a graph: that the model moves on the device, and that go to it."""
    widths, edges = (NUM_KINDS, *HIDDEN), 2 * 8 * NUM_EDGES
    states = sum(4 * NUM_NODES * (before + after) for before, after in pairwise(widths))
    normalised = 4 * (NUM_EDGES + NUM_NODES)
    readout = 4 * NUM_NODES * HIDDEN[-1] + 8 * NUM_NODES + 4 * (HIDDEN[-1] + 2)
    return {
        "device": states + len(HIDDEN) * (edges + normalised) + readout,
        "link": 4 * NUM_NODES * NUM_KINDS + edges + 2 * 8,
    }


def where_time_goes(model: GCN, graphs: MoleculeLike) -> dict[str, float]:
    """Seconds of one embedding: in all, of reading and checking, and of starting the model's calls."""
    started = time.perf_counter()
    store, running, _ = embed_all(model, graphs, device="cuda")
    torch.cuda.synchronize()
    seconds = {
        "in all": time.perf_counter() - started,
        "read and checked": store.seconds,
        "calls": running.usage.seconds,
    }
    return seconds


def answer(explanations: Mapping[int, pg.Explanation]) -> list[Any]:
    """What must be the same: prototypes with graphs, nodes and matches, and the rules."""
    return [
        (
            target,
            [(p.cluster, p.cluster_size, p.source, p.sources, p.nodes, p.matches.tolist()) for p in one.prototypes],
            [(str(reason), list(reason.holds_in_indices)) for reason in one.reasons],
        )
        for target, one in explanations.items()
    ]


def explained(
    model: torch.nn.Module, graphs: Any, device: str, targets: Sequence[int]
) -> tuple[dict[str, float], list[Any], np.ndarray]:
    started = time.perf_counter()
    page = pg.PAGE().fit(model, graphs, device=device)
    fitted = time.perf_counter()
    result = answer({target: page.explain(target) for target in targets})
    torch.cuda.synchronize()
    return {"fit": fitted - started, "explain": time.perf_counter() - fitted}, result, page.predictions_


def both_devices(name: str, model: torch.nn.Module, graphs: Any, targets: Sequence[int] = (0, 1)) -> dict[str, Any]:
    """Seconds on each device, and whether the answers are the same."""
    for device in ("cpu", "cuda"):  # loops are compiled, kernels loaded
        explained(model, graphs[:NUM_WARMING], device, targets)
    on_cpu, wanted, predicted = explained(model, graphs, "cpu", targets)
    on_gpu, found, again = explained(model, graphs, "cuda", targets)
    same = wanted == found and bool((predicted == again).all())
    print(f"{name:<28} same answers: {same}; CPU {_seconds(on_cpu)}; GPU {_seconds(on_gpu)}", flush=True)
    return {"case": name, "num_graphs": len(graphs), "same": same, "cpu": on_cpu, "gpu": on_gpu}


def _seconds(times: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.2f} s" for name, value in times.items())


def limits_of(content: dict[str, Any]) -> list[dict[str, Any]]:
    rates = content["graphs_a_second"]
    times = statistics.median(gpu / cpu for gpu, cpu in zip(rates["GPU"], rates["2 cores"], strict=True))
    same = sum(one["same"] for one in content["explained"]) / len(content["explained"])
    return [
        certificate.limit("times the graphs a second of two cores, on a GPU", times, at_least=AT_LEAST),
        certificate.limit("share of cases with the same graphs, nodes, matches and rules", same, at_least=1.0),
    ]


def measure() -> dict[str, Any]:
    """Rates, bounds, and the answers for graphs like Benzene's."""
    graphs = MoleculeLike(NUM_ON_GPU, SEED)
    model = model_for(graphs)
    rates, speed, least = embedding_rates(model, graphs), bandwidths(), least_bytes()
    for name, own in rates.items():
        print(f"{name:<46} {statistics.median(own):>14,.0f} graphs/s ({min(own):,.0f} to {max(own):,.0f})", flush=True)
    shares = {}
    for name in ("GPU", "GPU, the bare model on a batch that is there"):
        rate = statistics.median(rates[name])
        shares[name] = {bound: rate * least[bound] / speed[bound] for bound in least}
        own = shares[name]
        print(f"{name:<46} {own['device']:.1%} of the memory's bound, {own['link']:.1%} of the link's", flush=True)
    print(f"copies: {speed['device'] / 1e9:,.0f} GB/s on the device, {speed['link'] / 1e9:,.1f} GB/s to it; {least}")
    parts = where_time_goes(model, graphs)
    print(f"of one embedding: {parts}", flush=True)
    cases = [both_devices("graphs like Benzene's", model, graphs[:NUM_EXPLAINED])]
    return {
        "graphs_a_second": rates,
        "bytes_a_second": speed,
        "least_bytes_a_graph": least,
        "share_of_bounds": shares,
        "one_embedding": parts,
        "explained": cases,
    }


def compared(name: str) -> dict[str, Any]:
    """The answers for a data set, whether they are the same on both devices."""
    data = pg.datasets.load(name)
    some = data[: min(NUM_WARMING, len(data))]
    edges = len(data) * statistics.mean(graph.num_edges for graph in some)
    data = data[:: max(1, round(edges / MOST_EDGES))]
    trained = pg.train(data, hidden=data.hidden, max_epochs=MOST_EPOCHS, device="cuda")
    return both_devices(name, trained.model, data[trained.split.train], SETS[name].targets)


def write(content: dict[str, Any], earlier: Sequence[dict]) -> None:
    device = torch.cuda.get_device_name()
    certificate.write(RESULT, content, seeds=[SEED], limits=limits_of(content), device=device, earlier=earlier)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="*", default=list(SETS), help="data sets whose answers to compare")
    parser.add_argument("--add", action="store_true", help="only compare answers, and add them to results/gpu.json")
    asked = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("no GPU here")
    warnings.simplefilter("ignore", pg.ProtographWarning)
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}, {torch.get_num_threads()} threads")
    earlier = certificate.runs_of(RESULT) if asked.add else []
    content = certificate.read(RESULT) if asked.add else measure()
    if not asked.add:
        write(content, earlier)
    for name in asked.sets:
        others = [one for one in content["explained"] if one["case"] != name]
        content["explained"] = [*others, compared(name)]
        write(content, earlier)  # after each, so that what fails later loses nothing
    limits = limits_of(content)
    for one in limits:
        print(f"{one['what']}: {one['value']:.3g}, {one['bound']} {one['limit']}: {one['holds']}")
    sys.exit(0 if all(one["holds"] for one in limits) else 1)


if __name__ == "__main__":
    main()
