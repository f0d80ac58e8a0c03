"""Are explanations still the same, or at least as good? Answers on kept models, held against those that were accepted.

    python -m research.answers                        the models of results/answers.json, explained again
    python -m research.answers --accept --seeds 0-2   writes results/answers.json
    python -m research.answers --seeds 0-19 --out new.json --against old.json

An answer is what a user sees of a model: prototypes with their counts, rules, what the rules predict for 200 graphs
that the explainer was not given, sentences, fidelity and warnings, of both searches. Models are trained once and kept
in ``runs/answers``, so that two versions of the code explain the same models. Two files of answers are compared by
what is equal, and by what matters where they are not: accuracy against the ground truth, and fidelity.
"""

import argparse
import hashlib
import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch

import protograph as pg
from research import certificate

KEPT = Path("runs") / "answers"
RESULT = certificate.RESULTS / "answers.json"
DATASETS = ("ba-house", "ba-grid", "benzene", "mutagenicity", "solubility")
SEARCHES: Mapping[str, Mapping[str, Any]] = {"consensus": {}, "walk": {"search": "walk", "num_clusters": 2}}
NUM_HELD_OUT = 200
TOLERANCE = 1e-5  # relative: the same answers on another machine


def trained(name: str, data: Any, seed: int, kept: Path) -> tuple[torch.nn.Module, list[int], list[int]]:
    """The data set's model of a seed, and the graphs that it was trained on and not trained on."""
    path = kept / f"{name}-{seed}.pt"
    if not path.exists():
        made = pg.train(data, hidden=data.hidden, random_state=seed)
        rest = sorted([*made.split.validation.tolist(), *made.split.test.tolist()])
        facts = {"weights": made.model.state_dict(), "train": made.split.train.tolist(), "rest": rest}
        kept.mkdir(parents=True, exist_ok=True)
        torch.save(facts, path)
    facts = torch.load(path, weights_only=True)
    model = pg.train(data[facts["train"][:64]], hidden=data.hidden, max_epochs=1, random_state=seed).model
    model.load_state_dict(facts["weights"])
    return model.eval(), facts["train"], facts["rest"]


def of_prototype(prototype: Any, truths: tuple[Any, ...], motifs: list[Any]) -> dict[str, Any]:
    evidence = prototype.evidence
    return {
        "source": prototype.source,
        "nodes": list(prototype.nodes),
        "edges": [list(edge) for edge in prototype.edges],
        "sources": list(prototype.sources),
        "matches": prototype.matches.tolist(),
        "cluster_size": prototype.cluster_size,
        "probability": prototype.probability,
        "margin": prototype.margin,
        "counts": [evidence.num_in_class, evidence.num_elsewhere, evidence.num_in_cluster],
        "accuracy": accuracy_of(prototype, truths, motifs),
    }


def accuracy_of(prototype: Any, truths: tuple[Any, ...], motifs: list[Any]) -> float | None:
    """Against the truth that most graphs of the cluster have, where graphs carry it, else the closest one."""
    if not truths:
        return None
    sizes = [(truth.num_nodes, truth.num_edges) for truth in truths]
    planted = [sizes.index(size) for one in motifs if (size := (one.num_nodes, one.num_edges)) in sizes]
    if len(truths) > 1 and planted:
        return float(pg.metrics.accuracy(prototype.graph, truths[int(np.bincount(planted).argmax())]))
    return float(pg.metrics.best_accuracy(prototype.graph, truths))


def answers(name: str, seed: int, kept: Path) -> dict[str, Any]:
    """All that is explained of one model."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    data = pg.datasets.load(name, random_state=seed)
    model, train, rest = trained(name, data, seed, kept)
    graphs, held_out = data[train], data[rest[:NUM_HELD_OUT]]
    return {search: of_search(options, seed, model, graphs, held_out) for search, options in SEARCHES.items()}


def of_search(options: Mapping[str, Any], seed: int, model: Any, graphs: Any, held_out: Any) -> dict[str, Any]:
    started = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        explanations = pg.PAGE(random_state=seed, **options).fit(model, graphs).explain_all()
    seconds = time.perf_counter() - started
    classes = {}
    for target, explanation in explanations.items():
        clusters = explanation.embedding_map
        prototypes = []
        for prototype in explanation.prototypes:
            places = zip(clusters.indices, clusters.clusters, strict=True)
            members = [index for index, cluster in places if cluster == prototype.cluster]
            motifs = [motif for index in members if (motif := graphs[index].get("motif")) is not None]
            prototypes.append(of_prototype(prototype, graphs.ground_truths.get(target, ()), motifs))
        classes[str(target)] = {
            "prototypes": prototypes,
            "rule": str(explanation.rule or ""),
            "fidelity": None if explanation.fidelity is None else float(explanation.fidelity),
            "notes": list(explanation.warnings),
        }
    return {
        "classes": classes,
        "fidelity": None if explanations.fidelity is None else float(explanations.fidelity),
        "predicted": ["".join(str(int(one)) for one in row) for row in explanations.predict(held_out)],
        "summary": hashlib.sha256(explanations.summary().encode()).hexdigest()[:16],
        "warnings": sorted(str(one.message) for one in caught if issubclass(one.category, pg.ProtographWarning)),
        "seconds": round(seconds, 2),
    }


def differences(old: Any, new: Any, where: str = "") -> list[str]:
    """Every place where two answers differ, times apart; floats may by rounding."""
    if where.split(" ")[-1] == "seconds":
        return []
    if isinstance(old, float) and isinstance(new, float):
        return [] if abs(old - new) <= TOLERANCE * max(1.0, abs(old)) else [f"{where}: {old} became {new}"]
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        return [line for key in old for line in differences(old[key], new[key], f"{where} {key}".strip())]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = enumerate(zip(old, new, strict=True))
        return [line for n, (a, b) in pairs for line in differences(a, b, f"{where}[{n}]")]
    return [] if old == new else [f"{where}: {str(old)[:200]} became {str(new)[:200]}"]


def class_accuracy(answer: Mapping[str, Any]) -> dict[str, float]:
    """Mean accuracy of the prototypes of each class with a ground truth."""
    means = {}
    for target, one in answer["classes"].items():
        values = [prototype["accuracy"] for prototype in one["prototypes"] if prototype["accuracy"] is not None]
        if values:
            means[target] = float(np.mean(values))
    return means


def compared(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """What matters, paired by model: a line for each data set and search."""
    lines = []
    for name in dict.fromkeys(key.split(", ")[0] for key in old):
        keys = [key for key in old if key.startswith(f"{name}, ") and key in new]
        for search in SEARCHES:
            pairs = [
                (class_accuracy(old[key][search]), class_accuracy(new[key][search]))
                for key in keys
                if search in new[key]
            ]
            if not pairs:
                continue
            before = np.array([np.mean(list(a.values()) or [np.nan]) for a, _ in pairs])
            after = np.array([np.mean(list(b.values()) or [np.nan]) for _, b in pairs])
            changed = [len(differences(old[key][search], new[key][search])) > 0 for key in keys]
            worse, better = int((after < before - 1e-9).sum()), int((after > before + 1e-9).sum())
            line = f"{name:13} {search:9} {len(keys):2} models: accuracy {before.mean():.3f} to {after.mean():.3f}"
            line += f" ({worse} worse, {better} better), {sum(changed)} changed"
            fidelity = np.array(
                [(old[key][search]["fidelity"], new[key][search]["fidelity"]) for key in keys], dtype=float
            )
            if not np.isnan(fidelity).all():
                line += f"; fidelity {np.nanmean(fidelity[:, 0]):.4f} to {np.nanmean(fidelity[:, 1]):.4f}"
            took = np.array([(old[key][search]["seconds"], new[key][search]["seconds"]) for key in keys])
            line += f"; seconds {took[:, 0].sum():.0f} to {took[:, 1].sum():.0f}"
            lines.append(line)
    return lines


def seeds_of(text: str) -> list[int]:
    first, _, last = text.partition("-")
    return list(range(int(first), int(last or first) + 1))


def measured(cells: Sequence[tuple[str, int]], kept: Path, jobs: int) -> dict[str, Any]:
    if jobs == 1:
        found = [answers(name, seed, kept) for name, seed in cells]
    else:
        with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
            found = list(pool.map(partial(answers, kept=kept), *zip(*cells, strict=True)))
    return {f"{name}, seed {seed}": answer for (name, seed), answer in zip(cells, found, strict=True)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--accept", action="store_true", help="write what comes out, to hold others against")
    parser.add_argument("--sets", help="data sets, by default those of the earlier answers, or all")
    parser.add_argument("--seeds", type=seeds_of, help="such as 0-19, by default those of the earlier answers, or 0-2")
    parser.add_argument("--models", type=Path, default=KEPT, help="folder of kept models")
    parser.add_argument("--out", type=Path, default=None, help="where to write what comes out")
    parser.add_argument("--against", type=Path, default=RESULT, help="earlier answers")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    old = certificate.read(arguments.against, {})
    cells = [(name, int(seed)) for name, _, seed in (key.partition(", seed ") for key in old)]
    if arguments.accept or arguments.sets or arguments.seeds or not cells:
        names = arguments.sets.split(",") if arguments.sets else DATASETS
        cells = [(name, seed) for name in names for seed in arguments.seeds or range(3)]
    found = measured(cells, arguments.models, arguments.jobs)
    out = RESULT if arguments.accept else arguments.out
    if out is not None:
        certificate.write(out, found, seeds=[seed for _, seed in cells])
    if arguments.accept:
        return
    lines = differences(
        {key: old[key] for key in found if key in old}, {key: found[key] for key in found if key in old}
    )
    print("\n".join(lines[:40]) or "the same answers")
    print("\n".join(compared(old, found)))
    sys.exit(bool(lines))


if __name__ == "__main__":
    main()
