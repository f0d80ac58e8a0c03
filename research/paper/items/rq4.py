"""RQ4: do instance-level explanations of the walk's prototypes point at the ground truth?"""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from torch_geometric.data import Data

from protograph.datasets import GraphDataset
from protograph.metrics.attribution import Method, attribute, auroc, concentration, relative_gain
from protograph.training import GCN
from protograph.training.training import seeded_gcn, seeds_of
from research.paper.drawings import graph_of, kinds_record, palette_of_records
from research.paper.findings import Estimate, verdict
from research.paper.gallery import Picture, Row, gallery
from research.paper.item import Cell, Item, Need, Results
from research.paper.items.rq4_claims import FIGURES, METHODS, of_seeds, write_pairs, write_signs
from research.paper.lab import Lab
from research.paper.motifs import TRUTHS
from research.paper.paper import paper
from research.paper.prototype_records import explanation_records
from research.paper.sets import SETS
from research.paper.sets import seeds_of as seeds_of_set
from research.paper.settings import Settings
from research.paper.sheet import Sheet

NAMES = ("ba-house", "benzene", "ba-grid", "solubility", "mutagenicity")
# Steps of GNNExplainer, PyG's default; a quick run only shows that it works.
NUM_EPOCHS, QUICK_EPOCHS = 100, 3
DECIMALS = 9


def cells(settings: Settings) -> list[Cell]:
    """One for each data set and seed."""
    return [
        Cell(
            key=(name, f"seed {seed}"),
            compute=partial(measure, name=name, seed=seed),
            made_from={"num_epochs": _num_epochs(settings)},
            needs=(Need("model", name, seed),),
            seconds=6,
        )
        for name in settings.sets(NAMES)
        for seed in settings.fewer(seeds_of_set(name, settings))
    ]


def _num_epochs(settings: Settings) -> int:
    return QUICK_EPOCHS if settings.is_quick else NUM_EPOCHS


def measure(lab: Lab, name: str, seed: int) -> dict[str, Any]:
    """Attributions to the nodes of each of the walk's prototypes, by the model and by the one before training."""
    data, kept = lab.data(name, seed), lab.model(name, seed)
    explanations = lab.explained(name, "walk", seed).explanations
    models = {"trained": kept.model, "initial": initial_model(data, kept.model, seed)}
    classes = {}
    for target in SETS[name].targets:
        if target not in explanations:
            continue
        records = explanation_records(explanations[target], data, data[kept.train])
        for record, prototype in zip(records, explanations[target].prototypes, strict=True):
            record["methods"] = attributions(models, prototype.graph, target, _num_epochs(lab.settings), seed)
            record["figures"] = {method: figures_of(record, method) for method in METHODS}
        classes[str(target)] = records
    return {"kinds": kinds_record(data), "classes": classes}


def initial_model(data: GraphDataset, model: GCN, seed: int) -> GCN:
    """The model as it was before training with that seed."""
    return seeded_gcn(data, model.num_features, model.num_classes, model.hidden, seeds_of(seed).weights).eval()


def attributions(
    models: dict[str, GCN], graph: Data, target: int, num_epochs: int, seed: int
) -> dict[str, dict[str, list[float]]]:
    """Share of each node in the attribution, by method and model."""
    return {
        method: {
            name: attribute(
                model, graph, target, method, num_epochs=num_epochs, random_state=seed, return_type="raw"
            ).tolist()
            for name, model in models.items()
        }
        for method in METHODS
    }


def figures_of(record: dict[str, Any], method: str) -> dict[str, float | None]:
    """The paper's three figures of a prototype, and the share of its nodes that belong to the truth.

    ``None`` stands for an AUROC or a gain that is not defined: where all nodes belong to the truth, or none.
    """
    num_nodes, own = len(record["graph"]["kinds"]), set(record["part"]["nodes"])
    mask = [node in own for node in range(num_nodes)]
    shares = {name: torch.tensor(values, dtype=torch.double) for name, values in record["methods"][method].items()}
    alpha, before = (concentration(shares[name], mask) for name in ("trained", "initial"))
    figures = {"alpha": alpha, "beta": relative_gain(alpha, before), "auroc": auroc(shares["trained"], mask)}
    # Rounded, so that the gain of a perfect prototype is 0 and has no sign.
    known = {name: round(value, DECIMALS) if math.isfinite(value) else None for name, value in figures.items()}
    return {**known, "initial_alpha": before, "truth_share": len(own) / num_nodes}


def means(results: Results, name: str, target: int, method: str) -> dict[str, list[float]]:
    """For each figure the mean over a seed's prototypes, of the seeds where it is defined."""
    figures = (*FIGURES, "truth_share")
    return {figure: list(of_seeds(results, name, target, method, figure).values()) for figure in figures}


def num_perfect(results: Results, name: str, target: int) -> tuple[int, int]:
    """How many prototypes have no node but the truth's, and how many there are."""
    records = [record for cell in results.under(name).values() for record in cell["classes"].get(str(target), [])]
    return sum(len(one["part"]["nodes"]) == len(one["graph"]["kinds"]) for one in records), len(records)


def write(results: Results, sheet: Sheet) -> None:
    """The table, pictures of the first seed, and the paper's numbers beside ours."""
    first = f"seed {results.settings.seeds[0]}"
    names = list(dict.fromkeys(key[0] for key in results))
    rows: list[list[Any]] = []
    for name in names:
        for target in SETS[name].targets:
            rows += [_row(results, name, target, method) for method in METHODS]
    sheet.table(
        "agreement",
        ["data set", "class", "method", "alpha", "share of nodes", "beta", "AUROC", "seeds with AUROC", "perfect"],
        rows,
        "Attributions to the walk's prototypes: alpha, the share that lies on nodes of the ground truth, beside the "
        "share of nodes that these are (what an attribution that knows nothing has); beta, the gain of alpha by "
        "training; AUROC of nodes of the truth against the others. Means over a seed's prototypes, then over seeds. "
        "Perfect: prototypes without a node outside the truth, where alpha is 1, beta is 0 and AUROC is not defined.",
    )
    for name in names:
        caption = f"Attributions to the prototypes of the walk, {SETS[name].title}, {first}: the deeper the red, the "
        caption += "larger the share of a node; underlaid in yellow is what belongs to the ground truth."
        sheet.figure(f"attributions-{name}", figure(name, results[name, first]), caption)
    _write_findings(results, names, sheet)


def _estimate(values: Sequence[float], figure: str) -> Estimate:
    """Beta is a gain; the others lie between 0 and 1."""
    return Estimate.of(values) if figure == "beta" else Estimate.of_shares(values)


def _row(results: Results, name: str, target: int, method: Method) -> list[Any]:
    found = means(results, name, target, method)
    alpha, share, beta, area = (
        _estimate(found[figure], figure) if found[figure] else None
        for figure in ("alpha", "truth_share", "beta", "auroc")
    )
    perfect, total = num_perfect(results, name, target)
    title = SETS[name].title
    return [title, target, METHODS[method], alpha, share, beta, area, len(found["auroc"]), f"{perfect} of {total}"]


def figure(name: str, shown: dict[str, Any]) -> Any:
    """Each prototype by its kinds, then by what each method attributes with the trained and the initial model."""
    kinds = shown["kinds"]
    rows = [
        _picture_row(name, target, number, record, kinds, len(shown["classes"]) > 1)
        for target, records in shown["classes"].items()
        for number, record in enumerate(records)
    ]
    records = [record["graph"] for of_class in shown["classes"].values() for record in of_class]
    columns = ["prototype of the walk"]
    for title in METHODS.values():
        columns += [title, "the same, untrained"]
    return gallery(
        f"{SETS[name].title}: what instance-level methods attribute to prototypes",
        columns,
        rows,
        palette_of_records(records, kinds),
        "Underlaid in yellow: what belongs to the ground truth. Red: the share of each node in the attribution, the "
        "deepest for the largest in a picture.",
    )


def _picture_row(
    name: str, target: str, number: int, record: dict[str, Any], kinds: dict[str, Any], has_classes: bool
) -> Row:
    graph, part = graph_of(record["graph"], kinds), record["part"]
    truth = TRUTHS[name, int(target)][record["truth"]]
    cells = [Picture(graph=graph, part=part, caption=f"p = {record['probability']:.3f}; {truth}")]
    for method in METHODS:
        found = record["figures"][method]
        area = "undefined" if found["auroc"] is None else f"{found['auroc']:.2f}"
        gain = "undefined" if found["beta"] is None else f"{found['beta']:+.2f}"
        captions = {
            "trained": f"alpha {found['alpha']:.2f}, beta {gain}, AUROC {area}",
            "initial": f"alpha {found['initial_alpha']:.2f}",
        }
        cells += [
            Picture(graph=graph, part=part, shares=record["methods"][method][model], caption=captions[model])
            for model in ("trained", "initial")
        ]
    heading = f"Class {target}, prototype {number + 1}" if has_classes else f"Prototype {number + 1}"
    return Row(cells=cells, heading=heading)


def _write_findings(results: Results, names: Sequence[str], sheet: Sheet) -> None:
    for name in names:
        for target in SETS[name].targets:
            perfect, total = num_perfect(results, name, target)
            for method in METHODS:
                _write_figures(results, name, target, method, f"{perfect} of {total} prototypes are perfect", sheet)
    write_pairs(results, names, sheet)
    write_signs(results, names, sheet)
    sheet.note(
        "An AUROC compares nodes of the truth with others, so a prototype without others has none; alpha is then 1 "
        "and beta is 0, whatever is attributed. The paper's prototypes have nodes outside the truth."
    )


def _write_figures(results: Results, name: str, target: int, method: Method, note: str, sheet: Sheet) -> None:
    theirs = paper("rq4", name, METHODS[method])
    if theirs is None:
        return
    found = means(results, name, target, method)
    for figure_name, symbol in FIGURES.items():
        claim = f"{SETS[name].title}: {symbol} of {METHODS[method]}"
        if not found[figure_name]:
            sheet.finding(claim, "undefined", theirs[figure_name], "not comparable", note)
            continue
        ours = _estimate(found[figure_name], figure_name)
        sheet.finding(claim, ours, theirs[figure_name], verdict(ours, theirs[figure_name], True), note)
    if found["alpha"]:
        gaps = [alpha - share for alpha, share in zip(found["alpha"], found["truth_share"], strict=True)]
        sheet.finding(
            f"{SETS[name].title}: alpha of {METHODS[method]} less the share of nodes that belong to the truth",
            Estimate.of(gaps),
            None,
            "not comparable",
            "0 is what an attribution that knows nothing has",
        )


ITEM = Item(
    name="rq4",
    title="Prototypes and instance-level explanations",
    question="Do attributions to the nodes of a prototype lie on the nodes of the ground truth?",
    cells=cells,
    write=write,
)
