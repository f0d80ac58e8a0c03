"""``protograph evaluate``: the metrics of a run, in a table a class with a row a prototype."""

import json
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from protograph._utils.progress import command_progress
from protograph._utils.words import class_label, count_of, one_line
from protograph.cli import arguments
from protograph.cli.explain import fidelity_facts, source_facts
from protograph.cli.inputs import aligned, is_model_file, load_classifier, load_graphs
from protograph.cli.runs import EXPLANATION, MODEL, RunFolder, read_run
from protograph.cli.tables import table, wrapped
from protograph.cli.train import tell_doubts

if TYPE_CHECKING:
    from protograph.evaluation.evaluation import ClassScores, PrototypeScores
    from protograph.explanation import Fidelity
    from protograph.models.classifier import GraphClassifier

HEADER = ("prototype", "p", "margin", "accuracy", "density", "support", "elsewhere", "lift", "margin share", "molecule")


def evaluate(
    folder: arguments.RunFolder,
    model: Annotated[
        str | None, typer.Option(help="module:attr of the run, whose code runs; or file.", metavar="MODEL")
    ] = None,
    weights: arguments.Weights = None,
    data_root: arguments.DataRoot = None,
    as_json: arguments.Json = False,
) -> None:
    """Judge a run: against the ground truth, on graphs kept apart from the search, and under the model.

    No code runs that a run names: a model of yours, module:attr, is to be named again.
    """
    from protograph.evaluation.evaluation import evaluate as judge
    from protograph.evaluation.evaluation import held_out
    from protograph.explanation.explanations import load
    from protograph.metrics.support import fidelity

    kept = read_run(folder)
    explanations: Any = load(kept.file(EXPLANATION))
    classifier = kept.run.wrapped(_classifier(kept, model, weights))
    kept.check_inputs(["data", *(["model"] if model is None else []), *(["weights"] if weights is None else [])])
    with command_progress() as progress:
        graphs, _ = load_graphs(kept.run, data_root, progress)
    graphs = aligned(graphs, classifier.model)
    explained, rest = kept.parts(graphs)
    is_held_out = rest is not explained
    judged = held_out(classifier, rest)
    scores = [
        judge(
            explanation,
            graphs=explained,
            truths=graphs.ground_truths.get(target, ()),
            held_out=judged,
            model=classifier,
        )
        for target, explanation in explanations.items()
    ]
    together = fidelity(explanations, judged.searched, judged.predictions)
    doubts = list(dict.fromkeys(doubt for one in explanations.values() for doubt in one.doubts))
    if as_json:
        classes = {str(one.target): one.as_json() for one in scores}
        for one in scores:
            explanation, rows = explanations[one.target], classes[str(one.target)]["prototypes"]
            for row, prototype in zip(rows, explanation.prototypes, strict=True):
                row |= source_facts(explanation, prototype)
        facts = {"run": str(folder), "held_out": is_held_out, "doubts": doubts, "fidelity": fidelity_facts(together)}
        typer.echo(json.dumps({**facts, "classes": classes}))
        return
    number = count_of(len(judged.predictions), "graph")
    where = "kept apart from the search" if is_held_out else "that were searched: none were kept apart"
    names = next((one.class_names for one in explanations.values()), ())
    tell_doubts(doubts)
    typer.echo(scores_text(scores, names, f"the {number} {where}", together))


def _classifier(kept: RunFolder, model: str | None, weights: str | None) -> "GraphClassifier":
    """The model that the run explains; a run is data, so code runs only where the command line names it."""
    run = kept.run
    if run.model is None:
        if model is not None or weights is not None:
            raise ValueError(f"{kept.path} has a model of its own, {MODEL}; leave out --model and --weights")
        return load_classifier(str(kept.file(MODEL)))
    if model is not None:
        return load_classifier(model, weights or (None if is_model_file(model) else run.weights))
    if is_model_file(run.model):
        return load_classifier(run.model)
    options = f"--model {run.model}" + (f" --weights {run.weights}" if run.weights else "")
    raise ValueError(
        f"{kept.path} was made with the code of {one_line(run.model)}, which runs only if you name it here; "
        f"if you trust it, add {one_line(options)}"
    )


def scores_text(
    scores: "Sequence[ClassScores]",
    class_names: Sequence[str],
    where: str,
    fidelity: "Fidelity | None" = None,
) -> str:
    """All scores of a run.

    Args:
        scores: The scores of each class.
        class_names: Names of all classes.
        where: Which graphs support, elsewhere and coverage are of.
        fidelity: That of the rules of all classes together.
    """
    parts = [_of_class(one, class_names) for one in scores]
    right = [one.accuracy for one in scores if one.accuracy is not None]
    if right:
        mean = sum(right) / len(right)
        parts.append([f"accuracy of the data set, the mean over its classes with a ground truth: {mean:.3f}"])
    if fidelity is not None and len(scores) > 1:
        parts.append([f"fidelity of all rules together: {fidelity:.3f} [{fidelity.low:.3f}, {fidelity.high:.3f}]"])
    notes = [
        f"support, elsewhere, lift, coverage and fidelity are of {where}",
        "fidelity: the share of graphs of which the rules say what the model predicts, every class weighing the same",
    ]
    prototypes = [prototype for one in scores for prototype in one.prototypes]
    if any(one.truth_probability is not None for one in prototypes):
        notes.append("truth: the ground truth that counts, given to the model by itself")
    if any(one.sources_probability is not None for one in prototypes):
        notes.append("sources: the mean over the graphs that the prototype was cut from or matched with")
    if any(one.is_exact is False for one in prototypes):
        notes.append("accuracy with ?: the best that was found, not proven to be the best there is")
    parts.append([line for note in notes for line in wrapped(note)])
    return "\n\n".join("\n".join(part) for part in parts)


def _of_class(scores: "ClassScores", class_names: Sequence[str]) -> list[str]:
    accuracy = "" if scores.accuracy is None else f": accuracy {scores.accuracy:.3f}"
    rule = "contains one of the prototypes"
    if scores.num_reasons is not None:
        rule = f"{count_of(scores.num_reasons, 'reason')} of {count_of(scores.num_patterns, 'pattern')}"
    rows = [HEADER, *(row for number, one in enumerate(scores.prototypes, start=1) for row in _rows(number, one))]
    return [
        f"{class_label(scores.target, class_names)}{accuracy}",
        f"  coverage {_with_interval(scores.coverage)}",
        f"  fidelity {_with_interval(scores.fidelity)}; rule: {rule}",
        *(table(rows) if scores.prototypes else ["no prototype was found"]),
    ]


def _with_interval(figures: tuple[float, float, float]) -> str:
    value, low, high = figures
    return "-" if math.isnan(value) else f"{value:.3f} [{low:.3f}, {high:.3f}]"


def _rows(number: int, one: "PrototypeScores") -> Iterator[tuple[str, ...]]:
    """The row of a prototype, and below it those of its ground truth and of its sources, as far as there are any."""
    accuracy = "-" if one.accuracy is None else f"{one.accuracy:.3f}{'' if one.is_exact else '?'}"
    yield (
        str(number),
        f"{one.probability:.4f}",
        f"{one.margin:.2f}",
        accuracy,
        f"{one.density:.3f}",
        _figure(one.support, 3),
        _figure(one.support_elsewhere, 3),
        _figure(one.lift, 1),
        _figure(one.margin_share, 2),
        {None: "-", True: "valid", False: "not valid"}[one.is_valid],
    )
    truth = "  truth" if len(one.accuracies) < 2 else f"  truth {(one.truth or 0) + 1} of {len(one.accuracies)}"
    beside = {
        truth: (one.truth_probability, one.truth_margin, one.truth_density),
        "  sources": (one.sources_probability, one.sources_margin, None),
    }
    for name, (probability, margin, density) in beside.items():
        cells = (_figure(probability, 4, ""), _figure(margin, 2, ""), "", _figure(density, 3, ""))
        if any(cells):
            yield (name, *cells, *[""] * 5)


def _figure(value: float | None, digits: int, unknown: str = "-") -> str:
    if value is None:
        return unknown
    return f"{value:,.{digits}f}" if abs(value) < 1e6 else f"{value:.0e}" if value != float("inf") else "inf"
