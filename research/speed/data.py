"""Data sets with models that were trained on them, each made once a run."""

from functools import cache

import torch

import protograph as pg
from protograph.datasets import tu
from protograph.datasets.files import DataFiles

# Trained briefly: how long a search takes depends little on how good the model is. BA sets need it to learn anything.
EPOCHS = {"ba-house": 1000, "ba-grid": 1000, "benzene": 8, "mutagenicity": 8}
OTHER_EPOCHS = 20
# Seeds other than 0, with which the model predicts a single class.
SEEDS = {"IMDB-BINARY": 1}


@cache
def loaded(name: str) -> pg.datasets.GraphDataset:
    """A data set by name; ``IMDB-BINARY`` as the collection has it, without features, which is the harder case.

    Raises:
        OSError: If its files are not there.
    """
    if name == "IMDB-BINARY":
        return tu.spec(name).load(DataFiles(name), 0, None)
    return pg.datasets.load(name)


@cache
def trained(name: str) -> tuple[torch.nn.Module, list]:
    """A model, and all graphs of its data set."""
    data = loaded(name)
    epochs, seed = EPOCHS.get(name, OTHER_EPOCHS), SEEDS.get(name, 0)
    return pg.train(data, hidden=data.hidden, max_epochs=epochs, random_state=seed).model, list(data)
