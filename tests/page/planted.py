"""Random graphs with something planted in them, and what counts and weighs their parts."""

import numpy as np

from protograph.graphs.encoding import EncodedGraphs
from protograph.page.counting import PatternCounter, Sample
from protograph.page.trimming import PartWeigher
from protograph.patterns.subgraph_isomorphism import PatternStore
from tests.page.naive_patterns import ring_edges, undirected

HOUSE = [*ring_edges(0, 1, 2, 3), (0, 4), (1, 4)]


def tree_edges(rng, first, size):
    """A random tree on ``size`` nodes from ``first`` on."""
    return [(first + int(rng.integers(0, n)), first + n) for n in range(1, size)]


def planted(seed, motif, motif_size, backbone=8):
    """A motif whose node 2 hangs on a random tree."""
    rng = np.random.default_rng(seed)
    return undirected(
        motif_size + backbone,
        [*motif, *tree_edges(rng, motif_size, backbone), (2, motif_size + int(rng.integers(0, backbone)))],
        [0] * (motif_size + backbone),
    )


def connected_graph(rng, largest):
    size = int(rng.integers(2, largest + 1))
    chords = [tuple(sorted(rng.choice(size, 2, replace=False).tolist())) for _ in range(rng.integers(0, 3))]
    return undirected(size, sorted({*tree_edges(rng, 0, size), *chords}), rng.integers(0, 2, size).tolist())


def counter_of(graphs):
    """Counts parts of the first graph."""
    encoded = EncodedGraphs(graphs)
    return PatternCounter(PatternStore(encoded), encoded[0])


def sample_of(graphs, num_inside):
    """All graphs; the first ``num_inside`` are the cluster."""
    return Sample(np.arange(num_inside), np.arange(num_inside, len(graphs)))


def weigher_of(graphs, num_inside, contributions):
    return PartWeigher(counter_of(graphs), sample_of(graphs, num_inside), np.asarray(contributions, dtype=float))
