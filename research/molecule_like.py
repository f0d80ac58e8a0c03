"""Very many graphs like those of Benzene, made at once: 20 nodes, 42 directed edges, 14 kinds of nodes as columns."""

import numpy as np
import torch
from torch_geometric.data import Data, InMemoryDataset

NUM_NODES, NUM_EDGES, NUM_KINDS = 20, 42, 14
# Kinds of nodes as they are met in molecules: mostly one, a few others, many rare ones.
_SHARES = np.array([0.7, 0.1, 0.08, 0.04, *[0.008] * 10])
# A ring is closed over five steps of the tree, in which a node hangs on one of the last three.
_REACH, _OVER = 3, 5


class MoleculeLike(InMemoryDataset):
    """Trees of low degree with two rings closed; in every second graph the first ring is of the rarest kind.

    Args:
        number: How many graphs.
        seed: Of all of them.
    """

    def __init__(self, number: int, seed: int = 0) -> None:
        super().__init__()
        rng = np.random.default_rng(seed)
        labels = np.arange(number) % 2
        children = np.arange(1, NUM_NODES)
        parents = children - 1 - rng.integers(0, np.minimum(children, _REACH), (number, NUM_NODES - 1))
        first = rng.integers(0, 7, (number, 1))
        rings = np.concatenate([first, first + rng.integers(1, 7, (number, 1))], axis=1)
        ends = np.concatenate([np.broadcast_to(children, parents.shape), rings + _OVER], axis=1)
        starts = np.concatenate([parents, rings], axis=1)
        kinds = rng.choice(NUM_KINDS, (number, NUM_NODES), p=_SHARES / _SHARES.sum())
        planted = first + np.arange(_OVER + 1)
        rows = np.flatnonzero(labels)[:, None]
        kinds[rows, planted[labels == 1]] = NUM_KINDS - 1
        edges = np.stack([np.concatenate([starts, ends], axis=1), np.concatenate([ends, starts], axis=1)])
        self.data = Data(
            x=torch.eye(NUM_KINDS)[torch.from_numpy(kinds.reshape(-1))],
            edge_index=torch.from_numpy(edges.reshape(2, -1)).contiguous(),
            y=torch.from_numpy(labels),
        )
        places = torch.arange(number + 1)
        self.slices = {"x": NUM_NODES * places, "edge_index": NUM_EDGES * places, "y": places}
