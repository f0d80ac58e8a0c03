"""BA-house: does a graph contain a house?

Class 1 has one house, or two joined ones, on a Barabási-Albert backbone; class 0 has an incomplete house.
(The paper's text has the classes the other way round; its figures and the authors' data are as here.)
"""

from pathlib import Path

import numpy as np
from torch_geometric.data import Data

from protograph._base.progress import Progress
from protograph.datasets.ba import BODY, HEAD, Motif, attach, connected_part, generate, motif_dataset
from protograph.datasets.dataset import GraphDataset

HOUSE = Motif(
    roles=(HEAD, BODY, BODY, BODY, BODY),
    edges=((0, 1), (0, 2), (1, 2), (1, 3), (2, 4), (3, 4)),
)
# Side by side: a lower corner of one house is joined to a lower corner of the other.
TWO_HOUSES = Motif(
    roles=HOUSE.roles * 2,
    edges=(*HOUSE.edges, *((u + 5, v + 5) for u, v in HOUSE.edges), (4, 8)),
)

# Graphs with no, one and two houses in the authors' training split: 1205, 455 and 140, here over 5.
SHARES = (241, 91, 28)
# Fitted to that split's 9.51 nodes and 26.96 directed edges a graph of class 0, 12.51 and 40.47 of class 1.
PART_SIZES = (2, 3, 4)
PART_WEIGHTS = (0.20, 0.42, 0.38)
LINK_PROBABILITIES = (0.30, 0.47)  # of class 0 and class 1


def build(num_houses: int, rng: np.random.Generator) -> Data:
    """One graph with no (but an incomplete), one or two houses.

    >>> build(2, np.random.default_rng(0)).motif
    Data(x=[10, 3], edge_index=[2, 26])
    """
    if num_houses == 0:
        motif = connected_part(HOUSE, rng.choice(PART_SIZES, p=PART_WEIGHTS), rng)
    else:
        motif = HOUSE if num_houses == 1 else TWO_HOUSES
    label = int(num_houses > 0)
    return attach(motif, label, LINK_PROBABILITIES[label], rng)


def load(
    root: Path | None = None,
    *,
    random_state: int = 0,
    num_graphs: int | None = None,
    progress: Progress | None = None,
) -> GraphDataset:
    """BA-house with 2,000 graphs, or as many as asked for; ``root`` and ``progress`` are not read.

    >>> load(num_graphs=360)
    GraphDataset('ba-house', 360 graphs: 241 incomplete house, 119 house)
    """
    return motif_dataset(
        generate(build, SHARES, random_state=random_state, num_graphs=num_graphs),
        name="ba-house",
        class_names=("incomplete house", "house"),
        truths={1: (HOUSE, TWO_HOUSES)},
    )
