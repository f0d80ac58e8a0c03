"""A model of the user's own in a comparison: graphs to explain it by, and graphs kept apart to judge by."""

from dataclasses import dataclass

import numpy as np

from protograph._base.randomness import preserved_random_state
from protograph.datasets import GraphDataset
from protograph.graphs.fingerprint import content_hash
from protograph.models.classifier import GraphClassifier
from protograph.models.predictions import embed_all

# Share of the graphs that is kept apart from explainers; as in a training there is no telling which ones the model was
# trained on.
KEPT_APART = 0.2


@dataclass(frozen=True, eq=False)
class ExplainedModel:
    """A model that was given.

    Attributes:
        model: The model.
        train: Positions of the graphs to explain it by.
        rest: Positions of those kept apart.
        test_accuracy: Its accuracy on these; ``None`` where they have no labels.
        key: Tells it apart: by its weights, what it makes of every graph, and which graphs are kept apart.
    """

    model: GraphClassifier
    train: list[int]
    rest: list[int]
    test_accuracy: float | None
    key: str


def given_model(model: GraphClassifier, data: GraphDataset, seed: int, *, device: str | None = None) -> ExplainedModel:
    """A model with a fifth of the graphs kept apart by chance, others for each seed.

    Args:
        model: The model.
        data: All graphs.
        seed: Decides which are kept apart.
        device: Where the model runs; its own device where ``None``.

    Raises:
        ValueError: If there are fewer than two graphs.
    """
    if len(data) < 2:
        raise ValueError(f"graphs must be at least 2, to keep some apart, got {len(data)}")
    rest, train = kept_apart(len(data), seed)
    with preserved_random_state():
        embedded = embed_all(model, data, device=device)[2]
    accuracy = None
    if embedded.labels is not None:
        accuracy = float((embedded.labels == embedded.predictions)[rest].mean())
    kind = type(model.model)
    key = content_hash(
        f"{kind.__module__}.{kind.__qualname__}",
        model.model.state_dict(),
        model.return_type,
        embedded.scores,
        embedded.graph_embeddings,
        train,
    )
    return ExplainedModel(model, train, rest, accuracy, key)


def kept_apart(num_graphs: int, seed: int) -> tuple[list[int], list[int]]:
    """Positions of the graphs that are kept apart, and of the others, each in order.

    >>> kept_apart(10, 0)
    ([1, 4], [0, 2, 3, 5, 6, 7, 8, 9])
    """
    count = min(num_graphs - 1, max(1, round(KEPT_APART * num_graphs)))
    order = np.random.default_rng([seed, num_graphs]).permutation(num_graphs).tolist()
    return sorted(order[:count]), sorted(order[count:])
