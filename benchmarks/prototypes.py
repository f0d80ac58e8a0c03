"""Are the prototypes right? Every ground-truthed data set, ten seeds of data, model and mixture, one set of defaults.

    python -m benchmarks.prototypes                       prints every seed and the table
    python -m benchmarks.prototypes benzene --jobs 8      one data set, eight seeds at once
    python -m benchmarks.prototypes --table               prints the table of what is in results/prototypes.json

Beside PAGE with its defaults (consensus) stand the paper's search (walk, two clusters) and subgraphs drawn at random. A
prototype is held against the truth that most graphs of its cluster have, where graphs carry what was planted in them,
else against the closest; a class's accuracy is the mean over its prototypes, a data set's that over its classes with a
truth. Each finished seed is added to results/prototypes.json, so that a run that was broken off goes on where it ended.
"""

import argparse
import statistics
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from benchmarks import certificate

RESULT = certificate.RESULTS / "prototypes.json"
# The accuracy of the paper's PAGE, and what the default search must not fall below.
PAPER = {"ba-house": 0.524, "ba-grid": 0.857, "benzene": 0.667, "mutagenicity": 0.909, "solubility": 0.329}
LEAST = {"ba-house": 0.80, "ba-grid": 0.90, "benzene": 0.90, "mutagenicity": 0.91, "solubility": 0.50}
METHODS = ("consensus", "walk", "random")


def explainer_of(method: str, seed: int):
    import protograph as pg

    return {
        "consensus": lambda: pg.PAGE(random_state=seed),
        "walk": lambda: pg.PAGE(search="walk", num_clusters=2, random_state=seed),
        "random": lambda: pg.RandomSubgraph(num_prototypes=2, random_state=seed),
    }[method]()


def one_seed(name: str, seed: int) -> dict:
    import torch

    import protograph as pg

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    data = pg.datasets.load(name, random_state=seed)
    trained = pg.train(data, hidden=data.hidden, random_state=seed)
    graphs = data[trained.split.train]
    row: dict = {"seed": seed, "test_accuracy": trained.test_accuracy}
    for method in METHODS:
        row[method] = one_method(explainer_of(method, seed), data, graphs, trained.model)
    return row


def one_method(explainer, data, graphs, model) -> dict:
    explanations = explainer.fit(model, graphs).explain_all()
    classes = {}
    for target, truths in data.ground_truths.items():
        if target in explanations:
            classes[str(target)] = [
                scores(p, explanations[target], graphs, truths, model) for p in explanations[target].prototypes
            ]
    right = [statistics.mean(p["accuracy"] for p in rows) for rows in classes.values() if rows]
    return {
        "accuracy": statistics.mean(right) if right else None,
        "classes": classes,
        "num_clusters": {str(target): len(e.prototypes) for target, e in explanations.items()},
        "least_share": min(
            (p.cluster_size / e.num_predicted for e in explanations.values() for p in e.prototypes if p.cluster_size),
            default=None,
        ),
    }


def scores(prototype, explanation, graphs, truths, model) -> dict:
    import protograph as pg
    from protograph.evaluation.evaluation import accuracy_of

    right = accuracy_of(prototype, explanation, graphs, truths)
    target = explanation.target
    truth = pg.metrics.judge(model, [truths[right.truth or 0]], target, reference_graphs=list(graphs)[:500])
    sources = [explanation.source_graphs[index] for index in prototype.sources or ()]
    whole = pg.metrics.judge(model, sources, target, reference_graphs=list(graphs)[:500]) if sources else None
    evidence = prototype.evidence
    return {
        "accuracy": right.value,
        "truth": right.truth or 0,
        "nodes": prototype.num_nodes,
        "edges": prototype.num_edges,
        "cluster_size": prototype.cluster_size,
        "probability": prototype.probability,
        "truth_probability": truth.probability,
        "sources_probability": whole and whole.probability,
        "margin": prototype.margin,
        "truth_margin": truth.margin,
        "sources_margin": whole and whole.margin,
        "support": evidence and evidence.support,
        "support_elsewhere": evidence and evidence.support_elsewhere,
        "contribution_share": evidence and evidence.contribution_share,
        "purity": purity(prototype, explanation, graphs),
        "words": prototype.describe(),
    }


def purity(prototype, explanation, graphs) -> float | None:
    """Share of the cluster's graphs that carry the motif that most of them do, where graphs say what was planted."""
    places = explanation.embedding_map
    if places is None or prototype.cluster is None or graphs[0].get("motif") is None:
        return None
    motifs = [
        graphs[i].motif.num_nodes
        for i, c in zip(places.indices, places.clusters, strict=True)
        if c == prototype.cluster
    ]
    return motifs.count(max(set(motifs), key=motifs.count)) / len(motifs)


def measured(name: str, seeds: range, jobs: int, out: Path) -> list[dict]:
    content, earlier = certificate.read(out, {}), certificate.runs_of(out)
    rows = {row["seed"]: row for row in content.get(name, [])}
    left = [seed for seed in seeds if seed not in rows]
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        running = [pool.submit(one_seed, name, seed) for seed in left]
        for finished in as_completed(running):
            row = finished.result()
            rows[row["seed"]] = row
            print(name, row["seed"], {m: row[m]["accuracy"] for m in METHODS}, flush=True)
            content[name] = [rows[seed] for seed in sorted(rows)]
            measured_seeds = [entry["seed"] for entries in content.values() for entry in entries]
            certificate.write(out, content, seeds=measured_seeds, limits=limits_of(content), earlier=earlier)
    return [rows[seed] for seed in seeds]


def limits_of(content: dict[str, list[dict]]) -> list[dict]:
    """Whether the mean accuracy of the default search is what it must not fall below."""
    return [
        certificate.limit(
            f"{name}: mean accuracy of the prototypes", mean_accuracy(rows, "consensus"), at_least=LEAST[name]
        )
        for name, rows in content.items()
    ]


def accuracies(rows: list[dict], method: str) -> list[float]:
    """Accuracy on each seed with a prototype of a class that has a truth."""
    return [row[method]["accuracy"] for row in rows if row[method]["accuracy"] is not None]


def mean_accuracy(rows: list[dict], method: str) -> float:
    return statistics.mean(accuracies(rows, method))


def spread(values: list[float]) -> str:
    error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return f"{statistics.mean(values):.3f} ± {error:.3f}"


def show(name: str, rows: list[dict]) -> None:
    for method in METHODS:
        values = accuracies(rows, method)
        print(f"{name:13} {method:10} accuracy {spread(values)} {[round(v, 2) for v in values]}")
    ours = [row["consensus"] for row in rows]
    prototypes = prototypes_of(rows)
    say(f"paper {PAPER[name]:.3f}, at least {LEAST[name]:.2f}, reached {mean_accuracy(rows, 'consensus'):.3f}")
    say(f"margin below the truth's: {num_below_truth(prototypes)} of {len(prototypes)} prototypes")
    for key in ("probability", "margin"):
        own, truth, whole = (spread([p[prefix + key] for p in prototypes]) for prefix in ("", "truth_", "sources_"))
        say(f"{key}: prototype {own}, truth {truth}, representatives {whole}")
    shares = contribution_shares(prototypes)
    say(f"share of all contributions in the representatives: {spread(shares) if shares else 'not known'}")
    say(f"clusters of each class: {[one['num_clusters'] for one in ours]}")
    say(f"least share of a cluster in its class: {min(one['least_share'] for one in ours):.3f}")
    pure = [p["purity"] for p in prototypes if p["purity"] is not None]
    if pure:
        say(f"clusters are pure to {min(pure):.3f}; both truths apart in {sum(map(apart, ours))} of {len(ours)} seeds")


def prototypes_of(rows: list[dict]) -> list[dict]:
    """All prototypes that the default search has of classes with a truth."""
    return [p for row in rows for prototypes in row["consensus"]["classes"].values() for p in prototypes]


def num_below_truth(prototypes: list[dict]) -> int:
    """How many have a lower margin than their truth has."""
    return sum(p["margin"] < p["truth_margin"] - 1e-6 for p in prototypes)


def contribution_shares(prototypes: list[dict]) -> list[float]:
    """Shares of all contributions in their sources that prototypes carry, where that is known."""
    return [p["contribution_share"] for p in prototypes if p["contribution_share"] is not None]


def say(text: str) -> None:
    print(f"{'':13} {text}", flush=True)


def apart(one: dict) -> bool:
    """Whether both truths of each class have clusters of their own, each at least 99% pure."""
    return all(
        {p["truth"] for p in prototypes} == {0, 1} and min(p["purity"] for p in prototypes) >= 0.99
        for prototypes in one["classes"].values()
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(PAPER))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, default=RESULT)
    parser.add_argument("--table", action="store_true", help="only print what is there")
    asked = parser.parse_args()
    for name in asked.names:
        if asked.table:
            show(name, certificate.read(asked.out)[name])
        else:
            show(name, measured(name, range(asked.seeds), asked.jobs, asked.out))


if __name__ == "__main__":
    main()
