"""A model to be killed at: it begins where two workers have it, takes its time, and writes down where it runs."""

import os
import time
from pathlib import Path

import torch
from torch import nn
from torch_geometric.nn import global_add_pool

# Seconds after which it no longer waits for a second worker.
PATIENCE = 60
# Graphs of a batch that takes its time.
BATCH_SIZE = 10


class Slow(nn.Module):
    """Classes by a map of summed features.

    Args:
        folder: Each worker that it runs in leaves a file of its number here.
    """

    def __init__(self, folder):
        super().__init__()
        self.folder, self.at_home = str(folder), os.getpid()
        with torch.random.fork_rng():
            torch.manual_seed(2)
            self.head = nn.Linear(3, 2)

    def forward(self, x, edge_index, batch):
        if os.getpid() != self.at_home:
            (Path(self.folder) / str(os.getpid())).touch()
            limit = time.monotonic() + PATIENCE
            while len(self.workers()) < 2 and time.monotonic() < limit:
                time.sleep(0.01)
            if int(batch[-1]) + 1 == BATCH_SIZE:  # in fit, and hardly ever later on
                time.sleep(0.02)
        return self.head(global_add_pool(x, batch))

    def workers(self):
        """Numbers of the processes that it has run in, but for the first."""
        return [int(file.name) for file in Path(self.folder).iterdir()]
