"""Models of real data sets for the fidelity of their explanations, each trained until it is as accurate as it must be.

python -m benchmarks.real_models bbbp --convs gcn gin --seeds 10 11 --folder runs/real      trains and keeps models
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch_geometric.data import Data

import protograph as pg
from protograph.reproduce.worlds.nets import Net, Recipe, net_for, predicted, split, train

# Test accuracy that the models of LogicXGNN have, whose fidelity is printed beside ours.
LEAST_ACCURACY = {"bbbp": 0.81, "mutagenicity": 0.79, "nci1": 0.71, "imdb-binary": 0.745}
# Of the predictions: a model that predicts one class is no test of an explanation.
LEAST_SHARE = 0.1
# In turn, each with another seed of the weights. Batch normalisation did not help: test accuracy .68 for .71 on NCI1.
RECIPES = (
    Recipe(learning_rate=0.005, batch_size=32, epochs=400, patience=70),
    Recipe(learning_rate=0.01, batch_size=64, epochs=400, patience=70),
    Recipe(learning_rate=0.003, batch_size=32, epochs=400, patience=70),
)
MOST_TRIES = 9
# Of a thousand graphs two hundred are kept apart: which model is accurate there is a matter of chance; tries are short.
SMALL_RECIPES = (
    Recipe(learning_rate=0.01, batch_size=64, epochs=120, patience=25),
    Recipe(learning_rate=0.005, batch_size=32, epochs=120, patience=25),
    Recipe(learning_rate=0.02, batch_size=32, epochs=120, patience=25),
)
MOST_SMALL_TRIES = 40
FEW_GRAPHS = 1500


@dataclass(frozen=True, kw_only=True)
class RealModel:
    """A model of a real data set.

    Attributes:
        model: Itself.
        config: What it is made with.
        train: Indices of the graphs it was trained on.
        test: Indices of the others.
        accuracy: On the others.
        predictions: For all graphs.
        num_tries: Models trained until this one was accurate enough, or the best of them where none was.
    """

    model: Net
    config: dict
    train: NDArray[np.int64]
    test: NDArray[np.int64]
    accuracy: float
    predictions: NDArray[np.int64]
    num_tries: int

    @property
    def least_share(self) -> float:
        """Share of the class that is predicted least, among the graphs kept apart."""
        counts = np.bincount(self.predictions[self.test], minlength=self.config["num_classes"])
        return float(counts.min() / counts.sum())


def graphs_of(name: str) -> tuple[list[Data], pg.datasets.GraphDataset]:
    """The graphs of a data set, with the tensors that models read, and the data set."""
    data = pg.datasets.load(name)
    return [Data(x=one.x, edge_index=one.edge_index, y=one.y) for one in data], data


def model_of(graphs: Sequence[Data], seed: int, conv: str, least_accuracy: float, device: str = "cpu") -> RealModel:
    """The first model that is accurate enough and predicts every class; the most accurate one where none is."""
    best = None
    is_small = len(graphs) <= FEW_GRAPHS
    recipes, most_tries = (SMALL_RECIPES, MOST_SMALL_TRIES) if is_small else (RECIPES, MOST_TRIES)
    for number in range(most_tries):
        one = trained(graphs, seed, conv, recipes[number % len(recipes)], number, device)
        if one.least_share >= LEAST_SHARE and (best is None or one.accuracy > best.accuracy):
            best = one
        if best is not None and best.accuracy >= least_accuracy:
            return best
    assert best is not None, f"every model predicts one class for over {1 - LEAST_SHARE:.0%} of the graphs"
    return replace(best, num_tries=most_tries)


def trained(
    graphs: Sequence[Data], seed: int, conv: str, recipe: Recipe, number: int, device: str = "cpu"
) -> RealModel:
    """One model on four fifths of the graphs, by the seed; its weights are drawn by the number of the try too."""
    inside, outside = split(len(graphs), seed)
    labels = np.array([int(graph.y) for graph in graphs])
    config = {"num_classes": int(labels.max()) + 1, "conv": conv, "readout": "mean", "has_norm": recipe.has_norm}
    torch.manual_seed(1000 * number + seed)
    model = net_for(graphs, **config)
    # Other graphs validate at every try, so that one unlucky choice does not spoil them all.
    order = np.random.default_rng([seed, number]).permutation(inside)
    fit, validation = ([graphs[i] for i in part] for part in np.split(order, [int(0.9 * len(order))]))
    model.standardise(fit)
    train(model, fit, validation, recipe, 1000 * number + seed, device)
    predictions = predicted(model, graphs)
    return RealModel(
        model=model,
        config=config,
        train=inside,
        test=outside,
        accuracy=float((predictions == labels)[outside].mean()),
        predictions=predictions,
        num_tries=number + 1,
    )


def save(one: RealModel, path: Path) -> None:
    """Keep a model with its split and predictions."""
    kept = {"state": one.model.state_dict(), "config": one.config, "tr": one.train, "te": one.test}
    about = {"conv": one.config["conv"], "nc": one.config["num_classes"], "nf": len(one.model.mean)}
    torch.save(kept | about | {"acc": one.accuracy, "pred": one.predictions, "tries": one.num_tries}, path)


def load(path: Path, graphs: Sequence[Data]) -> RealModel:
    """What :func:`save` kept."""
    kept = torch.load(path, weights_only=False)
    model = net_for(graphs, **kept["config"])
    model.load_state_dict(kept["state"])
    return RealModel(
        model=model.eval(),
        config=kept["config"],
        train=kept["tr"],
        test=kept["te"],
        accuracy=kept["acc"],
        predictions=kept["pred"],
        num_tries=kept["tries"],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(LEAST_ACCURACY))
    parser.add_argument("--convs", nargs="+", default=["gcn"])
    parser.add_argument("--seeds", type=int, nargs="+", default=[10])
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--device", default="cpu")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    for name in asked.names:
        graphs, _ = graphs_of(name)
        for seed in asked.seeds:
            for conv in asked.convs:
                one = model_of(graphs, seed, conv, LEAST_ACCURACY[name], asked.device)
                save(one, asked.folder / f"{name}-{conv}-{seed}.pt")
                tries = f"{one.num_tries} tries"
                print(
                    f"{name} {conv} {seed}: {one.accuracy:.3f} after {tries}, least {one.least_share:.2f}", flush=True
                )


if __name__ == "__main__":
    main()
