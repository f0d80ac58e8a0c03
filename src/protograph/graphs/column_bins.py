"""Where the values of one column are cut: at gaps, where density is low between peaks, or into bins of equal size."""

import numpy as np

from protograph._base.arrays import Floats, Ints

# Places at which the density is looked at.
_GRID = 512
# Of the width that is best for a single peak: of several peaks the spread of all says too much.
_NARROW = 0.5
# Values beyond are drawn in: a few far off would make the grid coarse.
_TAILS = (0.001, 0.999)
# Values that differ by less, the largest being of the size of 1, differ by rounding.
_LEAST_RANGE = 1e-12


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
    cuts = [_between(ascending, grid[place]) for place in _with_share(ascending, grid, density, valleys, least_share)]
    inside = (cut for cut in dict.fromkeys(cuts) if ascending[0] < cut <= ascending[-1])
    return tuple(float(np.ldexp(cut, power)) for cut in inside)


def _bandwidth(ascending: Floats) -> float:
    """Silverman's rule."""
    quartiles = np.quantile(ascending, (0.25, 0.75))
    spreads = [spread for spread in (float(ascending.std()), float(np.ptp(quartiles)) / 1.34) if spread > 0]
    return float(0.9 * min(spreads) * ascending.size**-0.2)


def _density(ascending: Floats, grid: Floats, width: float) -> Floats:
    """Of values at places evenly spaced: the share that lies in each cell, smoothed by a normal distribution."""
    step = grid[1] - grid[0]
    edges = np.append(grid - step / 2, grid[-1] + step / 2)
    counts = np.diff(np.searchsorted(ascending, edges, side="left")).astype(np.float64)
    reach = int(np.ceil(4 * width / step))
    offsets = np.arange(-reach, reach + 1) * step
    kernel = np.exp(-0.5 * (offsets / width) ** 2)
    smooth: Floats = np.convolve(counts, kernel / kernel.sum(), mode="full")[reach : reach + grid.size]
    return np.asarray(smooth / ascending.size)


def _valleys(density: Floats, counts: Floats, depth: float, certainty: float) -> list[int]:
    """Middles of the gaps, ascending: the shallowest are filled until all that are left are gaps."""
    peaks, valleys = _turns(density)
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


def _turns(density: Floats) -> tuple[list[int], list[int]]:
    """Places of peaks, and of the valleys between them, in the middle where they are flat."""
    changes = np.flatnonzero(np.diff(density))
    # Each stretch of equal density as its first and last place.
    starts, ends = np.append(0, changes + 1), np.append(changes, density.size - 1)
    levels, middles = density[starts], (starts + ends) // 2
    before, after = np.append(-1.0, levels[:-1]), np.append(levels[1:], -1.0)
    peaks = middles[(levels > before) & (levels > after)].tolist()
    inner = (levels < before) & (levels < after)
    inner[[0, -1]] = False
    return peaks, middles[inner].tolist()


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


def _between(ascending: Floats, place: float) -> float:
    """Half-way between the values on both sides of a place."""
    at = int(np.clip(np.searchsorted(ascending, place, side="right"), 1, ascending.size - 1))
    return float((ascending[at - 1] + ascending[at]) / 2)


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

    >>> even_cuts(np.arange(8.0), 4), even_cuts(np.array([1.0, 1, 1, 1, 2, 3]), 3)
    ((1.5, 3.5, 5.5), (1.5,))
    """
    distinct, counts = np.unique(values, return_counts=True)
    return bin_cuts(distinct, counts, num_bins)


def bin_cuts(values: Floats, counts: Ints, num_bins: int) -> tuple[float, ...]:
    """The same of different values, ascending, and how often each occurs.

    A cut is above the value up to which a share lies, half-way to the next one; below the highest at last.
    """
    if values.size < 2:
        return ()
    up_to = counts.cumsum()
    wanted = up_to[-1] * np.arange(1, num_bins) / num_bins
    last = np.unique(np.searchsorted(up_to, wanted).clip(max=values.size - 2))
    return tuple((values[at] / 2 + values[at + 1] / 2).item() for at in last)
