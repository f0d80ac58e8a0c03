r"""RQ6: what the paper's scoring function costs and how far it goes with the naive ones; the feature mask.

.. math::
    s = \mathbf 1^T (v_1 \odot \dots \odot v_k), \qquad
    s_{AM} = \frac{1}{P} \sum_{q<r} v_q^T v_r, \qquad
    s_{GM} = \Big(\prod_{q<r} v_q^T v_r\Big)^{1/P}, \qquad
    s_m = \frac{1}{k} \sum_q v_q^T m, \quad m = \frac{1}{k} \sum_q v_q

with :math:`P` pairs. The last one is the alternative of the paper's remark on scoring functions.
"""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial, reduce
from itertools import combinations, product
from math import prod
from operator import mul
from typing import Any

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor
from torch_geometric.data import Data

import protograph as pg
from research.paper.drawings import COLOURS, SERIES, new_figure
from research.paper.estimates import Estimate, above, bootstrap, mean_of, share_mean
from research.paper.items.ablation import outcomes
from research.paper.lab import Lab, ModelSpec
from research.paper.runs import Cell, Item, Results
from research.paper.settings import WITH_TRUTH, Settings, title_of
from research.paper.sheet import Sheet
from research.paper.truths import paper

SUBSTANTIALLY = 1.5  # times as long: what we take the word for, of which the paper gives no number
WIDTH = 32  # of an embedding, as the paper's GCN has it
NUM_PASSES = 9
TITLES = {"s": "s", "s_AM": "s_AM (arithmetic mean)", "s_GM": "s_GM (geometric mean)", "s_m": "on the mean vector"}
MASKS: dict[str, dict[str, Any]] = {"mask on": {}, "mask off": {"match_features": False}}


def arithmetic(vectors: Sequence[Tensor]) -> Tensor:
    """Mean of the inner products of all pairs."""
    products = [u @ v for u, v in combinations(vectors, 2)]
    return sum(products[1:], products[0]) / len(products)


def geometric(vectors: Sequence[Tensor]) -> Tensor:
    """Geometric mean of the inner products of all pairs."""
    products = [u @ v for u, v in combinations(vectors, 2)]
    return reduce(mul, products) ** (1 / len(products))


def mean_vector(vectors: Sequence[Tensor]) -> Tensor:
    """Mean of the inner products of each vector with their mean vector."""
    mean = sum(vectors[1:], vectors[0]) / len(vectors)
    products = [vector @ mean for vector in vectors]
    return sum(products[1:], products[0]) / len(products)


# By the paper's names; the last has none there.
SCORES: dict[str, Callable[[Sequence[Tensor]], Tensor]] = {
    "s": lambda vectors: reduce(mul, vectors).sum(),
    "s_AM": arithmetic,
    "s_GM": geometric,
    "s_m": mean_vector,
}


def cells(settings: Settings) -> list[Cell]:
    """Scores of random triples, times of a call by k, and walks with and without the mask."""
    num = 100 if settings.is_quick else int(paper("rq6", "num_triples"))
    ks = (2, 3) if settings.is_quick else (2, 3, 4, 5, 6, 7, 8)
    return [
        *(Cell(key=("scores", f"seed {seed}"), compute=partial(score_triples, num, seed)) for seed in settings.seeds),
        *(Cell(key=("call", f"k {k}"), compute=partial(time_calls, num, k)) for k in ks),
        *(
            Cell(
                key=("walk", name, f"seed {seed}"),
                compute=partial(walk_masks, name, seed),
                needs=[ModelSpec(name, seed)],
            )
            for name, seed in product(settings.sets(WITH_TRUTH), settings.fewer(settings.seeds))
        ),
    ]


def random_tuples(num: int, k: int, seed: int) -> Tensor:
    """Normal vectors through a ReLU, ``[num, k, width]``: what the paper feeds to scoring functions.

    >>> random_tuples(4, 3, seed=0).shape, bool((random_tuples(4, 3, seed=0) >= 0).all())
    (torch.Size([4, 3, 32]), True)
    """
    drawn = np.random.default_rng(seed).standard_normal((num, k, WIDTH))
    return torch.from_numpy(np.maximum(drawn, 0.0)).float()


def score_triples(num: int, seed: int, lab: Lab) -> dict[str, Any]:
    """Correlations with s; only the first seed's scores are drawn, at four digits."""
    tuples = random_tuples(num, 3, seed).double()
    found = {name: [float(score(tuple(one))) for one in tuples] for name, score in SCORES.items()}
    correlations = {name: float(np.corrcoef(found["s"], found[name])[0, 1]) for name in SCORES if name != "s"}
    shown = {name: [round(value, 4) for value in values] for name, values in found.items()}
    return {"correlations": correlations, "scores": None if seed else shown}


def time_calls(num: int, k: int, lab: Lab) -> dict[str, list[float]]:
    """Seconds of a call of each function, one mean a pass over all tuples; functions take turns, pass by pass."""
    calls = [tuple(one) for one in random_tuples(num, k, seed=0)]
    taken: dict[str, list[float]] = {name: [] for name in SCORES}
    for _ in range(NUM_PASSES + 1):
        for name, score in SCORES.items():
            started = time.perf_counter()
            for vectors in calls:
                score(vectors)
            taken[name].append((time.perf_counter() - started) / len(calls))
    return {name: seconds[1:] for name, seconds in taken.items()}  # the first pass warms up


def num_operations(name: str, k: int) -> int:
    """Multiplications, additions, divisions and roots of one call.

    >>> {name: num_operations(name, k=3) for name in SCORES}
    {'s': 95, 's_AM': 192, 's_GM': 192, 's_m': 288}
    """
    pairs, inner = k * (k - 1) // 2, 2 * WIDTH - 1
    counts = {"s": (k - 1) * WIDTH + WIDTH - 1, "s_m": k * WIDTH + k * inner + k}
    return counts.get(name, pairs * inner + pairs)  # what joins them, and a division or a root


def share_left(graphs: Sequence[Data]) -> float:
    """Share of the tuples of nodes, one of each graph, whose features are equal.

    >>> share_left([Data(x=torch.tensor([[0], [1]])), Data(x=torch.tensor([[1], [1], [2]]))])
    0.3333333333333333
    """
    kinds = [Counter(map(tuple, graph.x.tolist())) for graph in graphs]
    equal = sum(prod(counts[kind] for counts in kinds) for kind in kinds[0])
    return equal / prod(int(graph.num_nodes) for graph in graphs)


def walk_masks(name: str, seed: int, lab: Lab) -> dict[str, Any]:
    """The walk with and without the mask, and how many tuples of its representatives the mask leaves."""
    explainers = {
        mask: partial(pg.PAGE, search="walk", num_clusters=2, random_state=seed, **options)
        for mask, options in MASKS.items()
    }
    graphs, data = lab.train_graphs(name, seed), lab.data(name, seed)
    model = lab.model(ModelSpec(name, seed)).model
    explainer = explainers["mask on"]().fit(model, graphs)
    chosen = [
        [graphs[index] for index in cluster.representatives]
        for target in data.ground_truths
        if (explainer.predictions_ == target).any()
        for cluster in explainer.representatives(target)
    ]
    return {"variants": outcomes(explainers, model, graphs, data), "shares_left": [share_left(one) for one in chosen]}


def write(results: Results, sheet: Sheet) -> None:
    """Tables of times, correlations and the mask, with the scatter plots."""
    write_calls(results, sheet)
    write_correlations(results, sheet)
    write_mask(results, sheet)


def ratios(taken: dict[str, list[float]], name: str) -> Estimate:
    """Times of a function as multiples of those of s."""
    return bootstrap([one / base for one, base in zip(taken[name], taken["s"], strict=True)])


def write_calls(results: Results, sheet: Sheet) -> None:
    """Seconds of a call for k = 3 beside the paper's, and how they grow with k."""
    taken = results["call", "k 3"]
    theirs = {name: values[0] for name, values in paper("rq6", "microseconds").items()}
    rows: list[list[Any]] = []
    for name, title in TITLES.items():
        their_ratio = theirs[name] / theirs["s"] if name in theirs else None
        ours = None if name == "s" else ratios(taken, name)
        micro = bootstrap([1e6 * one for one in taken[name]])
        rows.append([title, num_operations(name, 3), micro, ours, theirs.get(name), their_ratio])
        if ours and their_ratio:
            claim = f"a call of {title} takes longer than one of s, so many times"
            sheet.finding(claim, ours, their_ratio, above(ours, 1.0), "the order is compared")
    sheet.table(
        "time-a-call",
        ("scoring function", "operations", "microseconds", "times s", "microseconds, paper", "times s, paper"),
        rows,
        f"One call with three vectors of {WIDTH} numbers in PyTorch; median over passes, functions taking turns. "
        "Microseconds are those of a machine; ratios and operations can be compared.",
    )
    growth = {int(key[0].split()[1]): one for key, one in results.under("call").items()}
    figure, ((axis,),) = new_figure(5.2, 3.2)
    for (name, title), colour in zip(TITLES.items(), SERIES, strict=False):
        axis.plot(list(growth), [ratios(one, name).mean for one in growth.values()], "o-", color=colour, label=title)
    axis.set(xlabel="k, number of vectors", ylabel="time of a call, s = 1", ylim=(0, None))
    axis.legend(frameon=False, fontsize=8)
    caption = "Time of a call against the number k of vectors, as a multiple of s for the same k: the pairs of the "
    sheet.figure("time-by-k", figure, caption + "means grow with the square of k.")


def write_correlations(results: Results, sheet: Sheet) -> None:
    """How far the others go with s."""
    found = results.seeds("scores")
    least = float(paper("rq6", "least_correlation"))
    estimates = {name: mean_of([one["correlations"][name] for one in found]) for name in found[0]["correlations"]}
    sheet.table(
        "correlation",
        ("scoring function", "correlation with s", "paper"),
        [[TITLES[name], ours, None if name == "s_m" else f"> {least}"] for name, ours in estimates.items()],
        "Pearson's correlation with s on random triples of ReLU vectors; mean over draws.",
    )
    for name in ("s_AM", "s_GM"):
        ours = estimates[name]
        sheet.finding(f"correlation of {TITLES[name]} with s", ours, f"> {least}", above(ours, least))
    scores = found[0]["scores"]
    figure, axes = new_figure(8.4, 2.9, columns=3, sharey=True)
    for axis, name in zip(axes.flat, estimates, strict=True):
        axis.scatter(scores[name], scores["s"], s=7, color=COLOURS["walk"], alpha=0.35, linewidths=0)
        axis.set(xlabel=TITLES[name], ylabel="s", title=f"correlation {found[0]['correlations'][name]:.3f}")
    sheet.figure("scatter", figure, "Each alternative against s on random triples of ReLU vectors, first draw.")


def write_mask(results: Results, sheet: Sheet) -> None:
    """Accuracy and time with and without the mask."""
    rows: list[list[Any]] = []
    for name in results.names("walk"):
        found = results.seeds("walk", name)
        pairs = [tuple(one["variants"].values()) for one in found if one["variants"]["mask on"]["accuracy"] is not None]
        if not pairs:
            continue
        gain = mean_of([on["accuracy"] - off["accuracy"] for on, off in pairs])
        ratio = bootstrap([off["seconds"] / on["seconds"] for on, off in pairs])
        left = share_mean([share for one in found for share in one["shares_left"]])
        means = [share_mean([one["accuracy"] for one in side]) for side in zip(*pairs, strict=True)]
        rows.append([title_of(name), *means, gain, left, ratio])
        is_lower = "differs" if gain.high < 0 else "agrees" if gain.low >= 0 else "undecided"
        sheet.finding(
            f"{title_of(name)}: accuracy with the feature mask less that without", gain, "not lower", is_lower
        )
        claim = f"{title_of(name)}: the search without the mask takes longer, so many times"
        decided = above(ratio, SUBSTANTIALLY)
        sheet.finding(claim, ratio, f"substantially: {SUBSTANTIALLY}", decided, "the number is our reading")
    sheet.table(
        "mask",
        ("data set", "accuracy, on", "accuracy, off", "gain", "tuples left", "time off over on"),
        rows,
        "The walk with and without the mask of tuples whose features differ: accuracy, the share of tuples that it "
        "leaves, and the time of the search (median of the ratios). The limit of nodes is what the graphs have in "
        "common, with the same rule.",
    )
    sheet.figure(
        "mask-on-and-off", draw_mask(rows), "Accuracy with and without the mask, and what leaving it out costs."
    )


def draw_mask(rows: list[list[Any]]) -> Figure:
    """Accuracy on and off, and the ratio of times beside."""
    figure, ((left, right),) = new_figure(8.0, 1.0 + 0.4 * len(rows), columns=2, sharey=True)
    heights = range(len(rows))
    for label, column, face in (("on", 1, COLOURS["walk"]), ("off", 2, "white")):
        look = {"facecolors": face, "edgecolors": COLOURS["walk"], "label": label}
        left.scatter([row[column].mean for row in rows], heights, **look)
    left.set(yticks=heights, yticklabels=[row[0] for row in rows], xlim=(0, 1), xlabel="accuracy")
    left.legend(frameon=False, fontsize=8)
    right.barh(heights, [row[5].mean for row in rows], height=0.5, color=COLOURS["walk"])
    right.set(xlabel="time of the search without the mask, with it = 1")
    return figure


ITEM = Item(
    name="rq6",
    title="The scoring function and the feature mask",
    question="Is the paper's scoring function cheaper than means of inner products of pairs, and does it say the same? "
    "Does leaving out tuples of nodes whose features differ save time, and does it cost accuracy?",
    cells=cells,
    write=write,
)
