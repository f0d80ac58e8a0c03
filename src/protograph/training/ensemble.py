"""Train many of the paper's GCNs at once on the same graphs, each as it would be by itself."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph._base.progress import Progress
from protograph._base.randomness import checked_seed
from protograph.training.collation import FlatGraphs, collate, propagated
from protograph.training.ensemble_fitting import Ensemble, FitOptions, Trainee
from protograph.training.graph_rows import GraphBatches
from protograph.training.split import HowToSplit, Split, make_split
from protograph.training.training import (
    PAPER_HIDDEN,
    ClassWeights,
    Trained,
    check_options,
    num_classes_of,
    one_thread,
    seeded_gcn,
    seeds_of,
    weight_of_each,
)

OnFinished = Callable[[int, Trained], object]


@dataclass(frozen=True, kw_only=True, eq=False)
class ModelSpec:
    """One of many models to train.

    Attributes:
        hidden: Width of each convolution.
        random_state: Seed of the split, the order of the graphs and the first weights, as of :func:`protograph.train`.
            Models with the same share every mini-batch, and only these are trained together.
        weights_state: Seed of the first weights alone, where they are to differ among models of one ``random_state``.
        labels: Class of each graph of the data, where they are others than the graphs' own, such as wrong ones.
    """

    hidden: tuple[int, ...] = PAPER_HIDDEN
    random_state: int = 0
    weights_state: int | None = None
    labels: Sequence[int] | Tensor | None = None

    def __post_init__(self) -> None:
        checked_seed(self.random_state)
        if self.weights_state is not None:
            checked_seed(self.weights_state)


def train_many(
    graphs: Iterable[Data],
    specs: Sequence[ModelSpec],
    *,
    learning_rate: float = 0.001,
    batch_size: int = 16,
    patience: int = 5,
    max_epochs: int = 1000,
    split: HowToSplit = "paper",
    class_weights: ClassWeights | None = None,
    device: torch.device | str | None = None,
    dtype: torch.dtype = torch.float32,
    progress: Progress | None = None,
    on_finished: OnFinished | None = None,
) -> list[Trained]:
    r"""Train many models on the same graphs, all that share their mini-batches as one.

    Each comes out as :func:`protograph.train` with its ``hidden`` and ``random_state``, on graphs with its labels,
    would have trained it, up to rounding; in 32 bits the rounding grows over the epochs, as it does from one machine to
    the next. Each stops by its own patience, and the others get faster. On the CPU a model's weights depend on its own
    spec alone, to the last bit: those that are finished already can be left out.

    Args:
        graphs: As of :func:`protograph.train`.
        specs: The models; the results are in their order.
        learning_rate: As of :func:`protograph.train`, as are the next five.
        batch_size: Graphs a step.
        patience: Epochs without a lower validation loss after which a model is finished.
        max_epochs: Most passes over the training graphs.
        split: Shares of training, validation and test graphs, ``"published"`` or ``"paper"``.
        class_weights: What a graph of each class counts in the loss.
        device: Where to train and leave the models; the CPU if ``None``.
        dtype: What to compute in, and the type of the models' weights.
        progress: Called as ``progress("training", num_finished, num_models)`` after each epoch.
        on_finished: Called with the position of a spec and what came of it as soon as that model is finished.

    Raises:
        ValueError: If an option is out of range, the graphs are unfit, or labels are not one for each graph.
        RuntimeError: If the loss of a model is not a number from the first epoch on, after those with its
            ``random_state`` have been trained.

    >>> edge_index = torch.tensor([[0, 1], [1, 0]])
    >>> graphs = [Data(x=torch.full((2, 1), float(y)), edge_index=edge_index, y=y) for y in (0, 1) * 20]
    >>> specs = [ModelSpec(hidden=(8,)), ModelSpec(hidden=(16, 8))]
    >>> [one.test_accuracy for one in train_many(graphs, specs, learning_rate=0.1, max_epochs=20)]
    [1.0, 1.0]
    """
    check_options(learning_rate, batch_size, patience, max_epochs, split, class_weights)
    options = FitOptions(learning_rate, batch_size, patience, max_epochs)
    found: dict[int, Trained] = {}

    def finish(number: int, trained: Trained) -> None:
        found[number] = trained
        if on_finished is not None:
            on_finished(number, trained)

    def tell_epoch() -> None:
        if progress is not None:
            progress("training", len(found), len(specs))

    with one_thread(), torch.no_grad():
        flat = collate(graphs)
        flat = replace(flat, edge_weight=flat.edge_weight.to(dtype)).to(device or "cpu")
        batches = GraphBatches(propagated(flat))
        for same in _sharing_batches(specs):
            seeds = seeds_of(specs[same[0]].random_state)
            parts = make_split(split, graphs, len(flat), np.random.default_rng(seeds.split))
            trainees = [_trainee(graphs, number, specs[number], flat, parts, class_weights) for number in same]
            for together in _stackable(trainees):
                order = torch.Generator().manual_seed(seeds.order)
                Ensemble(together, batches, parts, options).fit(order, tell_epoch, finish)
    return [found[number] for number in range(len(specs))]


def _sharing_batches(specs: Sequence[ModelSpec]) -> list[list[int]]:
    """Positions of the specs with the same split and order of graphs."""
    found: dict[int, list[int]] = {}
    for number, spec in enumerate(specs):
        found.setdefault(spec.random_state, []).append(number)
    return list(found.values())


def _stackable(trainees: Sequence[Trainee]) -> list[list[Trainee]]:
    """Models that are of the same depth and number of classes, in a list each."""
    found: dict[tuple[int, int], list[Trainee]] = {}
    for one in trainees:
        found.setdefault((len(one.model.hidden), one.model.num_classes), []).append(one)
    return list(found.values())


def _trainee(
    graphs: object, number: int, spec: ModelSpec, flat: FlatGraphs, parts: Split, class_weights: ClassWeights | None
) -> Trainee:
    labels = flat.y if spec.labels is None else torch.as_tensor(spec.labels).to(flat.y)
    if labels.shape != flat.y.shape or labels.min() < 0:
        raise ValueError(
            f"specs[{number}].labels must be one of at least 0 for each of the {len(flat)} graphs, "
            f"got shape {list(labels.shape)} with {labels.min()} the least"
        )
    state = spec.random_state if spec.weights_state is None else spec.weights_state
    model = seeded_gcn(graphs, flat.x.shape[1], num_classes_of(labels), spec.hidden, seeds_of(state).weights)
    weights = weight_of_each(class_weights, labels[parts.train.to(labels.device)], model.num_classes)
    counts = torch.ones(model.num_classes) if weights is None else weights
    model = model.to(flat.x.device, flat.edge_weight.dtype).eval()
    return Trainee(number, model, labels, counts.to(flat.edge_weight), is_weighted=weights is not None)
