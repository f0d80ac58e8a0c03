"""Whether a model gives what a checkpoint has of it.

Weights and modules do not tell all of a model: how it pools may be a plain attribute, or code that was changed. So when
a run goes on, some graphs are shown to the model again.
"""

import numpy as np
import torch

from protograph._base.arrays import Floats
from protograph.graphs.store import GraphStore
from protograph.models.checkpoint import Checkpoint, Shard
from protograph.models.exact_rows import RowError
from protograph.models.running import RunningClassifier, on_cpu
from protograph.models.single_precision import SinglePrecision

# Graphs that are shown to the model again.
_NUM_SHOWN = 16
# Most by which numbers may differ, relative to the largest of their row or of a typical one: of a model in double
# precision, where only the order of sums does so, and of one that runs in its own, also in units in the last place.
_DOUBLE, _OWN, _OWN_UNITS = 1e-5, 1e-3, 16
# Times the error of single precision that is to be expected which show another model.
_FAR_BEYOND = 4


class SameModelCheck:
    """Refuses a checkpoint of another model, by the first shard that is taken over from it.

    Models whose output is random, or depends on the other graphs in a batch, are told by their weights alone.

    Args:
        checkpoint: The checkpoint.
        classifier: The model, in double precision where it runs in that.
        store: The graphs.
    """

    def __init__(self, checkpoint: Checkpoint, classifier: RunningClassifier, store: GraphStore) -> None:
        self._checkpoint, self._classifier, self._store = checkpoint, classifier, store
        self._is_open = not classifier.warnings

    def __call__(self, known: Shard, first: int, single: SinglePrecision | None = None) -> None:
        """Show some graphs of a shard to the model, unless that was done before.

        Args:
            known: The shard.
            first: Number of its first graph.
            single: How far the shard's numbers may be from exact ones, where they are of single precision.

        Raises:
            ValueError: If the model gives other numbers.
        """
        if not self._is_open:
            return
        self._is_open = False
        last = first + min(_NUM_SHOWN, len(known))
        rows = self._classifier.graph_rows(self._store.chunk(first, last))
        outputs, embeddings = (on_cpu(one).numpy() for one in rows)
        errors = (None, None) if single is None else (single.output_error, single.embedding_error)
        for name, now, error in zip(("outputs", "graph_embeddings"), (outputs, embeddings), errors, strict=True):
            if not _are_same(known.tensors[name][: last - first].numpy(), now, self._share, error):
                raise self._checkpoint.refuse_model(first, last)

    @property
    def _share(self) -> float:
        if self._classifier.is_double:
            return _DOUBLE
        return max(_OWN, _OWN_UNITS * torch.finfo(self._classifier.dtype or torch.float32).eps)


def _are_same(before: Floats, now: Floats, share: float, error: RowError | None) -> bool:
    if before.shape != now.shape:
        return False
    largest = np.maximum(np.abs(before), np.abs(now)).max(axis=1, initial=0.0)
    allowed = share * np.maximum(largest, np.median(largest))[:, None]
    return bool((np.abs(before - now) <= allowed + (0.0 if error is None else _FAR_BEYOND * error.of(now))).all())
