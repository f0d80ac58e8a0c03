"""What is known of a data set before it is loaded: its files, what it is about, and its row of the paper's Table 1."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from protograph._utils.progress import Progress
from protograph.datasets.dataset import GraphDataset
from protograph.datasets.files import DataFiles, SourceFile

State = Literal["generated", "here", "to be downloaded", "not here"]
# Called with the files, the seed, and how many graphs to give, all if None; what it does not need it leaves unread.
Loader = Callable[[DataFiles, int, int | None], GraphDataset]


@dataclass(frozen=True)
class PaperCounts:
    """A row of the paper's Table 1.

    Attributes:
        graphs: Number of graphs.
        nodes: Number of nodes in all graphs.
        edges: Number of edges in all graphs.
        counting: How the table counts the edges of this data set.
        within: Largest difference, as a share of the paper's count, that ``reason`` explains; 0 if none.
        reason: Why counts may differ.
    """

    graphs: int
    nodes: int
    edges: int
    counting: Literal["directed", "undirected", "undirected, training graphs only"]
    within: float = 0.0
    reason: str = ""

    def count(self, dataset: GraphDataset, progress: Progress) -> tuple[int, int, int]:
        """Graphs, nodes and edges of a data set, the edges as the paper counts them.

        An undirected edge is half of its two directions, and so is a self-loop, as in the paper's figure for MNIST-sp.
        """
        has_all = self.counting != "undirected, training graphs only"
        with_edges = set(range(len(dataset)) if has_all else dataset.splits["train"].tolist())
        nodes = edges = 0
        for number, graph in enumerate(dataset):
            nodes += int(graph.num_nodes or 0)
            edges += graph.num_edges if number in with_edges else 0
            if number % 1000 == 999:
                progress(f"counting {dataset.name}", number + 1, len(dataset))
        return len(dataset), nodes, edges if self.counting == "directed" else edges // 2

    def verdict(self, counts: tuple[int, int, int]) -> Literal["equal", "explained", "different"]:
        """Whether counts are the paper's, or differ by no more than its row explains.

        >>> PaperCounts(10, 100, 200, "directed", 0.05, "generated").verdict((10, 99, 205))
        'explained'
        """
        wanted = (self.graphs, self.nodes, self.edges)
        if counts == wanted:
            return "equal"
        # The number of graphs is never a matter of chance.
        is_close = counts[0] == wanted[0] and all(
            abs(ours - theirs) <= self.within * theirs for ours, theirs in zip(counts, wanted, strict=True)
        )
        return "explained" if is_close else "different"


@dataclass(frozen=True, kw_only=True)
class DatasetSpec:
    """A data set that :func:`protograph.datasets.load` can load.

    Attributes:
        name: Name under which it is loaded.
        load: Makes it.
        question: What its classes tell apart.
        num_graphs: Number of graphs; ``None`` where only the files tell.
        num_classes: Number of classes; ``None`` where only the files tell.
        files: The files that it is read from, as alternatives of which one is enough, in the order in which they are
            tried; none if it is generated.
        paper: Its row of Table 1, if it has one.
    """

    name: str
    load: Loader
    question: str = ""
    num_graphs: int | None = None
    num_classes: int | None = None
    files: tuple[tuple[SourceFile, ...], ...] = ()
    paper: PaperCounts | None = None

    @property
    def downloads(self) -> tuple[SourceFile, ...]:
        """The files of the first alternative that can be downloaded; none where none can."""
        return next((choice for choice in self.files if all(file.url is not None for file in choice)), ())

    def state(self, root: Path | None) -> State:
        """Where its files are; the first file of an alternative stands for the others."""
        if not self.files:
            return "generated"
        try:
            if any(DataFiles(self.name, root).find(first.relative) is not None for first, *_ in self.files):
                return "here"
        except FileNotFoundError:  # what is named as the folder is not a folder
            return "not here"
        return "to be downloaded" if self.downloads else "not here"


def key_of(name: str) -> str:
    """A name as it is looked up: in any case, and with ``_`` or ``-``.

    >>> key_of("BA_House")
    'ba-house'
    """
    return name.lower().replace("_", "-")
