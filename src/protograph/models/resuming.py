"""A pass over all graphs that goes on after what a checkpoint knows, and keeps there what it makes."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch

from protograph.graphs.store import GraphStore
from protograph.models.applying import Applied, Applying
from protograph.models.checkpoint import GRAPHS_A_SHARD, Checkpoint, GraphDigest, Shard
from protograph.models.running import RunningClassifier
from protograph.models.same_model import SameModelCheck
from protograph.models.single_precision import SinglePrecision


def resumed(
    applying: Applying,
    classifier: RunningClassifier,
    store: GraphStore,
    checkpoint: Checkpoint,
    single: Callable[[], SinglePrecision | None],
) -> Iterator[Applied]:
    """What the model makes of the graphs, batch by batch, or as far as a checkpoint knows it, shard by shard.

    Args:
        applying: Applies the model, in the precision that is wanted at the time.
        classifier: The model, in double precision where it runs in that.
        store: The graphs.
        checkpoint: Knows what is done.
        single: Gives the model in single precision, once it runs in that.
    """
    each, number, first = max(1, GRAPHS_A_SHARD // applying.size), 0, 0
    chunks, check = store.chunks(applying.size), SameModelCheck(checkpoint, classifier, store)
    while True:
        known, digest = checkpoint.shard(number), GraphDigest(classifier.call.attributes)
        own, count = list[Applied](), 0
        # Where this run is in double precision nothing is asked again, so what was made in single is made anew.
        is_taken = known is not None and (known.is_double or not applying.is_double)
        for _, graphs in zip(range(each), chunks, strict=False):
            digest.add(graphs, applying.labels(graphs))
            if not is_taken:
                own.append(applying(graphs, first + count))
                yield own[-1]
            count += len(graphs)
        if known is None and not count:
            return
        if known is not None and (known.digest != digest.text() or len(known) != count):
            raise checkpoint.refuse(first, first + len(known))
        if known is not None and is_taken:
            check(known, first, None if known.is_double else single())
            yield Applied(known.tensors["outputs"], known.tensors["graph_embeddings"], known.labels, known.is_double)
        else:
            checkpoint.write(number, shard_of(own, digest.text()))
        number, first = number + 1, first + count


def shard_of(batches: Sequence[Applied], digest: str) -> Shard:
    """What is kept of batches one after the other."""
    return Shard(
        {
            "outputs": torch.cat([batch.outputs for batch in batches]),
            "graph_embeddings": torch.cat([batch.graph_embeddings for batch in batches]),
            "labels": torch.from_numpy(np.concatenate([batch.labels.labels for batch in batches])),
            "has_label": torch.from_numpy(np.concatenate([batch.labels.has_label for batch in batches])),
        },
        digest,
        is_double=all(batch.is_double for batch in batches),
    )
