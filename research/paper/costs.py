"""How the time of an explanation grows with the number of graphs, with k and with the size of graphs."""

import time
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch_geometric.data import Data

from protograph._base.errors import ProtographWarning
from protograph.datasets.synthetic import BACKBONE, BODY, HEAD, barabasi_albert, both_directions
from protograph.graphs.splitting import one_hot
from protograph.page.explainer import PAGE
from protograph.training import train

HOUSE = ((0, 1), (1, 2), (2, 3), (0, 3), (0, 4), (1, 4))
ROLES = (BODY, BODY, BODY, BODY, HEAD)
# Of PAGE's timings those that add up; "fit" has the pass of the model over all graphs.
STAGES = ("fit", "selection", "search", "evidence")
# Times below this are other things than work.
LEAST_SECONDS = 1e-3


def house_graph(num_nodes: int, label: int, rng: np.random.Generator) -> Data:
    """A Barabasi-Albert graph with a house on it, or for label 0 with a house that lacks an edge.

    >>> house_graph(12, 1, np.random.default_rng(0)).num_nodes
    12
    """
    size = num_nodes - len(ROLES)
    edges = barabasi_albert(size, rng) + [(u + size, v + size) for u, v in HOUSE[: 6 if label else 5]]
    edges.append((int(rng.integers(size)), size + 2))
    x = one_hot(np.array([BACKBONE] * size + list(ROLES)), 3, "roles")
    edge_index = torch.from_numpy(both_directions(edges, num_nodes))
    return Data(x=x, edge_index=edge_index, y=torch.tensor([label]))


def house_graphs(num_graphs: int, num_nodes: int, seed: int) -> list[Data]:
    """So many of them, of both labels in turn."""
    rng = np.random.default_rng(seed)
    return [house_graph(num_nodes, number % 2, rng) for number in range(num_graphs)]


def stage_seconds(num_graphs: int, num_nodes: int, options: Mapping[str, Any], num_runs: int) -> dict[str, float]:
    """Seconds of each stage of explaining the class that most graphs are predicted as; the least of some runs.

    The model is the paper's GCN after two epochs: what it costs does not depend on how good it is.

    Args:
        num_graphs: How many graphs.
        num_nodes: Nodes of each.
        options: Of PAGE.
        num_runs: How often; the first run, which is not counted, loads what is compiled.
    """
    graphs = house_graphs(num_graphs, num_nodes, seed=0)
    runs = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ProtographWarning)
        model = train(graphs[:400], hidden=(32, 32), max_epochs=2).model
        for _ in range(num_runs + 1):
            started = time.perf_counter()
            explainer = PAGE(**options).fit(model, graphs)
            taken = explainer.explain(int(np.bincount(explainer.predictions_).argmax())).timings
            whole = {"all": time.perf_counter() - started}
            runs.append({stage: taken[stage] for stage in STAGES} | whole)
    return {stage: min(run[stage] for run in runs[1:]) for stage in runs[0]}


def exponent(values: Sequence[float], seconds: Sequence[float]) -> float | None:
    """Slope of the line through logarithms of values and times; ``None`` where there is hardly any time.

    >>> round(exponent([1, 2, 4], [1.0, 4.0, 16.0]), 6)
    2.0
    """
    if len(values) < 2 or max(seconds) < LEAST_SECONDS:
        return None
    return float(np.polyfit(np.log(values), np.log(np.maximum(seconds, LEAST_SECONDS)), 1)[0])
