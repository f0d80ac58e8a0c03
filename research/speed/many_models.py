"""(l) The models of a sweep over widths trained at once, beside one at a time and beside the usual loop of PyG.

Seconds of the processor for one epoch of all models: the second epoch, so that nothing is counted that is done once. Of
the models that are trained one at a time, a few are, evenly over the widths, and their mean is taken for each. All run
on one thread.
"""

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader

import protograph as pg
from protograph.evaluation.sweeps import width_specs
from protograph.training import GCN
from protograph.training.ensemble import train_many
from protograph.training.training import one_thread
from research import certificate
from research.speed.data import loaded
from research.speed.timing import Part, median_and_spread, row

NAMES = ("ba-house", "benzene")
# An epoch of more takes longer alike for all.
NUM_GRAPHS = 2000
# Models that are trained one at a time, and times that all is measured.
NUM_ALONE = 5
MOST_REPEATS = 3
LEAST_TIMES_FASTER = {"one at a time": 5.0, "the usual loop": 10.0}


def second_epoch(run: Callable[..., object]) -> float:
    """Processor seconds between the ends of the first and the second epoch of three."""
    ends: list[float] = []
    run(max_epochs=3, progress=lambda *_: ends.append(time.process_time()))
    return ends[1] - ends[0]


def usual_epoch(hidden: Sequence[int], train: list[Data], validation: list[Data]) -> float:
    """Processor seconds of one epoch as the examples of PyG have it."""
    num_features = train[0].x.shape[1]
    model = GCN(num_features, 2, hidden)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
    train_loader, validation_loader = DataLoader(train, batch_size=16, shuffle=True), DataLoader(validation, 16)
    started = time.process_time()
    model.train()
    for batch in train_loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(batch.x, batch.edge_index, batch.batch), batch.y)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        for batch in validation_loader:
            torch.nn.functional.cross_entropy(model(batch.x, batch.edge_index, batch.batch), batch.y)
    return time.process_time() - started


def measured(name: str, repeats: int) -> dict[str, Any]:
    """Seconds of an epoch of all models, in each of the three ways, in turns."""
    data = loaded(name)[:NUM_GRAPHS]
    plain = [Data(x=graph.x, edge_index=graph.edge_index, y=graph.y) for graph in data]
    num_train = round(0.9 * len(plain))
    parts = plain[:num_train], plain[num_train : round(0.95 * len(plain))]
    specs = width_specs(len(data.hidden), random_state=0)
    few = [specs[round(place * (len(specs) - 1) / (NUM_ALONE - 1))] for place in range(NUM_ALONE)]
    train_many(data[:100], specs, max_epochs=1)  # what is compiled
    found: dict[str, Any] = {"num_models": len(specs), "num_graphs": len(data), "together": []}
    found |= {way: [] for way in LEAST_TIMES_FASTER}
    for _ in range(repeats):
        found["together"].append(second_epoch(lambda **options: train_many(data, specs, **options)))
        alone = [second_epoch(lambda s=spec, **options: pg.train(data, hidden=s.hidden, **options)) for spec in few]
        usual = [usual_epoch(spec.hidden, *parts) for spec in few]
        found["one at a time"].append(len(specs) * statistics.mean(alone))
        found["the usual loop"].append(len(specs) * statistics.mean(usual))
    return found


def measure(repeats: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    with one_thread():
        for name in NAMES:
            try:
                found[name] = measured(name, min(repeats, MOST_REPEATS))
            except OSError as error:
                found[name] = {"skipped": f"the data set is not there: {error}"}
    return found


def times_faster(one: dict[str, Any], way: str) -> list[float]:
    """How many times as fast the models are together, at each repeat."""
    return [other / own for other, own in zip(one[way], one["together"], strict=True)]


def show(content: dict[str, Any]) -> None:
    for name, one in content.items():
        if "skipped" in one:
            row(f"(l) many models at once, {name}", f"skipped: {one['skipped']}")
            continue
        own = statistics.median(one["together"])
        for way, least in LEAST_TIMES_FASTER.items():
            faster = times_faster(one, way)
            figure = f"{median_and_spread(faster, 1)}; {own:.2f} and {statistics.median(one[way]):.1f} s an epoch"
            label = f"(l) {one['num_models']} models at once on {name}, beside {way}"
            row(label, figure, f"at least {least:.0f}", statistics.median(faster) >= least)


def limits(content: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        certificate.limit(
            f"(l) {one['num_models']} models at once on {name}, beside {way}",
            statistics.median(times_faster(one, way)),
            at_least=least,
        )
        for name, one in content.items()
        if "skipped" not in one
        for way, least in LEAST_TIMES_FASTER.items()
    ]


PART = Part("many_models", measure, show, limits)
