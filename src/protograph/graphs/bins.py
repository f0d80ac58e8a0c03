"""How values become few: columns cut into bins, rows divided into regions, and the sample that this is taken from."""

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from protograph._utils.arrays import Floats, Ints
from protograph._utils.words import count_of
from protograph.graphs.dataset import BLOCK, CollatedGraphs

# Places at which the density is looked at.
_GRID = 512
# Of the width that is best for a single peak: of several peaks the spread of all says too much.
_NARROW = 0.5
# Values beyond are drawn in: a few far off would make the grid coarse.
_TAILS = (0.001, 0.999)
# Values that differ by less, the largest being of the size of 1, differ by rounding.
_LEAST_RANGE = 1e-12
# Attempts of k-means, of which the best is taken.
_STARTS = 4
# Columns that tell graphs apart; more would take long and tell no more.
_MOST_COLUMNS = 64
# Odd numbers whose products scatter.
_SPREAD, _MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


def gap_cuts(values: Floats, *, depth: float, certainty: float, least_share: float) -> tuple[float, ...]:
    """Cuts at the gaps of a column: between two peaks of its density, in the middle of where it is least.

    A gap has at most ``depth`` times the density of the lower of its peaks, and so many fewer values than they that it
    is no chance. Between two gaps is at least ``least_share`` of the values. A cut is half-way between two values.

    Args:
        values: The values, finite; their order does not matter.
        depth: Most density of a gap, of that of its lower peak.
        certainty: Standard deviations of a count by which a gap must have fewer values than its lower peak.
        least_share: Of the values between two cuts.

    >>> around = np.linspace(-0.2, 0.2, 200)
    >>> gap_cuts(np.concatenate([around, around + 1]), depth=0.6, certainty=4, least_share=0.01)
    (0.5,)
    """
    # Of the size of 1, by a power of two: nothing is rounded, and neither huge nor tiny numbers leave the scale.
    power = int(np.frexp(np.abs(values).max())[1])
    ascending = np.sort(np.ldexp(values, -power))
    low, high = np.quantile(ascending, _TAILS)
    if high - low <= _LEAST_RANGE:
        return ()
    drawn_in = np.clip(ascending, low, high)
    width = _NARROW * _bandwidth(drawn_in)
    width = max(width, (high - low) / _GRID)
    grid = np.linspace(low - 3 * width, high + 3 * width, _GRID)
    density = _density(drawn_in, grid, width)
    counts = density * drawn_in.size * 2 * (width / (grid[1] - grid[0]))
    valleys = _valleys(density, counts, depth, certainty)
    gaps = grid[_with_share(ascending, grid, density, valleys, least_share)]
    at = np.searchsorted(ascending, gaps, side="right").clip(1, ascending.size - 1)
    cuts = np.unique((ascending[at - 1] + ascending[at]) / 2)
    inside = cuts[(ascending[0] < cuts) & (cuts <= ascending[-1])]
    return tuple(np.ldexp(inside, power).tolist())


def _bandwidth(ascending: Floats) -> float:
    """Silverman's rule."""
    quartiles = np.quantile(ascending, (0.25, 0.75))
    spreads = [spread for spread in (float(ascending.std()), float(np.ptp(quartiles)) / 1.34) if spread > 0]
    return float(0.9 * min(spreads) * ascending.size**-0.2)


def _density(ascending: Floats, grid: Floats, width: float) -> Floats:
    """Of values at places evenly spaced: the share that lies in each cell, smoothed by a normal distribution."""
    from scipy.ndimage import gaussian_filter1d

    step = grid[1] - grid[0]
    edges = np.append(grid - step / 2, grid[-1] + step / 2)
    counts = np.diff(np.searchsorted(ascending, edges, side="left")).astype(np.float64)
    return np.asarray(gaussian_filter1d(counts, width / step, mode="constant") / ascending.size)


def _valleys(density: Floats, counts: Floats, depth: float, certainty: float) -> list[int]:
    """Middles of the gaps, ascending: the shallowest are filled until all that are left are gaps."""
    from scipy.signal import find_peaks

    # In the middle where they are flat.
    peaks = (find_peaks(np.pad(density, 1, constant_values=-1.0))[0] - 1).tolist()
    valleys = find_peaks(-density)[0].tolist()
    while valleys:
        lower = [min(density[peaks[i]], density[peaks[i + 1]]) for i in range(len(valleys))]
        few = [min(counts[peaks[i]], counts[peaks[i + 1]]) for i in range(len(valleys))]
        ratios = [density[valley] / peak for valley, peak in zip(valleys, lower, strict=True)]
        short = [peak - counts[valley] < certainty * np.sqrt(peak) for valley, peak in zip(valleys, few, strict=True)]
        wrong = [place for place in range(len(valleys)) if ratios[place] > depth or short[place]]
        if not wrong:
            break
        worst = max(wrong, key=lambda place: (ratios[place], -place))
        del valleys[worst]
        del peaks[worst if density[peaks[worst]] < density[peaks[worst + 1]] else worst + 1]
    heights = [depth * min(density[peaks[i]], density[peaks[i + 1]]) for i in range(len(valleys))]
    return [_middle(density, valley, height) for valley, height in zip(valleys, heights, strict=True)]


def _middle(density: Floats, valley: int, height: float) -> int:
    """The middle of a valley up to some height, rather than where it happens to be lowest."""
    walls = np.flatnonzero(density > height)
    left, right = walls[walls < valley].max() + 1, walls[walls > valley].min() - 1
    return int(left + right) // 2


def _with_share(ascending: Floats, grid: Floats, density: Floats, valleys: list[int], least_share: float) -> list[int]:
    """The gaps without those beside bins that hold too little, the shallowest first."""
    kept = list(valleys)
    while kept:
        below = np.searchsorted(ascending, grid[kept], side="right")
        sizes = np.diff([0, *below.tolist(), ascending.size])
        small = [place for place, size in enumerate(sizes.tolist()) if size < least_share * ascending.size]
        if not small:
            break
        beside = {gap for place in small for gap in (place - 1, place) if 0 <= gap < len(kept)}
        del kept[max(sorted(beside), key=lambda gap: density[kept[gap]])]
    return kept


def evenest_cuts(values: Floats, cuts: tuple[float, ...], num_bins: int) -> tuple[float, ...]:
    """Of some cuts, ascending, those that come nearest to bins with as many values each.

    >>> evenest_cuts(np.arange(12.0), (0.5, 2.5, 4.5, 8.5, 10.5), 4)
    (2.5, 4.5, 8.5)
    """
    below = np.searchsorted(np.sort(values), cuts) / values.size
    wanted = np.arange(1, num_bins) / num_bins
    return tuple(dict.fromkeys(cuts[int(np.abs(below - share).argmin())] for share in wanted.tolist()))


def even_cuts(values: Floats, num_bins: int) -> tuple[float, ...]:
    """Cuts into bins with about as many values each, half-way between two values and never through equal ones.

    A cut is above the value up to which a share lies; below the highest at last.

    >>> even_cuts(np.arange(8.0), 4), even_cuts(np.array([1.0, 1, 1, 1, 2, 3]), 3)
    ((1.5, 3.5, 5.5), (1.5,))
    """
    distinct, counts = np.unique(values, return_counts=True)
    if distinct.size < 2:
        return ()
    up_to = counts.cumsum()
    wanted = up_to[-1] * np.arange(1, num_bins) / num_bins
    last = np.unique(np.searchsorted(up_to, wanted).clip(max=distinct.size - 2))
    return tuple((distinct[at] / 2 + distinct[at + 1] / 2).item() for at in last)


def edge_cuts(graphs: CollatedGraphs, *, max_values: int, num_bins: int) -> tuple[tuple[float, ...], ...]:
    """The cuts of each column of ``edge_attr`` that is continuous; nothing at all where none is.

    A column is continuous if it holds floating-point numbers and more than ``max_values`` different ones: whole numbers
    are names of kinds, and so are a few values that come again and again, such as the order 1.5 of an aromatic bond.
    It is cut into ``num_bins`` bins with about as many edges each. A cut lies half-way between two values that occur
    and never through equal ones, so that there may be fewer bins.

    Args:
        graphs: The graphs; neither their order nor that of their edges matters.
        max_values: So many different values are kinds.
        num_bins: Bins of a continuous column.
    """
    rows = graphs.tensor("edge_attr")
    if rows is None or not rows.is_floating_point() or not len(rows):
        return ()
    columns = rows.reshape(len(rows), -1).double().numpy().T
    cuts = tuple(even_cuts(column, num_bins) if np.unique(column).size > max_values else () for column in columns)
    return cuts if any(cuts) else ()


def divided(rows: Floats, num_regions: int) -> Ints:
    """The region of each row, from 0 on, where rows are gathered around so many centres by k-means.

    Neither their order matters, nor which region comes first: regions are numbered by their lowest rows.

    >>> divided(np.array([[0.0], [0.1], [1.0], [1.1]]), 2).tolist()
    [0, 0, 1, 1]
    """
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    order = np.lexsort(rows.T[::-1])
    # On one thread, as more would add up in another order; and fewer distinct rows than centres are no reason to warn.
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = KMeans(min(num_regions, len(np.unique(rows, axis=0))), n_init=_STARTS, random_state=0)
        found = model.fit_predict(rows[order])
    _, first, place = np.unique(found, return_index=True, return_inverse=True)
    result = np.empty(len(rows), dtype=np.int64)
    result[order] = first.argsort().argsort()[place]
    return result


@dataclass(frozen=True, eq=False)
class NodeSample:
    """Rows of ``x`` of some graphs.

    Attributes:
        rows: The rows, in ascending order, ``[num_nodes, num_columns]``.
        graphs: Indices of the graphs they are of, in the order in which they were chosen.
        num_nodes: Nodes of all graphs.
    """

    rows: Floats
    graphs: tuple[int, ...]
    num_nodes: int

    @property
    def words(self) -> str:
        """What it is, in words."""
        if len(self.rows) == self.num_nodes:
            return f"all {count_of(self.num_nodes, 'node')}"
        return f"{count_of(len(self.rows), 'node')} of {count_of(len(self.graphs), 'graph')} chosen by their content"


def node_sample(graphs: CollatedGraphs, size: int) -> NodeSample | None:
    """The nodes of as many graphs as have at least so many, or of all; ``None`` where graphs have no ``x``.

    Graphs are taken in the order of a number made of what their nodes hold, so that neither the order of the graphs nor
    that of their nodes matters.

    Args:
        graphs: The graphs.
        size: Nodes that are enough.

    >>> import torch
    >>> from torch_geometric.data import Data
    >>> from protograph.graphs.dataset import collate
    >>> sample = node_sample(collate([Data(x=torch.tensor([[2.0], [1.0]])), Data(x=torch.tensor([[0.0]]))]), 10)
    >>> sample.rows.flatten().tolist(), sample.words
    ([0.0, 1.0, 2.0], 'all 3 nodes')
    """
    x = graphs.tensor("x")
    if x is None or not x.numel():
        return None
    blocks = [graphs[first : first + BLOCK] for first in range(0, len(graphs), BLOCK)]
    numbers = np.concatenate([_numbers(_rows(block), block.sizes) for block in blocks])
    order = np.argsort(numbers, kind="stable")
    enough = int(np.searchsorted(graphs.sizes[order].cumsum(), size)) + 1
    chosen = order[:enough].tolist()
    own = np.concatenate([_rows(graphs[graph : graph + 1]) for graph in chosen])
    return NodeSample(own[np.lexsort(own.T[::-1])], tuple(chosen), len(x))


def _rows(graphs: CollatedGraphs) -> Floats:
    """The rows of ``x``, without a negative zero."""
    x = graphs.tensor("x")
    assert x is not None
    return x.double().reshape(len(x), -1).numpy() + 0.0


def _numbers(rows: Floats, sizes: Ints) -> NDArray[np.uint64]:
    """A number for each graph, made of its rows in any order: whole numbers that wrap around have no rounding."""
    width = rows.shape[1]
    columns = np.unique(np.linspace(0, width - 1, min(width, _MOST_COLUMNS)).astype(np.int64))
    bits = np.ascontiguousarray(rows[:, columns]).view(np.uint64)
    factors = (np.arange(1, columns.size + 1, dtype=np.uint64) * np.uint64(2) + np.uint64(1)) * _SPREAD
    each = ((bits ^ (bits >> np.uint64(29))) * factors).sum(axis=1, dtype=np.uint64)
    each = (each ^ (each >> np.uint64(31))) * _MIX
    sums = np.zeros(len(sizes), dtype=np.uint64)
    np.add.at(sums, np.repeat(np.arange(len(sizes)), sizes), each)
    mixed: NDArray[np.uint64] = (sums ^ (sums >> np.uint64(30))) * _MIX
    return mixed ^ (mixed >> np.uint64(27))
