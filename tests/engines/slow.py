"""A model to be killed at: it takes its time, and writes down which processes it runs in."""

import os
import time
from pathlib import Path

import torch
from torch import nn
from torch_geometric.nn import global_add_pool


class Slow(nn.Module):
    """Classes by a map of summed features, in a hundredth of a second as long as the folder has a file "slow".

    Args:
        processes: A folder in which each process that it runs in leaves a file of its number.
    """

    def __init__(self, processes):
        super().__init__()
        self.processes = str(processes)
        with torch.random.fork_rng():
            torch.manual_seed(2)
            self.head = nn.Linear(3, 2)

    def forward(self, x, edge_index, batch):
        folder = Path(self.processes)
        (folder / str(os.getpid())).touch()
        if (folder / "slow").exists():
            time.sleep(0.01)
        return self.head(global_add_pool(x, batch))
