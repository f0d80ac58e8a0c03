"""RQ1: prototypes of each explainer beside the ground truth, in pictures and in what they contain."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from research.paper.digits import DIGITS, digit_figure, digit_record, pixels_of
from research.paper.drawings import graph_of, kinds_record, palette_of_records, side_by_side
from research.paper.gallery import Picture, Row, gallery
from research.paper.item import Cell, Item, Need, Results
from research.paper.items.rq1_certainty import write_certainty
from research.paper.items.rq1_claims import write_claims, write_digits
from research.paper.lab import Lab
from research.paper.methods import TITLES
from research.paper.motifs import TRUTHS
from research.paper.prototype_records import explanation_records, truth_records
from research.paper.sets import SETS, stride_of
from research.paper.settings import Settings
from research.paper.sheet import Sheet

NAMES = ("ba-house", "ba-grid", "benzene", "mutagenicity", "solubility")
METHODS = ("walk", "page", "xgnn", "gnninterpreter")
# About how long explaining one class takes on one core; what other items have asked for is there already.
SECONDS = {"walk": 1.0, "page": 3.0, "xgnn": 15.0, "gnninterpreter": 12.0}
# The one class of the digits that the paper shows, on the first seed.
DIGIT = 0


def cells(settings: Settings) -> list[Cell]:
    """One for each data set, explainer and seed; of the digits one seed, as only pictures are made of them."""
    return [
        Cell(
            key=(name, method, f"seed {seed}"),
            compute=partial(measure_digit if name == DIGITS else measure, name=name, method=method, seed=seed),
            made_from={"stride": stride_of(name, settings)},
            needs=(Need("model", name, seed),),
            seconds=SECONDS[method] * len(SETS[name].targets),
        )
        for name in settings.sets((*NAMES, DIGITS))
        for method in METHODS
        for seed in (settings.seeds[:1] if name == DIGITS else settings.fewer(settings.seeds))
    ]


def measure(lab: Lab, name: str, method: str, seed: int) -> dict[str, Any]:
    """The prototypes of every class with a ground truth."""
    data, kept = lab.data(name, seed), lab.model(name, seed)
    explanations = lab.explained(name, method, seed).explanations
    graphs = data[kept.train]
    return {
        "kinds": kinds_record(data),
        "classes": {
            str(target): {
                "name": data.class_names[target],
                "truths": truth_records(data, target),
                "prototypes": explanation_records(explanations[target], data, graphs) if target in explanations else [],
            }
            for target in SETS[name].targets
        },
    }


def measure_digit(lab: Lab, name: str, method: str, seed: int) -> dict[str, Any]:
    """The prototypes of one digit, with the image that each was cut from."""
    data, kept = lab.data(name, seed), lab.model(name, seed)
    shown = lab.explained(name, method, seed).explanations.get(DIGIT)
    origins = data[kept.train].origins

    def pixels(index: int) -> list[list[int]] | None:
        return None if origins is None else pixels_of(data.source, origins.of(index).position, lab.settings.data_root)

    return {
        "num_train": len(kept.train),
        "test_accuracy": kept.test_accuracy,
        "prototypes": [digit_record(prototype, shown, pixels) for prototype in shown.prototypes] if shown else [],
    }


def write(results: Results, sheet: Sheet) -> None:
    """A figure a data set, and what the paper says of each explainer, counted over seeds."""
    first = f"seed {results.settings.seeds[0]}"
    for name in NAMES:
        shown = {method: results[name, method, first] for method in METHODS if (name, method, first) in results}
        if shown:
            sheet.figure(f"prototypes-{name}", figure(name, shown), _caption(name, first))
    measured = [name for name in NAMES if results.under(name)]
    if measured:
        write_claims(results, measured, METHODS, sheet)
        write_certainty(results, measured, METHODS, sheet)
    digits = {method: results[DIGITS, method, first] for method in METHODS if (DIGITS, method, first) in results}
    if digits:
        titles = {TITLES[method]: of_method["prototypes"] for method, of_method in digits.items()}
        sheet.figure(f"prototypes-{DIGITS}", digit_figure(titles, DIGIT), _digit_caption(digits, first))
        write_digits(digits, sheet)
    else:
        sheet.note(f"{SETS[DIGITS].title} was left out: asked for so, or the run is a quick one.")


def _caption(name: str, first: str) -> str:
    return (
        f"{SETS[name].title}, {first}: prototypes of each explainer beside the ground truth. Underlaid in yellow is "
        f"what of a prototype corresponds to the truth that it is held against."
    )


def _digit_caption(digits: dict[str, Any], first: str) -> str:
    facts = next(iter(digits.values()))
    return (
        f"{SETS[DIGITS].title}, class {DIGIT}, {first}: prototypes over the image that they were cut from, or over "
        f"its superpixels where images are not here; what was generated has only the cells of its nodes. The model "
        f"was trained on {facts['num_train']:,} graphs and has a test accuracy of {facts['test_accuracy']:.3f}."
    )


def figure(name: str, shown: dict[str, Any]) -> Any:
    """The prototypes of one seed, a column an explainer, the best first, below each other the classes."""
    of_first = next(iter(shown.values()))
    kinds, several = of_first["kinds"], len(of_first["classes"]) > 1
    rows: list[Row] = []
    records: list[Any] = []
    for target, of_class in of_first["classes"].items():
        titles = TRUTHS[name, int(target)]
        found = [of_method["classes"][target]["prototypes"] for of_method in shown.values()]
        records += [*of_class["truths"], *(one["graph"] for of_method in found for one in of_method)]
        height = max(1, *map(len, found))
        columns = [_truth_pictures(titles, of_class["truths"], kinds, height)]
        columns += [[_picture(one, titles, kinds) for one in of_method] for of_method in found]
        heading = f"Class {target}: {of_class['name']}" if several else ""
        rows += _rows(columns, heading)
    return gallery(
        f"{SETS[name].title}: prototypes beside the ground truth",
        ["ground truth", *(TITLES[method] for method in shown)],
        rows,
        palette_of_records(records, kinds),
        "Underlaid in yellow: what corresponds to the ground truth that it is held against, which is named where there "
        "are several.",
    )


def _truth_pictures(titles: Sequence[str], truths: Sequence[Any], kinds: dict[str, Any], most: int) -> list[Picture]:
    """The ground truths in at most so many pictures."""
    each = -(-len(truths) // most)
    return [
        Picture(
            graph=graph_of(side_by_side(truths[start : start + each]), kinds),
            caption="; ".join(titles[start : start + each]),
        )
        for start in range(0, len(truths), each)
    ]


def _picture(one: dict[str, Any], titles: Sequence[str], kinds: dict[str, Any]) -> Picture:
    """A prototype, with the truth that it is held against named where there are several."""
    of_truth = f" ({titles[one['truth']]})" if len(titles) > 1 else ""
    caption = f"p = {one['probability']:.3f}, accuracy {one['accuracy']:.2f}{of_truth}"
    return Picture(graph=graph_of(one["graph"], kinds), caption=caption, part=one["part"])


def _rows(columns: Sequence[Sequence[Picture]], heading: str) -> list[Row]:
    """Columns of different heights as rows, with words where an explainer found nothing at all."""
    height = max(len(column) for column in columns)
    return [
        Row(
            cells=[
                column[number] if number < len(column) else ("" if column or number else "nothing found")
                for column in columns
            ],
            heading=heading if number == 0 else "",
        )
        for number in range(height)
    ]


ITEM = Item(
    name="rq1",
    title="What the prototypes look like",
    question="Do the prototypes of PAGE look like the ground truth, and those of the other explainers?",
    cells=cells,
    write=write,
)
