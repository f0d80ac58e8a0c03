"""The paper's own numbers; ground truths of the data sets by name, and prototypes as records beside them."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from torch_geometric.data import Data

import protograph as pg
from protograph.datasets.molecules import CARBON_RING, molecule
from protograph.evaluation.evaluation import accuracy_of
from protograph.metrics.accuracy import Accuracy
from research.paper.drawings import graph_record, kinds_record, undirected

RING = "six-carbon ring"
# In the order in which the data sets have them.
TRUTHS: dict[tuple[str, int], tuple[str, ...]] = {
    ("ba-house", 1): ("house", "two houses"),
    ("ba-grid", 1): ("grid",),
    ("benzene", 1): (RING,),
    ("mutagenicity", 0): ("NO2", "NH2", "ring with NO2", "ring with NH2"),
    ("solubility", 0): ("fused rings",),
    ("solubility", 1): ("R-OH",),
}
# Classes of which the paper speaks of a ring that is no truth by itself.
WITH_RING = (("mutagenicity", 0), ("solubility", 0))


@cache
def _content() -> Any:
    return json.loads(Path(__file__).with_name("paper.json").read_text(encoding="utf-8"))


def paper(*path: str) -> Any:
    """What the paper (under ``logicxgnn``: LogicXGNN's) has at a place of ``paper.json``; ``None`` for nothing.

    >>> paper("table1", "ba-house", "num_graphs"), paper("table2", "accuracy", "PAGE", "mnist-sp")
    (2000, None)
    """
    content = _content()
    for name in path:
        if not isinstance(content, dict) or name not in content:
            return None
        content = content[name]
    return content


def motifs_of(data: pg.datasets.GraphDataset, target: int) -> dict[str, Data]:
    """The ground truths of a class and the parts that the paper speaks of, by name."""
    truths = dict(zip(TRUTHS[data.name, target], data.ground_truths[target], strict=True))
    if (data.name, target) in WITH_RING:
        truths[RING] = molecule(*CARBON_RING, data.feature_names)
    return truths


def prototype_record(graph: Data, right: Accuracy, data: pg.datasets.GraphDataset, target: int) -> dict[str, Any]:
    """A prototype's graph, what it has of the truth that it is held against, and the share of each motif that it has.

    Args:
        graph: The prototype.
        right: Its accuracy, whose correspondence counts.
        data: The data set.
        target: The class.
    """
    place, truth = dict(right.mapping), data.ground_truths[target][right.truth]
    own = undirected(truth)
    edges = [[u, v] for u, v in undirected(graph) if u in place and v in place and sorted((place[u], place[v])) in own]
    shares = {}
    for name, motif in motifs_of(data, target).items():
        found = pg.metrics.accuracy(graph, motif)
        shares[name] = found.true_positives / (found.true_positives + found.false_negatives)
    return {
        "graph": graph_record(graph, kinds_record(data)),
        "accuracy": right.value,
        "truth": right.truth,
        "part": {"nodes": sorted(place), "edges": edges},
        "motifs": shares,
    }


def class_record(
    explanation: pg.Explanation | None, data: pg.datasets.GraphDataset, target: int, graphs: Sequence[Data]
) -> dict[str, Any]:
    """The truths of a class and the prototypes of its explanation, best first.

    Args:
        explanation: The explanation, if there is one.
        data: The data set.
        target: The class.
        graphs: The graphs that the explainer was fitted to.
    """
    truths, kinds = data.ground_truths[target], kinds_record(data)
    prototypes = []
    for one in explanation.prototypes if explanation else ():
        right = accuracy_of(one, explanation, graphs, truths)
        record = prototype_record(one.graph, right, data, target)
        prototypes.append(record | {"probability": one.probability})
    return {
        "name": data.class_names[target],
        "truths": [graph_record(truth, kinds) for truth in truths],
        "prototypes": prototypes,
    }


def has_whole(prototypes: Sequence[Mapping[str, Any]], motif: str) -> bool:
    """Whether one of some prototypes' records has the whole of a motif."""
    return any(one["motifs"][motif] == 1 for one in prototypes)
