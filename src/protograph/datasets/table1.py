"""A data set counted as the paper's Table 1 counts it, and held against its row."""

from typing import Literal

from protograph._base.progress import Progress
from protograph.datasets.dataset import GraphDataset
from protograph.datasets.spec import Counting, PaperCounts


def count(dataset: GraphDataset, counting: Counting, progress: Progress) -> tuple[int, int, int]:
    """Graphs, nodes and edges of a data set, the edges as the paper counts them.

    An undirected edge is half of its two directions, and so is a self-loop, as in the paper's figure for MNIST-sp.
    """
    has_all = counting != "undirected, training graphs only"
    with_edges = set(range(len(dataset)) if has_all else dataset.splits["train"].tolist())
    nodes = edges = 0
    for number, graph in enumerate(dataset):
        nodes += int(graph.num_nodes or 0)
        edges += graph.num_edges if number in with_edges else 0
        if number % 1000 == 999:
            progress(f"counting {dataset.name}", number + 1, len(dataset))
    return len(dataset), nodes, edges if counting == "directed" else edges // 2


def verdict(counts: tuple[int, int, int], paper: PaperCounts) -> Literal["equal", "explained", "different"]:
    """Whether counts are the paper's, or differ by no more than its row explains.

    >>> verdict((10, 99, 205), PaperCounts(10, 100, 200, "directed", 0.05, "generated"))
    'explained'
    """
    wanted = (paper.graphs, paper.nodes, paper.edges)
    if counts == wanted:
        return "equal"
    # The number of graphs is never a matter of chance.
    is_close = counts[0] == wanted[0] and all(
        abs(ours - theirs) <= paper.within * theirs for ours, theirs in zip(counts, wanted, strict=True)
    )
    return "explained" if is_close else "different"
