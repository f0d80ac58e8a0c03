"""Does the device make a difference? The same explanation on the CPU and on a GPU, for several models.

``python -m research.devices`` prints a line a model and writes results/devices.json; it fails where graphs, nodes or
matches differ, or floats by more than 1e-5.
"""

import sys
import warnings

import torch

import protograph as pg
from research import certificate
from tests import zoo

RESULT = certificate.RESULTS / "devices.json"
LARGEST_DIFFERENCE = 1e-5


def fingerprint(explanations: pg.Explanations) -> list:
    return [
        (target, p.cluster, p.source, p.sources, p.nodes, p.matches.tolist())
        for target, explanation in explanations.items()
        for p in explanation.prototypes
    ]


def floats(explanations: pg.Explanations) -> torch.Tensor:
    values = [v for e in explanations.values() for p in e.prototypes for v in (p.probability, p.margin)]
    return torch.tensor(values, dtype=torch.float64)


def compare(name: str, model: torch.nn.Module, graphs: list) -> dict:
    on_cpu = pg.PAGE().fit(model, graphs, device="cpu").explain_all()
    on_gpu = pg.PAGE().fit(model, graphs, device="cuda").explain_all()
    same = fingerprint(on_cpu) == fingerprint(on_gpu)
    difference = float((floats(on_cpu) - floats(on_gpu)).abs().max()) if same else None
    left_alone = next(model.parameters()).device.type == "cpu"
    print(f"{name:<32} same graphs, nodes, matches: {same}  largest difference of a float: {difference}", flush=True)
    return {"case": name, "same": same, "largest_difference": difference, "model_left_alone": left_alone}


def limits_of(content: list[dict]) -> list[dict]:
    """Whether all cases give the same graphs, nodes and matches, and floats that hardly differ."""
    share = sum(row["same"] and row["model_left_alone"] is not False for row in content) / len(content)
    largest = max((row["largest_difference"] for row in content if row["same"]), default=0.0)
    return [
        certificate.limit("share of cases with the same graphs, nodes and matches", share, at_least=1.0),
        certificate.limit("largest difference of a float", largest, at_most=LARGEST_DIFFERENCE),
    ]


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
    limits, device = limits_of(results), torch.cuda.get_device_name()
    print(f"{sum(row['same'] for row in results)} of {len(results)} agree")
    certificate.write(RESULT, results, seeds=[0], limits=limits, device=device)
    sys.exit(0 if all(one["holds"] for one in limits) else 1)


if __name__ == "__main__":
    main()
