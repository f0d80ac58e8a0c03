"""Are planted motifs found where features are continuous, or only the model makes sense of them? With no option given.

    python -m research.continuous       every world, seeds 0 to 9; prints every run, writes results/continuous.json

A run that was broken off goes on where it was.

The worlds are those of :mod:`research.continuous_worlds`. A GIN (even seeds) or a GCN (odd seeds) is trained on most
graphs of a seed; where it does not learn them to 95%, the other one is, and the row says so. The graphs kept apart are
explained by ``pg.PAGE()``. Measured is the mean accuracy of the prototypes of class 1 against the planted ring, nodes
counting as the same by the rule that the explanation came to.
"""

import argparse
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import torch

import protograph as pg
from research import certificate
from research.continuous_worlds import LEAST_ACCURACY, WORLDS, graphs_of, motif, trained

RESULT = certificate.RESULTS / "continuous.json"
SEEDS = range(10)
# Worlds whose colours are hard to learn need more graphs.
NUM_GRAPHS, MANY = 2400, 4000
HARD = ("line", "ids", "sectors")
NUM_EXPLAINED = 300
LEAST = 0.9


def row(name: str, seed: int) -> dict:
    """One world, model and explanation."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    world = WORLDS[name]
    graphs = graphs_of(world, seed, MANY if name in HARD else NUM_GRAPHS)
    for conv in ("gin", "gcn") if seed % 2 == 0 else ("gcn", "gin"):
        model, test_accuracy = trained(world, graphs, conv, seed)
        if test_accuracy >= LEAST_ACCURACY:
            break
    started = time.perf_counter()
    explanation = pg.PAGE().fit(model, graphs[-NUM_EXPLAINED:]).explain(1)
    seconds = time.perf_counter() - started
    accuracies = [
        float(pg.metrics.accuracy(one.graph, motif(world), match_features=one.node_rule))
        for one in explanation.prototypes
    ]
    return {
        "seed": seed,
        "conv": conv,
        "test_accuracy": test_accuracy,
        "accuracies": accuracies,
        "accuracy": sum(accuracies) / len(accuracies) if accuracies else 0.0,
        "fidelity": float(explanation.fidelity) if explanation.fidelity is not None else None,
        "resolved": list(explanation.node_rule.reasons),
        "seconds": round(seconds, 1),
    }


def mean(rows: list[dict]) -> float:
    """Of the accuracies of a world."""
    return sum(one["accuracy"] for one in rows) / len(rows)


def limits_of(results: dict[str, list[dict]]) -> list[dict]:
    """Each world against the limit."""
    return [
        certificate.limit(f"mean accuracy of the prototypes, {name}", mean(rows), at_least=LEAST)
        for name, rows in results.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--first", type=int, default=SEEDS[0], help="the first of ten seeds; 20 and above are for trials"
    )
    parser.add_argument("--seeds", type=int, default=len(SEEDS))
    parser.add_argument("--worlds", nargs="+", choices=list(WORLDS), default=list(WORLDS))
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, default=RESULT)
    asked = parser.parse_args()
    seeds = range(asked.first, asked.first + asked.seeds)
    results: dict[str, list[dict]] = certificate.read(asked.out, {})
    earlier = certificate.runs_of(asked.out)
    done = {(name, one["seed"]) for name, rows in results.items() for one in rows}
    # A seed of every world at a time, so that what is there after an hour tells something of all.
    wanted = [(name, seed) for seed in seeds for name in asked.worlds if (name, seed) not in done]
    with ProcessPoolExecutor(asked.processes, mp_context=get_context("spawn")) as pool:
        waiting = {key: pool.submit(row, *key) for key in wanted}
        for (name, seed), one in waiting.items():
            results.setdefault(name, []).append(one.result())
            print(name, results[name][-1], flush=True)
            done.add((name, seed))
            known = {number for _, number in done}
            certificate.write(asked.out, results, seeds=known, limits=limits_of(results), earlier=earlier)
    for name, rows in results.items():
        print(f"{name}: mean accuracy {mean(rows):.3f}")


if __name__ == "__main__":
    main()
