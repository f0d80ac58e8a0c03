r"""Scoring functions one tuple at a time, as the paper times them (RQ6), and how many operations each takes.

.. math::
    s = \mathbf 1^T (v_1 \odot \dots \odot v_k), \qquad
    s_{AM} = \frac{1}{P} \sum_{q<r} v_q^T v_r, \qquad
    s_{GM} = \Big(\prod_{q<r} v_q^T v_r\Big)^{1/P}, \qquad
    s_m = \frac{1}{k} \sum_q v_q^T m, \quad m = \frac{1}{k} \sum_q v_q

with :math:`P` pairs. The last one is the alternative of the paper's remark on scoring functions; it is
:math:`m^T m`, so that it takes no pairs at all.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial, reduce
from itertools import combinations
from operator import mul

import numpy as np
import torch
from torch import Tensor

from protograph._base.arrays import Floats
from protograph.page.options import AnyScoring
from protograph.page.walk.scoring import Scorer
from protograph.training.training import one_thread

Score = Callable[[Sequence[Tensor]], Tensor]


def product(vectors: Sequence[Tensor]) -> Tensor:
    """The paper's s."""
    return reduce(mul, vectors).sum()


def arithmetic(vectors: Sequence[Tensor]) -> Tensor:
    """Mean of the inner products of all pairs."""
    products = [u @ v for u, v in combinations(vectors, 2)]
    total: Tensor = sum(products[1:], products[0])
    return total / len(products)


def geometric(vectors: Sequence[Tensor]) -> Tensor:
    """Geometric mean of the inner products of all pairs."""
    products = [u @ v for u, v in combinations(vectors, 2)]
    root: Tensor = reduce(mul, products) ** (1 / len(products))
    return root


def mean_vector(vectors: Sequence[Tensor]) -> Tensor:
    """Mean of the inner products of each vector with their mean vector."""
    mean = sum(vectors[1:], vectors[0]) / len(vectors)
    products = [vector @ mean for vector in vectors]
    total: Tensor = sum(products[1:], products[0])
    return total / len(products)


# By the paper's names; the last has none there.
SCORES: dict[str, Score] = {"s": product, "s_AM": arithmetic, "s_GM": geometric, "s_m": mean_vector}
NAMES: dict[str, AnyScoring] = {"s": "product", "s_AM": "arithmetic", "s_GM": "geometric", "s_m": "mean"}


def random_tuples(num: int, k: int, width: int, seed: int) -> Tensor:
    """Normal vectors through a ReLU, ``[num, k, width]``: what the paper feeds to scoring functions.

    >>> random_tuples(4, 3, 5, seed=0).shape, bool((random_tuples(4, 3, 5, seed=0) >= 0).all())
    (torch.Size([4, 3, 5]), True)
    """
    drawn = np.random.default_rng(seed).standard_normal((num, k, width))
    return torch.from_numpy(np.maximum(drawn, 0.0)).float()


def scores_of(tuples: Tensor) -> dict[str, Floats]:
    """What each scoring function gives for each tuple."""
    exact = tuples.double()
    return {name: np.array([float(score(tuple(one))) for one in exact]) for name, score in SCORES.items()}


def seconds_a_call(tuples: Tensor, num_passes: int) -> dict[str, list[float]]:
    """Seconds of a call of each function, one mean a pass over all tuples; functions take turns, pass by pass."""
    calls = [tuple(one) for one in tuples]

    def one_pass(score: Score) -> None:
        for vectors in calls:
            score(vectors)

    return _in_turns({name: partial(one_pass, score) for name, score in SCORES.items()}, num_passes, len(calls))


def seconds_a_tuple(num_nodes: int, k: int, width: int, num_passes: int, seed: int) -> dict[str, list[float]]:
    """The same for all tuples of nodes of k graphs at once, as the search computes them; of one tuple."""
    graphs = [one.double().numpy() for one in random_tuples(k, num_nodes, width, seed)]

    def whole(scoring: AnyScoring) -> None:
        scorer = Scorer(graphs, scoring)
        scorer.block(scorer.everything)

    jobs = {name: partial(whole, scoring) for name, scoring in NAMES.items()}
    return _in_turns(jobs, num_passes, num_nodes**k)


def _in_turns(jobs: Mapping[str, Callable[[], None]], num_passes: int, num_units: int) -> dict[str, list[float]]:
    """Seconds of each job, over the number of its units; a first round, not counted, warms up."""
    taken: dict[str, list[float]] = {name: [] for name in jobs}
    with one_thread():
        for turn in range(num_passes + 1):
            for name, job in jobs.items():
                started = time.perf_counter()
                job()
                if turn:
                    taken[name].append((time.perf_counter() - started) / num_units)
    return taken


def num_operations(name: str, k: int, width: int) -> int:
    """Multiplications, additions, divisions and roots of one call.

    >>> {name: num_operations(name, k=3, width=32) for name in SCORES}
    {'s': 95, 's_AM': 192, 's_GM': 192, 's_m': 288}
    """
    pairs, inner = k * (k - 1) // 2, 2 * width - 1
    if name == "s":
        return (k - 1) * width + width - 1
    if name == "s_m":
        return k * width + k * inner + k
    return pairs * inner + pairs  # what joins them, and a division or a root


def pearson(x: Iterable[float], y: Iterable[float]) -> float:
    """Correlation of two lists of numbers.

    >>> pearson([1, 2, 3], [2, 4, 6.0])
    1.0
    """
    return round(float(np.corrcoef(list(x), list(y))[0, 1]), 12)
