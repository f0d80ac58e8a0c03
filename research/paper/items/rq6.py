"""RQ6: what the paper's scoring function costs and how far it goes with the naive ones; the feature mask."""

from functools import partial
from itertools import product
from statistics import stdev
from typing import TYPE_CHECKING, Any

from research.paper import charts
from research.paper.findings import Estimate, Verdict
from research.paper.item import JSON, Cell, Item, Need, Results
from research.paper.lab import Lab
from research.paper.masking import share_left
from research.paper.paper import paper
from research.paper.scoring_functions import (
    SCORES,
    num_operations,
    pearson,
    random_tuples,
    scores_of,
    seconds_a_call,
    seconds_a_tuple,
)
from research.paper.sets import SETS
from research.paper.settings import Settings
from research.paper.sheet import Sheet
from research.paper.variants import Variant, of_kept_model, walk_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# What we take "substantially" for, of which the paper gives no number: so many times as long.
SUBSTANTIALLY = 1.5
WIDTH = 32  # of an embedding, as the paper's GCN has it
NAMES = ("ba-house", "ba-grid", "solubility", "mutagenicity", "benzene")
TITLES = {"s": "s", "s_AM": "s_AM (arithmetic mean)", "s_GM": "s_GM (geometric mean)", "s_m": "on the mean vector"}
VARIANTS = (
    Variant(name="mask on"),
    Variant(name="mask off", options={"match_features": False}),
    Variant(name="mean vector", options={"uses_mean_vector": True}),
)


def cells(settings: Settings) -> list[Cell]:
    """Scores of random triples, times by k and by the size of graphs, and walks with and without the mask."""
    num = 100 if settings.is_quick else int(paper("rq6", "num_triples"))
    passes, tensor_passes = (3, 3) if settings.is_quick else (9, 99)
    ks = (2, 3) if settings.is_quick else (2, 3, 4, 5, 6, 7, 8)
    sizes = (5, 10) if settings.is_quick else (10, 20, 40, 80)
    return [
        *(Cell(key=("scores", f"seed {seed}"), compute=partial(_scores, num, seed)) for seed in settings.seeds),
        *(Cell(key=("call", f"k {k}"), compute=partial(_calls, num, k, passes), seconds=2.0) for k in ks),
        *(Cell(key=("tensor", f"nodes {n}"), compute=partial(_tensor, n, tensor_passes)) for n in sizes),
        *(
            Cell(
                key=("walk", name, f"seed {seed}"),
                compute=partial(_walks, name, seed),
                needs=(Need("model", name, seed),),
                seconds=3.0,
            )
            for name, seed in product(settings.sets(NAMES), settings.fewer(settings.seeds))
        ),
    ]


def _scores(num: int, seed: int, lab: Lab) -> JSON:
    found = scores_of(random_tuples(num, 3, WIDTH, seed))
    # Four digits are drawn; only the first seed's are.
    shown = {name: [round(float(value), 4) for value in values] for name, values in found.items()}
    correlations = {name: pearson(found["s"], found[name]) for name in SCORES if name != "s"}
    return {"correlations": correlations, "scores": shown if seed == lab.settings.seeds[0] else None}


def _calls(num: int, k: int, passes: int, lab: Lab) -> JSON:
    return seconds_a_call(random_tuples(num, k, WIDTH, seed=0), passes)


def _tensor(num_nodes: int, passes: int, lab: Lab) -> JSON:
    return seconds_a_tuple(num_nodes, 3, WIDTH, passes, seed=0)


def _walks(name: str, seed: int, lab: Lab) -> JSON:
    explainer = walk_of(seed)
    found = of_kept_model(explainer, VARIANTS, name, seed, lab)
    kept, data = lab.model(name, seed), lab.data(name, seed)
    graphs = data[kept.train]
    chosen = [
        [graphs[index] for index in cluster.representatives]
        for target in data.ground_truths
        if (explainer.predictions_ == target).any()
        for cluster in explainer.representatives(target)
    ]
    return {"variants": found, "shares_left": [share_left(one) for one in chosen]}


def write(results: Results, sheet: Sheet) -> None:
    """Tables of times, correlations and the mask, with the scatter plots."""
    _write_calls(results, sheet)
    _write_correlations(results, sheet)
    _write_mask(results, sheet)
    _write_mean_vector(results, sheet)


def _ratios(taken: dict[str, list[float]], name: str) -> Estimate:
    return Estimate.bootstrap([one / base for one, base in zip(taken[name], taken["s"], strict=True)])


def _write_calls(results: Results, sheet: Sheet) -> None:
    taken = results["call", "k 3"]
    theirs = {name: values[0] for name, values in paper("rq6", "microseconds").items()}
    rows: list[list[Any]] = []
    for name in SCORES:
        micro = Estimate.bootstrap([1e6 * one for one in taken[name]])
        ratio = theirs[name] / theirs["s"] if name in theirs else None
        ours = None if name == "s" else _ratios(taken, name)
        rows.append([TITLES[name], num_operations(name, 3, WIDTH), micro, ours, theirs.get(name), ratio])
    sheet.table(
        "time-a-call",
        ("scoring function", "operations", "microseconds", "times s", "microseconds, paper", "times s, paper"),
        rows,
        f"One call with three vectors of {WIDTH} numbers in PyTorch; median over passes, functions taking turns. "
        "Microseconds are those of a machine; ratios and operations can be compared.",
    )
    for name in ("s_AM", "s_GM"):
        ratio = _ratios(taken, name)
        sheet.finding(
            f"a call of {TITLES[name]} takes longer than one of s, so many times",
            ratio,
            theirs[name] / theirs["s"],
            above(ratio, 1.0),
            "the order is compared; how many times depends on machine and library",
        )
    growth = results.under("call")
    sheet.figure(
        "time-by-k",
        draw_growth({int(key[0].split()[1]): one for key, one in growth.items()}),
        "Time of a call against the number k of vectors, as a multiple of s for the same k: the pairs of the means "
        "grow with the square of k. The variant on the mean vector takes no pairs, unlike what the paper says of it.",
    )
    _write_tensor({int(key[0].split()[1]): one for key, one in results.under("tensor").items()}, sheet)


def _write_tensor(tensor: dict[int, dict[str, list[float]]], sheet: Sheet) -> None:
    """What all tuples at once take, and whether a mean over pairs is then the dearer one still."""
    ratios = {nodes: _ratios(one, "s_AM") for nodes, one in tensor.items()}
    sheet.table(
        "time-a-tuple",
        ("nodes a graph", *(f"{TITLES[name]}, ns" for name in SCORES), "s_AM times s"),
        [
            [nodes, *(Estimate.bootstrap([1e9 * t for t in one[name]]) for name in SCORES), ratios[nodes]]
            for nodes, one in tensor.items()
        ],
        "All tuples of nodes of three graphs at once, as the search computes them, in nanoseconds a tuple: what a "
        "single call costs says little of the whole tensor, in which tuples share the inner products of pairs.",
    )
    decided = [above(ratio, 1.0) for ratio in ratios.values()]
    theirs = paper("rq6", "microseconds")
    sheet.finding(
        "all tuples of three graphs at once: s_AM takes longer than s, so many times",
        "; ".join(f"{ratio.mean:.2f} at {nodes} nodes a graph" for nodes, ratio in ratios.items()),
        theirs["s_AM"][0] / theirs["s"][0],
        "differs" if "differs" in decided else "undecided" if "undecided" in decided else "agrees",
        f"the paper's is of single calls; s is cheaper beyond chance on {decided.count('agrees')} of {len(decided)} "
        f"sizes, s_AM on {decided.count('differs')}",
    )


def above(ours: Estimate, limit: float) -> Verdict:
    """Whether a number lies above what the paper claims, by its interval.

    >>> above(Estimate(0.8, 0.76, 0.84, 10), 0.75), above(Estimate(0.8, 0.7, 0.9, 10), 0.75)
    ('agrees', 'undecided')
    """
    if ours.low is None or ours.high is None or ours.low <= limit <= ours.high:
        return "undecided"
    return "agrees" if ours.low > limit else "differs"


def _write_correlations(results: Results, sheet: Sheet) -> None:
    found = list(results.under("scores").values())
    least = float(paper("rq6", "least_correlation"))
    estimates = {name: Estimate.of([one["correlations"][name] for one in found]) for name in found[0]["correlations"]}
    sheet.table(
        "correlation",
        ("scoring function", "correlation with s", "paper"),
        [[TITLES[name], ours, None if name == "s_m" else f"> {least}"] for name, ours in estimates.items()],
        "Pearson's correlation with s on random triples of ReLU vectors; mean over draws.",
    )
    for name in ("s_AM", "s_GM"):
        ours = estimates[name]
        sheet.finding(f"correlation of {TITLES[name]} with s", ours, f"> {least}", above(ours, least))
    scores = next(one["scores"] for one in found if one["scores"])
    correlations = {name: pearson(scores["s"], scores[name]) for name in estimates}
    sheet.figure(
        "scatter",
        draw_scatter(scores, correlations),
        "Each alternative against s on random triples of ReLU vectors, first draw.",
    )


def _by_set(results: Results) -> dict[str, list[Any]]:
    names = dict.fromkeys(key[1] for key in results if key[0] == "walk")
    return {name: list(results.under("walk", name).values()) for name in names}


def _write_mask(results: Results, sheet: Sheet) -> None:
    rows: list[list[Any]] = []
    for name, found in _by_set(results).items():
        on, off = ([one["variants"][f"mask {word}"] for one in found] for word in ("on", "off"))
        pairs = [(a, b) for a, b in zip(on, off, strict=True) if a["accuracy"] is not None]
        if not pairs:
            continue
        gain = Estimate.of([a["accuracy"] - b["accuracy"] for a, b in pairs])
        ratio = Estimate.bootstrap([b["seconds"] / a["seconds"] for a, b in pairs])
        left = Estimate.of_shares([share for one in found for share in one["shares_left"]])
        means = [Estimate.of_shares([one["accuracy"] for one in side]) for side in zip(*pairs, strict=True)]
        rows.append([SETS[name].title, *means, gain, left, ratio])
        title = SETS[name].title
        sheet.finding(f"{title}: accuracy with the feature mask less that without", gain, "not lower", _not_lower(gain))
        sheet.finding(
            f"{title}: the search without the mask takes longer, so many times",
            ratio,
            f"substantially: {SUBSTANTIALLY}",
            above(ratio, SUBSTANTIALLY),
            "the number is our reading",
        )
    columns = ("data set", "accuracy, on", "accuracy, off", "gain", "tuples left", "time off over on")
    sheet.table(
        "mask",
        columns,
        rows,
        "The walk with and without the mask of tuples whose features differ: accuracy, the share of tuples that it "
        "leaves, and the time of the search (median of the ratios). The limit of nodes is what the graphs have in "
        "common, with the same rule.",
    )
    sheet.figure(
        "mask-on-and-off", draw_mask(rows), "Accuracy with and without the feature mask, and what leaving it out costs."
    )


def _not_lower(gain: Estimate) -> Verdict:
    """The paper says that nothing is lost: refuted by a loss that is no chance, confirmed by nothing but a gain."""
    if gain.high is not None and gain.high < 0:
        return "differs"
    return "agrees" if gain.low is not None and gain.low >= 0 else "undecided"


def _write_mean_vector(results: Results, sheet: Sheet) -> None:
    rows: list[list[Any]] = []
    for name, found in _by_set(results).items():
        pairs = [(one["variants"]["mask on"], one["variants"]["mean vector"]) for one in found]
        pairs = [pair for pair in pairs if pair[0]["accuracy"] is not None]
        if not pairs:
            continue
        sides = [[one["accuracy"] for one in side] for side in zip(*pairs, strict=True)]
        estimates = [Estimate.of(values) for values in sides]
        rows.append([SETS[name].title, *estimates, *(_spread(values) for values in sides)])
    sheet.table(
        "mean-vector",
        ("data set", "accuracy, s", "accuracy, mean vector", "spread, s", "spread, mean vector"),
        rows,
        "The walk with s and with the variant on the mean vector; the spread is the standard deviation over seeds.",
    )
    wider = sum(1 for row in rows if row[3] is not None and row[4] > row[3])
    sheet.finding(
        "the walk is less stable with the variant on the mean vector (a wider spread over seeds)",
        f"on {wider} of {len(rows)} data sets",
        "less stable",
        "not comparable",
        "the paper does not say by which measure",
    )


def _spread(values: list[float]) -> float | None:
    return stdev(values) if len(values) > 1 else None


def draw_scatter(scores: dict[str, list[float]], correlations: dict[str, float]) -> "Figure":
    """Each alternative against s."""
    figure, axes = charts.new_figure(8.4, 2.9, columns=3, sharey=True)
    for one, (name, value) in zip(axes, correlations.items(), strict=True):
        one.scatter(scores[name], scores["s"], s=7, color=charts.COLOURS["walk"], alpha=0.35, linewidths=0)
        one.set(xlabel=TITLES[name])
        one.annotate(rf"$\rho$ = {value:.3f}", (0.04, 0.95), xycoords="axes fraction", va="top", fontsize=10.5)
    axes[0].set(ylabel="s")
    return figure


def draw_growth(taken: dict[int, dict[str, list[float]]]) -> "Figure":
    """Time of a call over that of s, against k."""
    figure, axes = charts.new_figure(5.2, 3.2)
    colours = {"s": "#7F7F7F", "s_AM": "#0072B2", "s_GM": "#009E73", "s_m": "#D55E00"}
    marks = {"s": None, "s_AM": "o", "s_GM": "s", "s_m": "^"}
    ks = sorted(taken)
    for name, colour in colours.items():
        ratios = [_ratios(taken[k], name).mean for k in ks]
        axes.plot(ks, ratios, color=colour, marker=marks[name], markersize=4.5, linewidth=1.6, label=TITLES[name])
    axes.set(xlabel="k, number of vectors", ylabel="time of a call, s = 1", xticks=ks, ylim=(0, None))
    charts.legend(axes, loc="best")
    return figure


def draw_mask(rows: list[list[Any]]) -> "Figure":
    """Accuracy on and off, joined by a line, and the ratio of times beside."""
    figure, (left, right) = charts.new_figure(8.0, 0.9 + 0.42 * max(2, len(rows)), columns=2, sharey=True)
    for height, (_, on, off, _, _, ratio) in enumerate(reversed(rows)):
        left.plot([on.mean, off.mean], [height, height], color=charts.GRID, linewidth=3, zorder=1)
        left.scatter(
            [on.mean], [height], color=charts.COLOURS["walk"], s=44, zorder=3, label="on" if not height else ""
        )
        style = {"facecolors": "white", "edgecolors": charts.COLOURS["walk"], "linewidths": 1.5}
        left.scatter([off.mean], [height], s=44, zorder=2, label="off" if not height else "", **style)
        right.barh(height, ratio.mean, height=0.5, color=charts.COLOURS["walk"], alpha=0.85)
        right.text(ratio.mean, height, f" {ratio.mean:.1f}", va="center", fontsize=9, color=charts.INK)
    left.set(yticks=range(len(rows)), yticklabels=[row[0] for row in reversed(rows)], xlim=(0, 1), xlabel="accuracy")
    right.axvline(1, color=charts.MUTED, linewidth=1)
    right.set(xlabel="time of the search without the mask, with it = 1")
    charts.legend(left, loc="lower right", title="mask", title_fontsize=8.5)
    return figure


ITEM = Item(
    name="rq6",
    title="The scoring function and the feature mask",
    question="Is the paper's scoring function cheaper than means of inner products of pairs, and does it say the same? "
    "Does leaving out tuples of nodes whose features differ save time, and does it cost accuracy?",
    cells=cells,
    write=write,
)
