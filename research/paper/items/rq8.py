"""RQ8: which sentences of Graph-SST2 represent each class and cluster (Phase 1 alone)."""

import time
import warnings
from functools import partial
from statistics import median
from typing import Any

from protograph._base.errors import ProtographWarning
from protograph.datasets.registry import SPECS
from protograph.page.explainer import PAGE
from research.paper.claims import mostly
from research.paper.findings import Estimate
from research.paper.item import JSON, Cell, Item, Need, Results
from research.paper.lab import Lab
from research.paper.paper import paper
from research.paper.sentences import Sentence, draw_sentences, rank_correlation, shared_pairs, shared_words
from research.paper.settings import Settings
from research.paper.sheet import Sheet

NAME = "graph-sst2"
# Training takes minutes: so many seeds show whether it is always so.
NUM_SEEDS = 3


def seeds_of(settings: Settings) -> tuple[int, ...]:
    """The first few; in a quick run one."""
    return settings.fewer(settings.seeds[:NUM_SEEDS])


def cells(settings: Settings) -> list[Cell]:
    """A cell a seed, the first one's sentences are shown; in a quick run none where the sentences are not at hand."""
    is_missing = SPECS[NAME].state(settings.data_root) != "here"
    if NAME in settings.without or (settings.is_quick and is_missing):
        return []
    return [
        Cell(
            key=(f"seed {seed}",),
            compute=partial(_measure, seed),
            needs=(Need("model", NAME, seed),),
            seconds=15.0,
        )
        for seed in seeds_of(settings)
    ]


def _measure(seed: int, lab: Lab) -> JSON:
    data, kept = lab.data(NAME, seed), lab.model(NAME, seed)
    graphs = data[kept.train]
    explainer = PAGE(search="walk", num_clusters=2, num_graphs=3, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ProtographWarning)
        started = time.perf_counter()
        explainer.fit(kept.model, graphs)
        fitted = time.perf_counter()
        predicted = [target for target in range(2) if (explainer.predictions_ == target).any()]
        selections = {target: explainer.representatives(target) for target in predicted}
        ended = time.perf_counter()
    lengths = [int(graph.num_nodes) for graph in graphs]
    return {
        "test_accuracy": kept.test_accuracy,
        "class_names": list(data.class_names),
        "num_sentences": len(graphs),
        "median_length": median(lengths),
        "clusters": [
            _cluster(target, cluster, explainer, graphs, lengths)
            for target, selection in selections.items()
            for cluster in selection
        ],
        "seconds": {"fit": fitted - started, "phase 1": ended - fitted},
    }


def _cluster(target: int, cluster: Any, explainer: PAGE, graphs: Any, lengths: list[int]) -> dict[str, Any]:
    """What is kept of a cluster: its sentences, what they share, and how length goes with the distance."""
    chosen = [Sentence.of(graphs[index]) for index in cluster.representatives]
    probabilities = explainer.embedded_.probabilities
    return {
        "target": target,
        "size": len(cluster.members),
        "median_length": median(lengths[index] for index in cluster.members),
        "sentences": [
            {
                "words": list(sentence.words),
                "edges": [list(edge) for edge in sentence.edges],
                "label": sentence.label,
                "probability": float(probabilities[index, target]),
                "no_longer": sum(length <= len(sentence.words) for length in lengths) / len(lengths),
            }
            for sentence, index in zip(chosen, cluster.representatives, strict=True)
        ],
        "shared_words": shared_words(chosen),
        "shared_pairs": [list(pair) for pair in shared_pairs(chosen)],
        "length_and_distance": rank_correlation([lengths[index] for index in cluster.members], cluster.distances),
    }


def write(results: Results, sheet: Sheet) -> None:
    """The sentences of the first seed, and what holds of all."""
    found = list(results.values())
    if not found:
        sheet.note("The files of Graph-SST2 are not at hand (docs/datasets.md), or it was left out: nothing is shown.")
        return
    sheet.note(
        "Our Graph-SST2 is built from the same sentences with other features and edges than the published one: GloVe "
        f"vectors of 25 numbers, where the paper has {paper('rq8', 'embedding_size')} of a language model, and edges "
        "of a constituency parse. The GCN is right for "
        f"{_percent([one['test_accuracy'] for one in found])} of the test sentences."
    )
    _write_sentences(found[0], sheet)
    _write_findings(found, sheet)
    seconds = found[0]["seconds"]
    sheet.note(
        f"Phase 1 for both classes takes {seconds['phase 1']:.1f} s after {seconds['fit']:.1f} s of fit, on "
        f"{found[0]['num_sentences']:,} sentences; training is apart from that."
    )


def _percent(values: list[float]) -> str:
    return f"{100 * sum(values) / len(values):.1f}%"


def _write_sentences(first: Any, sheet: Sheet) -> None:
    rows, panels = [], []
    for number, cluster in enumerate(first["clusters"]):
        same = [one for one in first["clusters"][:number] if one["target"] == cluster["target"]]
        class_name = first["class_names"][cluster["target"]]
        title = f"Class {cluster['target']} ({class_name}), cluster {len(same)}: {cluster['size']:,} sentences"
        panels.append((title, cluster["sentences"]))
        for one in cluster["sentences"]:
            label, text = first["class_names"][one["label"]], " ".join(one["words"])
            rows.append([f"{cluster['target']} ({class_name})", len(same), text, label, one["probability"]])
    sheet.table(
        "sentences",
        ("class", "cluster", "sentence", "label", "p of the class"),
        rows,
        "The three sentences nearest the mean of each cluster, first seed; the model predicts each as the class.",
    )
    sheet.figure(
        "sentences-as-graphs",
        draw_sentences(panels),
        "The same sentences as graphs: words are nodes, arcs edges; p is the model's probability of the class, blue "
        "for a sentence labelled positive, orange for one labelled negative.",
    )


def _write_findings(found: list[Any], sheet: Sheet) -> None:
    clusters = [cluster for one in found for cluster in one["clusters"]]
    sentences = [sentence for cluster in clusters for sentence in cluster["sentences"]]
    lengths = Estimate.bootstrap([len(one["words"]) for one in sentences])
    whole = found[0]["median_length"]
    is_shorter = lengths.high is not None and lengths.high < whole
    is_longer = lengths.low is not None and lengths.low > whole
    sheet.finding(
        "sentences that represent a cluster are short: median of their words",
        lengths,
        "very short",
        "agrees" if is_shorter else "differs" if is_longer else "undecided",
        f"of all sentences the median is {whole:g} words",
    )
    alone = sum(not one["edges"] for one in sentences)
    sheet.finding(
        "some representatives have no edge",
        f"{alone} of {len(sentences)}",
        "there are cases",
        "agrees" if alone else "differs",
    )
    common = sum(bool(one["shared_pairs"]) for one in clusters)
    words = sum(bool(one["shared_words"]) for one in clusters)
    sheet.finding(
        "no subgraph is common to a cluster's representatives",
        f"two joined words in {common} of {len(clusters)} clusters, a word in {words}",
        "not possible",
        "agrees" if not common else "differs",
        "by equal words; the paper would need another rule of when words match",
    )
    _write_reasons(clusters, sheet)


def _write_reasons(clusters: list[Any], sheet: Sheet) -> None:
    """Whether representatives stand for their class, and why they are short."""
    is_own = [one["label"] == cluster["target"] for cluster in clusters for one in cluster["sentences"]]
    own = Estimate.share(sum(is_own), len(is_own))
    sheet.finding(
        "representatives stand for the class's sentiment: share whose label is the class",
        own,
        "a low-resolution concept of each class",
        mostly(own),
        "the model predicts all of them as the class; the paper shows sentences and counts nothing",
    )
    correlations = [one["length_and_distance"] for one in clusters if one["length_and_distance"] is not None]
    ours = Estimate.of(correlations)
    is_so, is_not = ours.low is not None and ours.low > 0, ours.high is not None and ours.high < 0
    sheet.finding(
        "why: longer sentences lie farther from the mean of their cluster (rank correlation)",
        ours,
        "they do",
        "agrees" if is_so else "differs" if is_not else "undecided",
        "the paper's reason, which it does not measure",
    )


ITEM = Item(
    name="rq8",
    title="Sentences that represent a class: Graph-SST2",
    question="What does PAGE show where there is no ground truth, and no pattern that a class has in common? Phase 1 "
    "alone chooses three sentences of each class and cluster.",
    cells=cells,
    write=write,
    seeds=seeds_of,
)
