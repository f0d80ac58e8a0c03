"""Does the device make a difference? The same explanation on the CPU and on a GPU, for several models.

``python -m benchmarks.devices`` prints a line a model, and fails where graphs, nodes or matches differ, or floats by
more than 1e-5.
"""

import sys
import warnings

import torch

import protograph as pg
from tests import zoo


def fingerprint(explanations: pg.Explanations) -> list:
    return [
        (target, p.cluster, p.source, p.sources, p.nodes, p.matches.tolist())
        for target, explanation in explanations.items()
        for p in explanation.prototypes
    ]


def floats(explanations: pg.Explanations) -> torch.Tensor:
    values = [v for e in explanations.values() for p in e.prototypes for v in (p.probability, p.margin)]
    return torch.tensor(values, dtype=torch.float64)


def compare(name: str, model: torch.nn.Module, graphs: list) -> bool:
    on_cpu = pg.PAGE().fit(model, graphs, device="cpu").explain_all()
    on_gpu = pg.PAGE().fit(model, graphs, device="cuda").explain_all()
    same = fingerprint(on_cpu) == fingerprint(on_gpu)
    difference = float((floats(on_cpu) - floats(on_gpu)).abs().max()) if same else float("nan")
    left_alone = next(model.parameters()).device.type == "cpu"
    print(
        f"{name:<24} same graphs, nodes, matches: {same}  largest difference of a float: {difference:.1e}", flush=True
    )
    return same and difference <= 1e-5 and left_alone


def main() -> None:
    if not torch.cuda.is_available():
        sys.exit("no GPU here")
    warnings.simplefilter("ignore", pg.ProtographWarning)
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}")
    results = []
    for name in ("ba-house", "ba-grid"):
        data = pg.datasets.load(name)
        trained = pg.train(data, hidden=data.hidden)
        results.append(compare(f"{name}, trained GCN", trained.model, list(data[trained.split.train])))
    graphs = zoo.random_graphs(300, edge_dim=2)
    for conv in ("gcn", "gin", "gat", "sage", "gine"):
        for pool in ("add", "mean", "max", "attention", "Set2Set"):
            results.append(compare(f"random graphs, {conv}, {pool}", zoo.make(conv=conv, pool=pool), graphs))
    print(f"{sum(results)} of {len(results)} agree")
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
