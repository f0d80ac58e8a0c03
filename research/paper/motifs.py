"""The motifs of each class by name: its ground truths, and parts of them that the paper speaks of."""

from collections.abc import Sequence

from torch_geometric.data import Data

from protograph.datasets import GraphDataset
from protograph.datasets.molecules import CARBON_RING, Structure, molecule
from protograph.metrics.accuracy import accuracy

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
PARTS: dict[tuple[str, int], dict[str, Structure]] = {
    ("mutagenicity", 0): {RING: CARBON_RING},
    ("solubility", 0): {RING: CARBON_RING},
}


def motifs_of(data: GraphDataset, target: int) -> dict[str, Data]:
    """The ground truths of a class and the parts that are spoken of, by name."""
    names, parts = TRUTHS[data.name, target], PARTS.get((data.name, target), {})
    truths = dict(zip(names, data.ground_truths[target], strict=True))
    return truths | {name: molecule(*one, data.feature_names) for name, one in parts.items()}


def found_shares(graph: Data, motifs: dict[str, Data]) -> dict[str, float]:
    """Share of the nodes and edges of each motif that a prototype has; 1 where it has the whole motif.

    The prototype may have more edges between the same nodes.
    """
    shares = {}
    for name, motif in motifs.items():
        right = accuracy(graph, motif)
        shares[name] = right.true_positives / (right.true_positives + right.false_negatives)
    return shares


def has_whole(prototypes: Sequence[dict[str, dict[str, float]]], motif: str) -> bool:
    """Whether one of some prototypes' records has the whole of a motif."""
    return any(one["motifs"][motif] == 1 for one in prototypes)
