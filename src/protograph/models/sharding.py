"""The pass of a model over all graphs by the workers of an engine: each holds a copy, and embeds shard after shard.

The same functions run on the same batches as without workers, so that the same numbers come out.
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch
from numpy.typing import NDArray
from torch_geometric.data import Data

from protograph._base.progress import Progress
from protograph.engines.engine import Engine
from protograph.graphs.cleaning import Findings, clean
from protograph.graphs.shards import SHARD_GRAPHS, CollatedShards
from protograph.graphs.sharing import GraphRun, SharedGraphs
from protograph.graphs.store import GraphStore
from protograph.models.applying import Applied, Applying, graphs_at_once
from protograph.models.checkpoint import GRAPHS_A_SHARD, Checkpoint, GraphDigest, Shard
from protograph.models.classifier import checked_device
from protograph.models.keeping import copied
from protograph.models.resuming import shard_of
from protograph.models.running import RunningClassifier, Usage
from protograph.models.same_model import SameModelCheck


@dataclass(frozen=True, eq=False)
class Task:
    """Graphs to embed.

    Attributes:
        number: Number of the shard that they are.
        run: The graphs.
        has_digest: Whether they are to be told from others, for a checkpoint.
        is_known: Whether a checkpoint knows what the model makes of them: then they are only looked at.
    """

    number: int
    run: GraphRun
    has_digest: bool
    is_known: bool


@dataclass(frozen=True, eq=False)
class Embedded:
    """What became of a shard.

    Attributes:
        made: What the model made of the graphs, as arrays, which travel quicker than tensors; ``None`` where they were
            only looked at.
        digest: What tells the graphs from others; empty where nobody asks.
        directed: Graphs with directed edges.
        repeated: Graphs with repeated edges.
        usage: How much the model was used.
    """

    made: dict[str, NDArray[Any]] | None
    digest: str
    directed: Sequence[int]
    repeated: Sequence[int]
    usage: Usage


@dataclass(frozen=True, eq=False)
class ShardEmbedder:
    """Embeds shards, wherever it is.

    Attributes:
        classifier: The model.
        files: The shards, where they are in files that everybody reads.
        reference: The first graph of all, which the others must be alike.
        batch_size: How many graphs go through the model at a time at most; as many as suit the device where ``None``.
        device: Where the model runs; ``None`` for where it is.
        has_checkpoint: Whether a checkpoint keeps what the model makes.
    """

    classifier: RunningClassifier
    files: CollatedShards | None
    reference: Data
    batch_size: int | None
    device: torch.device | None = None
    has_checkpoint: bool = False

    @cached_property
    def _applying(self) -> Applying:
        running = self.classifier
        if self.device is not None:
            running = replace(running, model=running.model.to(self.device), device=self.device)
        return Applying(running, _Numbers(), self.batch_size, has_checkpoint=self.has_checkpoint)

    def __call__(self, task: Task) -> Embedded:
        """Read and check the graphs, and show them to the model."""
        findings, digest, batches = Findings(), GraphDigest(self.classifier.call.attributes), list[Applied]()
        usage, applying = self.classifier.usage, self._applying
        before = replace(usage)
        source: Any = task.run.handed or self.files
        for first in range(task.run.first, task.run.last, applying.size):
            last = min(first + applying.size, task.run.last)
            graphs = clean(source.chunk(first, last), range(first, last), self.reference, findings)
            if task.has_digest:
                digest.add(graphs, applying.labels(graphs))
            if not task.is_known:
                batches.append(applying(graphs, first))
        text = digest.text() if task.has_digest else ""
        made = {key: one.numpy() for key, one in shard_of(batches, text).tensors.items()} if batches else None
        return Embedded(made, text, findings.directed, findings.repeated, usage - before)


class _Numbers:
    """What a worker calls graphs, as it knows only their numbers."""

    def label(self, index: int) -> str:
        """The number."""
        return f"graph {index}"


class ShardedPass:
    """A pass over all graphs by the workers of an engine.

    Args:
        engine: The engine.
        device: Where workers run the model; ``None`` for where it is.
        progress: Told how many graphs and shards are done.

    Attributes:
        graphs: The graphs, as workers read them; known once there was a pass.
        device_here: Where the model runs in this process; ``None`` for where it is.
    """

    graphs: SharedGraphs

    def __init__(self, engine: Engine, device: torch.device | str | None, progress: Progress | None) -> None:
        self._engine, self._progress = engine, progress
        # A GPU may be on the workers' machines alone; then the model runs on the CPU here.
        is_elsewhere = str(device).startswith("cuda") and not torch.cuda.is_available()
        self.device_here = None if device is None else checked_device("cpu" if is_elsewhere else device)
        self._is_on_gpu = is_elsewhere or (self.device_here is not None and self.device_here.type == "cuda")

    def __call__(
        self, running: RunningClassifier, store: GraphStore, batch_size: int | None, checkpoint: Checkpoint | None
    ) -> Iterator[Applied]:
        """What the model makes of the graphs, shard by shard."""
        self.graphs = SharedGraphs(store, self._engine)
        on, has_checkpoint = "cuda" if self._is_gpu_wanted(running) else "cpu", checkpoint is not None
        chunk = graphs_at_once(batch_size, on, has_checkpoint=has_checkpoint)
        size = max(1, (GRAPHS_A_SHARD if has_checkpoint else SHARD_GRAPHS) // chunk) * chunk
        done = self._embedded(
            running,
            store,
            batch_size,
            self._tasks(size, checkpoint),
            self.graphs.num_runs(size),
            has_checkpoint=has_checkpoint,
        )
        check = None if checkpoint is None else SameModelCheck(checkpoint, running, store)
        num_graphs = 0
        with closing(done):
            for number, one in enumerate(done):
                batch = _kept(one, number, num_graphs, checkpoint, check)
                store.findings.directed.extend(one.directed)
                store.findings.repeated.extend(one.repeated)
                running.usage.add(one.usage)
                num_graphs += len(batch.labels)
                yield batch
                self._tell(number + 1, self.graphs.num_runs(size), num_graphs, store.known_length)

    def _tasks(self, size: int, checkpoint: Checkpoint | None) -> Iterator[Task]:
        """All graphs, so many at a time."""
        for number, run in enumerate(self.graphs.runs(size)):
            known = None if checkpoint is None else checkpoint.shard(number)
            # What was made in single precision in one process is made again: workers ask nothing twice.
            is_known = known is not None and known.is_double
            yield Task(number, run, has_digest=checkpoint is not None, is_known=is_known)

    def _embedded(
        self,
        running: RunningClassifier,
        store: GraphStore,
        batch_size: int | None,
        tasks: Iterator[Task],
        total: int | None,
        *,
        has_checkpoint: bool,
    ) -> Generator[Embedded]:
        """What becomes of each shard, as soon as all before it are done."""
        is_on_gpu = self._is_gpu_wanted(running)
        work = self._engine.share(
            ShardEmbedder(
                classifier=elsewhere(running),
                files=self.graphs.files,
                reference=store.reference,
                batch_size=batch_size,
                device=torch.device("cuda") if is_on_gpu else None,  # which is the one that Ray gives it
                has_checkpoint=has_checkpoint,
            ),
            "the model",
            is_kept=True,
            code_of=running.model.modules(),
        )
        applying = Applying(running, store, batch_size, has_checkpoint=has_checkpoint)

        def here(task: Task) -> None:
            for first in range(task.run.first, task.run.last, applying.size):
                applying(store.chunk(first, min(first + applying.size, task.run.last)), first)

        if self._progress is not None:
            self._progress("starting workers", 0, None)
        return self._engine.over_shards(
            work, tasks, name_of=_Names(store), here=here, num_shards=total, on_gpu=is_on_gpu
        )

    def _is_gpu_wanted(self, running: RunningClassifier) -> bool:
        return self._is_on_gpu or running.device.type == "cuda"

    def _tell(self, done: int, total: int | None, num_graphs: int, length: int | None) -> None:
        if self._progress is not None:
            shards = f"{done:,} shards" if total is None else f"{done:,} of {total:,} shards"
            self._progress(f"embedding ({shards})", num_graphs, length)


class _Names:
    """What messages call a shard: by its files, where it is in some."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store

    def __call__(self, task: Task) -> str:
        run, source = task.run, self._store.source
        ends = f"graphs {run.first} to {run.last - 1}"
        return f"{ends} ({source.files_of(run.first, run.last)})" if run.handed is None else ends


def _kept(
    one: Embedded, number: int, first: int, checkpoint: Checkpoint | None, check: SameModelCheck | None
) -> Applied:
    """What the model made of a shard, by now or by a checkpoint's knowledge; what is new is kept."""
    shard = None
    if one.made is not None:
        tensors = {key: torch.from_numpy(array.copy()) for key, array in one.made.items()}
        shard = Shard(tensors, one.digest, is_double=True)
    if checkpoint is not None:
        known = checkpoint.shard(number)
        if known is not None and known.digest != one.digest:
            raise checkpoint.refuse(first, first + len(known))
        if shard is not None:
            checkpoint.write(number, shard)
        elif known is not None and check is not None:
            check(known, first)
        shard = shard or known
    assert shard is not None
    # Of rows by other processes none are asked again, whatever precision they are in.
    return Applied(shard.tensors["outputs"], shard.tensors["graph_embeddings"], shard.labels, is_double=True)


def elsewhere(running: RunningClassifier) -> RunningClassifier:
    """The model, to be sent to another process: on the CPU, and not used yet."""
    twin = None if running.device.type == "cpu" else copied(running.model)
    model = running.model if twin is None else twin.to("cpu")
    return replace(running, model=model, device=torch.device("cpu"), usage=Usage())
