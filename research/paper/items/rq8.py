"""RQ8: which sentences of Graph-SST2 represent each class and cluster (Phase 1 alone)."""

import time
import warnings
from collections.abc import Sequence
from functools import partial
from statistics import mean, median
from typing import Any

from scipy.stats import spearmanr
from torch_geometric.data import Data

import protograph as pg
from research.paper.estimates import above, below, bootstrap, mean_of, mostly, share_of
from research.paper.lab import Lab, ModelSpec
from research.paper.runs import Cell, Item, Results
from research.paper.settings import Settings
from research.paper.sheet import Sheet
from research.paper.truths import paper

NAME = "graph-sst2"
NUM_SEEDS = 3  # training takes minutes: so many show whether it is always so


def cells(settings: Settings) -> list[Cell]:
    """A cell a seed, the first one's sentences are shown; none in a quick run, which must not need files."""
    if NAME in settings.without or settings.is_quick:
        return []
    return [
        Cell(key=(f"seed {seed}",), compute=partial(measure, seed), needs=[ModelSpec(NAME, seed)])
        for seed in settings.seeds[:NUM_SEEDS]
    ]


def measure(seed: int, lab: Lab) -> dict[str, Any]:
    """The sentences that represent each cluster, and how long finding them takes."""
    data, trained, graphs = lab.data(NAME, seed), lab.model(ModelSpec(NAME, seed)), lab.train_graphs(NAME, seed)
    explainer = pg.PAGE(search="walk", num_clusters=2, num_graphs=3, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pg.ProtographWarning)
        started = time.perf_counter()
        explainer.fit(trained.model, graphs)
        fitted = time.perf_counter()
        targets = [target for target in range(2) if (explainer.predictions_ == target).any()]
        selections = {target: explainer.representatives(target) for target in targets}
    lengths = [int(graph.num_nodes) for graph in graphs]
    return {
        "test_accuracy": trained.test_accuracy,
        "class_names": list(data.class_names),
        "median_length": median(lengths),
        "clusters": [
            cluster_record(target, cluster, trained.model, graphs, lengths)
            for target, selection in selections.items()
            for cluster in selection
        ],
        "seconds": {"fit": fitted - started, "phase 1": time.perf_counter() - fitted},
    }


def cluster_record(target: int, cluster: Any, model: Any, graphs: Any, lengths: Sequence[int]) -> dict[str, Any]:
    """What is kept of a cluster: its sentences, what they share, and how length goes with the distance."""
    chosen = [graphs[index] for index in cluster.representatives]
    of_members = [lengths[index] for index in cluster.members]
    varies = len(set(of_members)) > 1 and len(set(cluster.distances)) > 1
    return {
        "target": target,
        "size": len(cluster.members),
        "sentences": [
            {
                "words": list(graph.tokens),
                "num_edges": int(graph.num_edges),
                "label": int(graph.y),
                "probability": pg.metrics.judge(model, [graph], target, reference_graphs=chosen).probability,
            }
            for graph in chosen
        ],
        "shared_words": shared_words(chosen),
        "shared_pairs": shared_pairs(chosen),
        "length_and_distance": float(spearmanr(of_members, cluster.distances).statistic) if varies else None,
    }


def shared_words(sentences: Sequence[Data]) -> list[str]:
    """Words that all of them have, in alphabetical order."""
    return sorted(set.intersection(*({word.lower() for word in one.tokens} for one in sentences)))


def shared_pairs(sentences: Sequence[Data]) -> list[tuple[str, str]]:
    """Joined pairs of words that all of them have."""
    pairs = []
    for one in sentences:
        words = [word.lower() for word in one.tokens]
        pairs.append({tuple(sorted((words[u], words[v]))) for u, v in one.edge_index.T.tolist() if u != v})
    return sorted(set.intersection(*pairs))


def write(results: Results, sheet: Sheet) -> None:
    """The sentences of the first seed, and what holds of all."""
    found = list(results.values())
    if not found:
        sheet.note("Graph-SST2 was left out, or the run is a quick one: nothing is shown.")
        return
    first, rows = found[0], []
    for cluster in first["clusters"]:
        names = first["class_names"]
        for one in cluster["sentences"]:
            text = " ".join(one["words"])
            rows.append([names[cluster["target"]], cluster["size"], text, names[one["label"]], one["probability"]])
    sheet.table(
        "sentences",
        ("class", "sentences of the cluster", "sentence", "label", "p of the class"),
        rows,
        "The three sentences nearest the mean of each cluster, first seed; the model predicts each as the class.",
    )
    sheet.note(
        "Our Graph-SST2 is built from the same sentences with other features and edges than the published one: GloVe "
        f"vectors of 25 numbers, where the paper has {paper('rq8', 'embedding_size')} of a language model, and edges "
        f"of a constituency parse. The GCN is right for {mean(one['test_accuracy'] for one in found):.1%} of the test "
        f"sentences. Phase 1 for both classes takes {first['seconds']['phase 1']:.1f} s after "
        f"{first['seconds']['fit']:.1f} s of fit."
    )
    write_findings(found, sheet)


def write_findings(found: list[Any], sheet: Sheet) -> None:
    """What the paper says of the sentences."""
    clusters = [cluster for one in found for cluster in one["clusters"]]
    sentences = [sentence for cluster in clusters for sentence in cluster["sentences"]]
    lengths, whole = bootstrap([len(one["words"]) for one in sentences]), found[0]["median_length"]
    claim = "sentences that represent a cluster are short: median of their words"
    sheet.finding(claim, lengths, "very short", below(lengths, whole), f"of all the median is {whole:g} words")
    alone = sum(not one["num_edges"] for one in sentences)
    decided = "agrees" if alone else "differs"
    sheet.finding("some representatives have no edge", f"{alone} of {len(sentences)}", "there are cases", decided)
    common, words = (sum(bool(one[key]) for one in clusters) for key in ("shared_pairs", "shared_words"))
    sheet.finding(
        "no subgraph is common to a cluster's representatives",
        f"two joined words in {common} of {len(clusters)} clusters, a word in {words}",
        "not possible",
        "agrees" if not common else "differs",
        "by equal words; the paper would need another rule of when words match",
    )
    is_own = [one["label"] == cluster["target"] for cluster in clusters for one in cluster["sentences"]]
    own = share_of(sum(is_own), len(is_own))
    claim = "representatives stand for the class's sentiment: share whose label is the class"
    sheet.finding(claim, own, "a low-resolution concept of each class", mostly(own), "the paper counts nothing")
    ours = mean_of([one["length_and_distance"] for one in clusters if one["length_and_distance"] is not None])
    claim = "why: longer sentences lie farther from the mean of their cluster (rank correlation)"
    sheet.finding(claim, ours, "they do", above(ours), "the paper's reason, which it does not measure")


ITEM = Item(
    name="rq8",
    title="Sentences that represent a class: Graph-SST2",
    question="What does PAGE show where there is no ground truth, and no pattern that a class has in common? Phase 1 "
    "alone chooses three sentences of each class and cluster.",
    cells=cells,
    write=write,
)
