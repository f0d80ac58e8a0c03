"""RQ1: prototypes of each explainer beside the ground truth, in pictures and in what they contain."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import fmean
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from protograph.datasets.files import DataFiles
from protograph.datasets.mnist_sp import FILES, LEVELS, SIDE, SIZES
from research.paper.drawings import COLOURS, gallery, kinds_record, new_figure, picture, undirected
from research.paper.estimates import Estimate, above, mean_of, mostly, share_mean, share_of, verdict
from research.paper.lab import IN_PAPER, TITLES, Lab, ModelSpec
from research.paper.runs import Cell, Item, Results
from research.paper.settings import SETS, WITH_TRUTH, Settings, title_of
from research.paper.sheet import Sheet
from research.paper.truths import RING, TRUTHS, class_record, has_whole, paper

METHODS = ("walk", "page", "xgnn", "gnninterpreter")
# The one class of the digits that the paper shows, on the first seed.
DIGITS, DIGIT = "mnist-sp", 0
# A generator is at its best where a prototype of it reaches this probability, on this share of seeds of these sets.
SURE, LEAST_SHARE = 0.9, 0.8
LIMITED, GENERATORS = ("ba-house", "mutagenicity"), ("xgnn", "gnninterpreter")

Prototypes = Sequence[dict[str, Any]]
Measure = Callable[[Prototypes, Sequence[str]], float]


def cells(settings: Settings) -> list[Cell]:
    """One for each data set, explainer and seed; of the digits one seed, as only pictures are made of them."""
    return [
        Cell(
            key=(name, method, f"seed {seed}"),
            compute=partial(measure_digit if name == DIGITS else measure, name=name, method=method, seed=seed),
            options={"stride": settings.stride(name)},
            needs=[ModelSpec(name, seed)],
        )
        for name in settings.sets((*WITH_TRUTH, DIGITS))
        for method in METHODS
        for seed in (settings.seeds[:1] if name == DIGITS else settings.fewer(settings.seeds))
    ]


def measure(lab: Lab, name: str, method: str, seed: int) -> dict[str, Any]:
    """The prototypes of every class with a ground truth."""
    data, graphs = lab.data(name, seed), lab.train_graphs(name, seed)
    found = lab.explained(name, method, seed).explanations
    classes = {str(target): class_record(found.get(target), data, target, graphs) for target in SETS[name].targets}
    return {"kinds": kinds_record(data), "classes": classes}


def measure_digit(lab: Lab, name: str, method: str, seed: int) -> dict[str, Any]:
    """The prototypes of one digit, with the image that each was cut from."""
    graphs = lab.train_graphs(name, seed)
    explanation = lab.explained(name, method, seed).explanations.get(DIGIT)
    records = []
    for one in explanation.prototypes if explanation else ():
        record: dict[str, Any] = {"num_nodes": one.num_nodes, "edges": undirected(one.graph)}
        source = None if one.source is None else explanation.source_graphs[one.source]
        if source is not None and source.get("pos") is not None:
            record["places"] = source.pos[list(one.nodes)].tolist()
            record["levels"] = source.x[list(one.nodes), : len(LEVELS)].argmax(dim=1).tolist()
            if graphs.origins is not None:
                record["pixels"] = pixels_of(graphs.origins.of(one.source).position, lab.settings)
        records.append(record)
    accuracy = lab.model(ModelSpec(name, seed)).test_accuracy
    return {"num_train": len(graphs), "test_accuracy": accuracy, "prototypes": records}


def pixels_of(position: int, settings: Settings) -> list[list[int]]:
    """The image that a graph of the whole data set was built from, rows from the top."""
    file, number = (FILES[0], position) if position < SIZES["train"] else (FILES[2], position - SIZES["train"])
    content = DataFiles(DIGITS, settings.data_root).read(file)
    images = np.frombuffer(content, np.uint8, offset=16).reshape(-1, SIDE, SIDE)  # behind the header of the idx format
    return images[number].tolist()


def write(results: Results, sheet: Sheet) -> None:
    """A figure a data set, and what the paper says of each explainer, counted over seeds."""
    names = [name for name in WITH_TRUTH if name in results.names()]
    for name in names:
        shown = {method: results[name, method, "seed 0"] for method in METHODS}
        caption = (
            f"{title_of(name)}, seed 0: prototypes of each explainer beside the ground truth. Underlaid in yellow "
        )
        caption += "is what of a prototype corresponds to the truth that it is held against."
        sheet.figure(f"prototypes-{name}", draw_prototypes(name, shown), caption)
    if names:
        write_claims(results, names, sheet)
        write_certainty(results, names, sheet)
    if DIGITS in results.names():
        write_digits({method: results[DIGITS, method, "seed 0"] for method in METHODS}, sheet)


def draw_prototypes(name: str, shown: dict[str, Any]) -> Figure:
    """The prototypes of one seed, a column an explainer, the best first, below each other the classes."""
    first, rows = next(iter(shown.values())), []
    for target, of_class in first["classes"].items():
        titles = TRUTHS[name, int(target)]
        columns: list[list[Any]] = [
            [picture(one, title) for one, title in zip(of_class["truths"], titles, strict=True)]
        ]
        for one in shown.values():
            found = one["classes"][target]["prototypes"]
            captions = [
                f"p = {p['probability']:.3f}, accuracy {p['accuracy']:.2f} ({titles[p['truth']]})" for p in found
            ]
            columns.append([picture(p["graph"], text, p["part"]) for p, text in zip(found, captions, strict=True)])
        for number in range(max(map(len, columns))):
            cells_of_row = [column[number] if number < len(column) else "" for column in columns]
            rows.append((f"class {target}: {of_class['name']}", cells_of_row))
    columns_of = ["ground truth", *(TITLES[method] for method in shown)]
    return gallery(f"{title_of(name)}: prototypes beside the ground truth", columns_of, rows, first["kinds"])


@dataclass(frozen=True, eq=False)
class Claim:
    """A sentence of the paper on the prototypes of a class.

    Attributes:
        name: The data set.
        target: The class.
        words: What is counted or measured.
        measure: Of the prototypes of one seed, and the names of kinds.
        pictured: What the paper's picture shows of each explainer; empty where it says "more" or "less", and a number
            is measured rather than a yes or no.
    """

    name: str
    target: int
    words: str
    measure: Measure
    pictured: dict[str, bool] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{title_of(self.name, self.target)}: {self.words}"

    def estimate(self, values: Sequence[float]) -> Estimate | None:
        """Over seeds."""
        if self.pictured:
            return share_of(int(sum(values)), len(values))
        return mean_of(values, least=0.0) if max(values, default=0) > 1 else share_mean(values)


def has(motif: str) -> Measure:
    """1 where some prototype has the whole motif."""
    return lambda prototypes, kinds: float(has_whole(prototypes, motif))


def tells_apart(prototypes: Prototypes, kinds: Sequence[str]) -> float:
    """1 where one prototype has two houses and another one house alone."""
    doubles = [has_whole([one], "two houses") for one in prototypes]
    singles = [has_whole([one], "house") for one in prototypes]
    return float(any(doubles) and any(one and not two for one, two in zip(singles, doubles, strict=True)))


def all_have(motif: str) -> Measure:
    """1 where every prototype has the whole motif, and there is one."""
    return lambda prototypes, kinds: float(bool(prototypes) and all(has_whole([one], motif) for one in prototypes))


def of_each(value: Callable[[dict[str, Any], Sequence[str]], float]) -> Measure:
    """The mean of a value of each prototype; 0 without prototypes."""
    return lambda prototypes, kinds: fmean([value(one, kinds) for one in prototypes] or [0.0])


def carbon_share(one: dict[str, Any], kinds: Sequence[str]) -> float:
    """Share of carbons among the atoms of a prototype."""
    return one["graph"]["kinds"].count(list(kinds).index("C")) / len(one["graph"]["kinds"])


def has_open_carbons(prototypes: Prototypes, kinds: Sequence[str]) -> float:
    """1 where some prototype has six carbons, or more, and no ring of six."""
    carbon = list(kinds).index("C")
    return float(any(one["graph"]["kinds"].count(carbon) >= 6 and one["motifs"][RING] < 1 for one in prototypes))


ONLY_PAGE, BOTH = {"PAGE": True, "XGNN": False}, {"PAGE": True, "XGNN": True}
CLAIMS = (
    Claim("ba-house", 1, "a prototype has a whole house", has("house"), ONLY_PAGE),
    Claim("ba-house", 1, "one prototype has one house, another two", tells_apart, ONLY_PAGE),
    Claim("ba-grid", 1, "share of the grid that is found", of_each(lambda one, kinds: one["motifs"]["grid"])),
    Claim(
        *("ba-grid", 1, "a prototype has at least 8 of the grid's 12 edges"),
        lambda prototypes, kinds: float(any(len(one["part"]["edges"]) >= 8 for one in prototypes)),
        ONLY_PAGE,
    ),
    Claim("benzene", 1, "a prototype has a six-carbon ring", has(RING), ONLY_PAGE),
    Claim("benzene", 1, "a prototype has six carbons that close no ring", has_open_carbons, {"XGNN": True}),
    Claim("mutagenicity", 0, "a prototype has a six-carbon ring", has(RING), ONLY_PAGE),
    Claim("mutagenicity", 0, "a prototype has NO2", has("NO2"), BOTH),
    Claim("mutagenicity", 0, "nodes of a prototype", of_each(lambda one, kinds: len(one["graph"]["kinds"]))),
    Claim("solubility", 0, "share of carbons among the atoms", of_each(carbon_share)),
    Claim(
        *("solubility", 0, "most atoms are carbons"),
        lambda prototypes, kinds: float(of_each(carbon_share)(prototypes, kinds) > 0.5),
        BOTH,
    ),
    Claim("solubility", 0, "a prototype has a six-carbon ring", has(RING), ONLY_PAGE),
    Claim("solubility", 1, "every prototype has R-OH (C-O)", all_have("R-OH"), ONLY_PAGE),
)


def values_of(results: Results, claim: Claim, method: str) -> list[float]:
    """One a seed."""
    seeds = results.seeds(claim.name, method)
    return [claim.measure(one["classes"][str(claim.target)]["prototypes"], one["kinds"]["names"]) for one in seeds]


def write_claims(results: Results, names: Sequence[str], sheet: Sheet) -> None:
    """A table of all claims and explainers, and a finding for each that the paper states."""
    claims = [claim for claim in CLAIMS if claim.name in names]
    rows: list[list[Any]] = []
    for claim in claims:
        values = {method: values_of(results, claim, method) for method in METHODS}
        shown = {True: "yes", False: "no", None: None}
        pictured = [shown[claim.pictured.get(who)] for who in ("PAGE", "XGNN")]
        rows.append([str(claim), *pictured, *(claim.estimate(own) for own in values.values())])
        if not claim.pictured:
            gap = mean_of([ours - theirs for ours, theirs in zip(values["walk"], values["xgnn"], strict=True)])
            sheet.finding(f"{claim}: PAGE (walk) less XGNN", gap, "above 0", above(gap))
        for method, who in IN_PAPER.items():
            if who in claim.pictured:
                ours, is_shown = claim.estimate(values[method]), claim.pictured[who]
                decided = mostly(ours, is_shown)
                sheet.finding(f"{claim}: {TITLES[method]}", ours, shown[is_shown], decided, "share of seeds")
    sheet.table(
        "claims",
        ("claim", "paper: PAGE", "paper: XGNN", *(TITLES[method] for method in METHODS)),
        rows,
        "What the prototypes of each explainer have, as a share of seeds; other shares, and sizes, are means. Of the "
        "paper: what its one picture shows.",
    )
    if "ba-house" in names:
        of_nodes, theirs = paper("rq1", "house_nodes"), paper("rq1", "xgnn_house_nodes")
        share = of_each(lambda one, kinds: len(one["part"]["nodes"]) / (of_nodes * (1 + one["truth"])))
        ours = share_mean(values_of(results, Claim("ba-house", 1, "", share), "xgnn"))
        decided = verdict(ours, theirs / of_nodes, larger_is_better=True)
        note = "in the paper's picture; of two houses where it is nearer to these"
        sheet.finding("BA-house: share of the house's nodes that XGNN finds", ours, theirs / of_nodes, decided, note)
    for method in METHODS:  # the paper's summary
        whole = [
            any(has_whole(of_class["prototypes"], motif) for motif in TRUTHS[name, int(target)])
            for name in names
            for one in results.seeds(name, method)
            for target, of_class in one["classes"].items()
        ]
        ours, who = share_of(sum(whole), len(whole)), IN_PAPER.get(method)
        sheet.finding(
            f"all data sets: a prototype has an entire ground truth, {TITLES[method]}",
            ours,
            {"PAGE": "a high similarity", "XGNN": "mostly not"}[who] if who else None,
            mostly(ours, is_claimed=who == "PAGE") if who else "not comparable",
            "share of classes and seeds",
        )


def write_certainty(results: Results, names: Sequence[str], sheet: Sheet) -> None:
    """The share of seeds with a prototype that the model is sure of, and what we want of the generators."""
    rows = []
    for name, target in [case for case in TRUTHS if case[0] in names]:
        shares = []
        for method in METHODS:
            seeds = [one["classes"][str(target)]["prototypes"] for one in results.seeds(name, method)]
            is_sure = [any(one["probability"] >= SURE for one in prototypes) for prototypes in seeds]
            shares.append(share_of(sum(is_sure), len(is_sure)))
            if method in GENERATORS and name in LIMITED:
                claim = f"{title_of(name, target)}: share of seeds with p >= {SURE}, {TITLES[method]}"
                sheet.limit(claim, shares[-1], LEAST_SHARE, "else our implementation is not at its best")
        rows.append([title_of(name), str(target), *shares])
    sheet.table(
        "certainty",
        ("data set", "class", *(TITLES[method] for method in METHODS)),
        rows,
        f"Share of seeds with a prototype of which the model says p >= {SURE}. It says nothing of whether it is right: "
        "generated graphs that look like no graph of the class get there too.",
    )


def write_digits(digits: dict[str, Any], sheet: Sheet) -> None:
    """Prototypes over the image, and how many nodes they have: the paper's XGNN makes too few to show the digit."""
    facts = digits["walk"]
    sheet.figure(
        f"prototypes-{DIGITS}",
        draw_digits(digits),
        f"{title_of(DIGITS)}, class {DIGIT}, seed 0: prototypes over the image or the superpixels that they were cut "
        f"from. The model was trained on {facts['num_train']:,} graphs and has a test accuracy of "
        f"{facts['test_accuracy']:.3f}.",
    )
    sizes = {method: [one["num_nodes"] for one in own["prototypes"]] for method, own in digits.items()}
    is_more = bool(sizes["walk"] and sizes["xgnn"] and min(sizes["walk"]) > max(sizes["xgnn"]))
    sheet.finding(
        "MNIST-sp, class 0: nodes of the prototypes, PAGE's more than XGNN's",
        "; ".join(f"{TITLES[method]}: {', '.join(map(str, own)) or 'none'}" for method, own in sizes.items()),
        "PAGE shows the digit, XGNN has too few nodes",
        "agrees" if is_more else "differs",
        "XGNN is given at most 13 nodes here",
    )


def draw_digits(digits: dict[str, Any]) -> Figure:
    """The prototypes of each explainer that cuts them from images, one below the other."""
    columns = {method: [p for p in own["prototypes"] if "places" in p] for method, own in digits.items()}
    columns = {method: own for method, own in columns.items() if own}
    height = max(map(len, columns.values()), default=1)
    figure, axes = new_figure(2.2 * max(1, len(columns)), 2.2 * height, height, max(1, len(columns)))
    for one in axes.flat:
        one.set_axis_off()
    for number, (method, prototypes) in enumerate(columns.items()):
        axes[0, number].set_title(TITLES[method], fontsize=9)
        for one, record in zip(axes[:, number], prototypes, strict=False):
            places = np.array(record["places"])
            if "pixels" in record:
                one.imshow(record["pixels"], extent=(-0.5, SIDE - 0.5, -0.5, SIDE - 0.5), cmap="gray")
            one.scatter(*places.T, s=30, c=record["levels"], cmap="gray", edgecolors=COLOURS["page"])
            for u, v in record["edges"]:
                one.plot(*places[[u, v]].T, color=COLOURS["page"], linewidth=0.7)
            one.set(xlim=(-0.5, SIDE - 0.5), ylim=(-0.5, SIDE - 0.5), aspect="equal")
    return figure


ITEM = Item(
    name="rq1",
    title="What the prototypes look like",
    question="Do the prototypes of PAGE look like the ground truth, and those of the other explainers?",
    cells=cells,
    write=write,
)
