"""Are the answers still the same? Explanations of the ground-truthed data sets, held against those that were accepted.

    python -m research.answers              says what differs from results/answers.json; exit status 1 if anything
    python -m research.answers --accept     writes results/answers.json

Seeds 0 to 2 of each data set and its trained model (kept in runs/answers, and trained again where the data or a version
are others), both searches. Graphs, nodes and matches must be equal, figures to 1e-5. A change of the method changes
them on purpose; a change of the house must not.
"""

import argparse
import sys
import warnings
from pathlib import Path

import torch

import protograph as pg
from research import certificate

RESULT = certificate.RESULTS / "answers.json"
KEPT = Path("runs") / "answers"
DATASETS = ("ba-house", "ba-grid", "benzene", "mutagenicity", "solubility")
SEARCHES = {"consensus": {}, "walk": {"search": "walk", "num_clusters": 2}}
SEEDS = range(3)


def trained(name: str, data: pg.datasets.GraphDataset, seed: int) -> tuple[torch.nn.Module, list[int]]:
    """The data set's model of a seed, and the graphs it was trained on."""
    from protograph.evaluation.keeping import fingerprint, keep_model, kept_model, versions

    path, made_from = KEPT / f"{name}-{seed}.pt", {"data": fingerprint(data), "seed": seed, "versions": versions()}
    kept = kept_model(path, made_from)
    if kept is None:
        KEPT.mkdir(parents=True, exist_ok=True)
        keep_model(path, pg.train(data, hidden=data.hidden, random_state=seed), made_from)
        kept = kept_model(path, made_from)
    return kept.model, kept.train


def facts(prototype: pg.Prototype) -> dict:
    """What an answer is."""
    evidence = prototype.evidence
    return {
        "source": prototype.source,
        "nodes": prototype.nodes,
        "edges": [list(edge) for edge in prototype.edges],
        "sources": prototype.sources,
        "matches": prototype.matches.tolist(),
        "cluster_size": prototype.cluster_size,
        "probability": prototype.probability,
        "margin": prototype.margin,
        "counts": [evidence.num_in_class, evidence.num_elsewhere, evidence.num_in_cluster],
        "contribution_share": evidence.contribution_share,
    }


def answers(name: str, seed: int) -> dict:
    data = pg.datasets.load(name, random_state=seed)
    model, train = trained(name, data, seed)
    graphs = data[train]
    return {
        search: {
            str(target): [facts(prototype) for prototype in explanation.prototypes]
            for target, explanation in pg.PAGE(random_state=seed, **options).fit(model, graphs).explain_all().items()
        }
        for search, options in SEARCHES.items()
    }


def differences(old: object, new: object, where: str) -> list[str]:
    """Every place where two answers differ; floats may by rounding."""
    if isinstance(old, float) and isinstance(new, float):
        return [] if abs(old - new) <= 1e-5 * max(1.0, abs(old)) else [f"{where}: {old} became {new}"]
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        return [line for key in old for line in differences(old[key], new[key], f"{where} {key}".strip())]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = enumerate(zip(old, new, strict=True))
        return [line for n, (a, b) in pairs for line in differences(a, b, f"{where}[{n}]")]
    return [] if old == new else [f"{where}: {old} became {new}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--accept", action="store_true", help="write what comes out, to hold others against")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    measured = {}
    for name in DATASETS:
        for seed in SEEDS:
            measured[f"{name}, seed {seed}"] = answers(name, seed)
            print(name, seed, "explained", flush=True)
    lines = differences(certificate.read(RESULT, measured), measured, "")
    print("\n".join(lines) or "the same answers")
    if arguments.accept:
        certificate.write(RESULT, measured, seeds=SEEDS)
    else:
        sys.exit(bool(lines))


if __name__ == "__main__":
    main()
