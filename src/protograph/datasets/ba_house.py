"""BA-house: does a graph contain a house?

Class 1 has one house, or two joined ones, on a Barabási-Albert backbone; class 0 has an incomplete house.
(The paper's text has the classes the other way round; its figures and the authors' data are as here.)
"""

import numpy as np
from torch_geometric.data import Data

from protograph.datasets.ba import BODY, HEAD, Motif, attach, connected_part, motif_spec

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


SPEC = motif_spec(
    build,
    SHARES,
    name="ba-house",
    question="a house on a random backbone, or part of it",
    class_names=("incomplete house", "house"),
    truths=(HOUSE, TWO_HOUSES),
    num_nodes=21_029,
    num_edges=62_870,
)
