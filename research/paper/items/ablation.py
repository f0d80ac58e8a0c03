"""What each option of the walk and each step of our own search is for; other models; random weights."""

import warnings
from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from protograph._base.errors import ProtographWarning
from protograph._base.words import count_of
from protograph.metrics.sanity import sanity
from research.paper import charts
from research.paper.ablations import BASE, DEFAULT_VARIANTS, WALK_VALUES, variant_at, walk_variants
from research.paper.conv_nets import Conv, train_conv_net
from research.paper.findings import Estimate
from research.paper.item import JSON, Cell, Item, Need, Results
from research.paper.items.ablation_walk import accuracies, changes, differences, write_lever, write_sentences
from research.paper.lab import Lab
from research.paper.sets import SETS
from research.paper.settings import Settings
from research.paper.sheet import Sheet
from research.paper.variants import Variant, default_of, of_kept_model, outcomes, walk_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAMES = ("ba-house", "ba-grid", "solubility", "mutagenicity", "benzene")
SEARCHES = {"walk": walk_of, "default": default_of}
NETS: tuple[Conv, ...] = ("gin", "gat")
# Of what takes minutes a seed: training other models, and explaining random ones.
NUM_SEEDS = 3
# Graphs that random models are explained with: what they find does not get better with more.
NUM_GRAPHS = 1000


def variants_of(search: str, settings: Settings) -> list[Variant]:
    """The variants of a search; in a quick run a few."""
    if search == "walk":
        return walk_variants(1 if settings.is_quick else None)
    return list(DEFAULT_VARIANTS[:2] if settings.is_quick else DEFAULT_VARIANTS)


def cells(settings: Settings) -> list[Cell]:
    """All variants of a search on a model; models with other convolutions; models whose weights are randomised."""
    names, seeds = settings.sets(NAMES), settings.fewer(settings.seeds)
    few = settings.fewer(settings.seeds[:NUM_SEEDS])
    return [
        *(
            Cell(
                key=(search, name, f"seed {seed}"),
                compute=partial(_variants, search, name, seed),
                made_from={"variants": [one.name for one in variants_of(search, settings)]},
                needs=(Need("model", name, seed),),
                seconds=8.0 if search == "walk" else 15.0,
            )
            for search, name, seed in product(SEARCHES, names, seeds)
        ),
        *(
            Cell(key=("net", conv, name, f"seed {seed}"), compute=partial(_net, conv, name, seed), seconds=60.0)
            for conv, name, seed in product(settings.fewer(NETS), names, few)
        ),
        *(
            Cell(
                key=("weights", search, name, f"seed {seed}"),
                compute=partial(_random_weights, search, name, seed),
                needs=(Need("model", name, seed),),
                seconds=15.0,
            )
            for search, name, seed in product(settings.fewer(tuple(SEARCHES)), names, few)
        ),
    ]


def _variants(search: str, name: str, seed: int, lab: Lab) -> JSON:
    return of_kept_model(SEARCHES[search](seed), variants_of(search, lab.settings), name, seed, lab)


def _net(conv: Conv, name: str, seed: int, lab: Lab) -> JSON:
    data = lab.data(name, seed)
    trained = train_conv_net(
        data,
        conv=conv,
        hidden=data.hidden,
        random_state=seed,
        max_epochs=lab.settings.max_epochs,
        device=lab.settings.device,
        progress=lab.progress,
    )
    graphs, model = data[trained.split.train], trained.model.cpu()
    found = {
        search: outcomes(explainer(seed), [Variant(name=BASE)], model, graphs, data)[BASE]
        for search, explainer in SEARCHES.items()
    }
    return {"test_accuracy": trained.test_accuracy, "num_epochs": trained.num_epochs, **found}


def _random_weights(search: str, name: str, seed: int, lab: Lab) -> JSON:
    """Similarity of the explanation to the model's own, as module after module is randomised from the output down."""
    data, kept = lab.data(name, seed), lab.model(name, seed)
    graphs, target = data[kept.train[:NUM_GRAPHS]], next(iter(data.ground_truths))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ProtographWarning)
        explainer = SEARCHES[search](seed)
        if not (explainer.fit(kept.model, graphs).predictions_ == target).any():
            return []
        found = sanity(explainer, kept.model, graphs, target, random_state=seed)
    return [
        {"module": step.module, "similarity": None if np.isnan(step.similarity) else step.similarity}
        for step in found.steps
    ]


def write(results: Results, sheet: Sheet) -> None:
    """A table and a figure for each part."""
    for search in SEARCHES:
        found = _by_set(results, search)
        if search == "walk":
            _write_walk(found, sheet)
        else:
            _write_default(found, sheet)
    _write_nets(results, sheet)
    _write_weights(results, sheet)


def _by_set(results: Results, *start: str) -> dict[str, list[Any]]:
    """Results of the seeds of each data set."""
    found: dict[str, list[Any]] = {}
    for (name, _), one in results.under(*start).items():
        found.setdefault(name, []).append(one)
    return found


def _share(values: Sequence[float]) -> Estimate | None:
    """The mean of what lies between 0 and 1; ``None`` of nothing."""
    return Estimate.of_shares(values) if values else None


def _table(name: str, found: dict[str, list[Any]], title: str, caption: str, sheet: Sheet) -> None:
    variants = list(next(iter(found.values()))[0])
    rows: list[list[Any]] = []
    for variant in variants:
        each = [accuracies(seeds, variant) for seeds in found.values()]
        means = [float(np.mean(values)) for values in each if values]
        cells_of_row = [_share(values) for values in each]
        rows.append([variant, *cells_of_row, float(np.mean(means)) if means else None, changes(found, variant)])
    columns = (title, *(SETS[one].title for one in found), "mean", "changes beyond chance")
    sheet.table(name, columns, rows, caption)


def _write_walk(found: dict[str, list[Any]], sheet: Sheet) -> None:
    _table(
        "walk",
        found,
        "the walk",
        "Accuracy of the paper's search with one option changed: mean over seeds with its 95% interval. As it is: L "
        "= 2, k = 3, budget = 5, decay = 10, scores by the product, features must agree, starts differ, and as many "
        "nodes at most as the largest pattern has that the graphs have in common.",
        sheet,
    )
    sheet.figure(
        "walk-by-option",
        draw_walk(found),
        "Accuracy of the walk against each of its options; a ring marks what "
        "the paper sets (for the number of nodes, which it does not tell, our default).",
    )
    write_sentences(found, sheet)
    write_lever(found, sheet)


def _write_default(found: dict[str, list[Any]], sheet: Sheet) -> None:
    _table(
        "default",
        found,
        "without",
        "Accuracy of our default with one step left out, for every row of the table in docs/method.md and two more: "
        "mean over seeds with its 95% interval.",
        sheet,
    )
    sheet.figure(
        "default-by-step",
        draw_default(found),
        "What is lost (orange) or gained (purple) in accuracy without each "
        "step; mean over seeds, bold where it is beyond chance.",
    )


def _seeds_in_words(results: Results, part: str) -> str:
    return count_of(len({key[-1] for key in results if key[0] == part}), "seed")


def _write_nets(results: Results, sheet: Sheet) -> None:
    rows: list[list[Any]] = []
    for conv in dict.fromkeys(key[1] for key in results if key[0] == "net"):
        for name, seeds in _by_set(results, "net", conv).items():
            gcn = [accuracies(_by_set(results, search)[name], BASE) for search in SEARCHES]
            own = [[one[search]["accuracy"] for one in seeds] for search in SEARCHES]
            kept = [[value for value in values if value is not None] for values in own]
            tested = _share([one["test_accuracy"] for one in seeds])
            pairs = [value for both in zip(kept, gcn, strict=True) for value in both]
            rows.append([conv.upper(), SETS[name].title, tested, *map(_share, pairs)])
    sheet.table(
        "nets",
        ("model", "data set", "test accuracy", "walk", "walk on GCN", "default", "default on GCN"),
        rows,
        "Accuracy of prototypes for models with other convolutions, trained as the paper's GCN is: "
        f"{_seeds_in_words(results, 'net')}, beside those of the GCN with all seeds.",
    )


def _write_weights(results: Results, sheet: Sheet) -> None:
    rows: list[list[Any]] = []
    for search in dict.fromkeys(key[1] for key in results if key[0] == "weights"):
        for name, seeds in _by_set(results, "weights", search).items():
            steps = [one for one in seeds if one]
            last = [one[-1]["similarity"] for one in steps if one[-1]["similarity"] is not None]
            first = [one[0]["similarity"] for one in steps if one[0]["similarity"] is not None]
            rows.append(
                [
                    search,
                    SETS[name].title,
                    _share(first),
                    _share(last),
                    sum(one[-1]["similarity"] is None for one in steps),
                ]
            )
    sheet.table(
        "random-weights",
        ("search", "data set", "head random", "all random", "seeds without explanation"),
        rows,
        "Similarity of the prototypes to those of the trained model, as weights are randomised from the output down "
        "(1: the same graphs). An explanation that stays the same does not come of what the model has learned. "
        f"On {_seeds_in_words(results, 'weights')}, so that intervals are wide.",
    )


def draw_walk(found: dict[str, list[Any]]) -> "Figure":
    """A panel for each option, a line for each data set."""
    present = next(iter(found.values()))[0]
    figure, axes = charts.new_figure(10.5, 4.6, columns=4, rows=2, sharey=True)
    for one, (option, values) in zip(axes.flat, WALK_VALUES.items(), strict=True):
        shown = [value for value in values if variant_at(option, value) in present]
        for colour, (name, seeds) in zip(charts.SERIES, found.items(), strict=False):
            means = [float(np.mean(accuracies(seeds, variant_at(option, value)) or [np.nan])) for value in shown]
            one.plot(
                range(len(shown)),
                means,
                color=colour,
                linewidth=1.5,
                marker="o",
                markersize=3.5,
                label=SETS[name].title,
            )
            at = next(number for number, value in enumerate(shown) if variant_at(option, value) == BASE)
            one.plot([at], [means[at]], marker="o", markersize=8, markerfacecolor="none", color=colour)
        one.set_xticks(range(len(shown)), shown, rotation=20 if option == "scoring" else 0)
        one.set_title(option, loc="left")
        one.set(ylim=(0, 1))
    for row in axes:
        row[0].set(ylabel="accuracy")
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False, fontsize=9)
    return figure


def draw_default(found: dict[str, list[Any]]) -> "Figure":
    """A table of coloured differences: steps by data sets."""
    variants = [name for name in next(iter(found.values()))[0] if name != BASE]
    gains = np.array([[np.mean(differences(seeds, one) or [0.0]) for seeds in found.values()] for one in variants])
    figure, axes = charts.new_figure(7.6, 0.8 + 0.34 * len(variants))
    axes.imshow(gains, cmap="PuOr", vmin=-0.6, vmax=0.6, aspect="auto")
    for row, variant in enumerate(variants):
        for column, (name, seeds) in enumerate(found.items()):
            value, told = gains[row, column], changes({name: seeds}, variant)
            axes.text(
                column,
                row,
                f"{value:+.2f}" if abs(value) >= 0.005 else "0",
                ha="center",
                va="center",
                fontsize=9,
                color="white" if abs(value) > 0.4 else charts.INK,
                fontweight="bold" if told else "normal",
            )
    axes.set_xticks(range(len(found)), [SETS[name].title for name in found])
    axes.set_yticks(range(len(variants)), variants)
    axes.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    return figure


ITEM = Item(
    name="ablation",
    title="What each option and each step is for",
    question="How do the walk's options and the steps of our own search change what is found? Does it depend on the "
    "paper's kind of model, and does it come of what the model has learned?",
    cells=cells,
    write=write,
)
