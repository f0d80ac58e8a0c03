"""``protograph evaluate``: the metrics of a run."""

import json
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from torch import nn

from protograph._base.progress import progress_bars
from protograph._base.words import clean_name, one_line
from protograph.cli import arguments
from protograph.cli.facts import source_facts
from protograph.cli.loading import aligned, is_model_file, load_classifier, load_graphs
from protograph.cli.runs import EXPLANATION, MODEL, RunFolder, read_run
from protograph.evaluation.evaluation import evaluate as judge
from protograph.evaluation.evaluation import held_out
from protograph.explanation import Explanation, Explanations
from protograph.explanation.storage import load


def evaluate(
    folder: arguments.RunFolder,
    model: Annotated[
        str | None, typer.Option(help="module:attr of the run, whose code runs; or file.", metavar="MODEL")
    ] = None,
    weights: arguments.Weights = None,
    data_root: arguments.DataRoot = None,
    as_json: arguments.Json = False,
) -> None:
    """Judge a run: against the ground truth, on graphs that it was not found in, and under the model.

    No code runs that a run names: a model of yours, module:attr, is to be named again.
    """
    kept = read_run(folder)
    explanations: Any = load(kept.file(EXPLANATION))
    plain = _classifier(kept, model, weights)
    kept.check_inputs(["data", *(["model"] if model is None else []), *(["weights"] if weights is None else [])])
    with progress_bars() as progress:
        loaded = load_graphs(kept.run, data_root, progress)
    graphs = aligned(loaded.graphs, plain)
    classifier = kept.run.wrapped(plain)
    explained, rest = kept.parts(graphs)
    is_held_out = rest is not explained
    judged = held_out(classifier, rest)
    truths = getattr(graphs, "ground_truths", {})
    scores = [
        judge(explanation, graphs=explained, truths=truths.get(target, ()), held_out=judged, model=classifier)
        for target, explanation in explanations.items()
    ]
    if as_json:
        classes = {str(one.target): _as_json(one, explanations[one.target]) for one in scores}
        typer.echo(json.dumps({"run": str(folder), "held_out": is_held_out, "classes": classes}))
        return
    where = "graphs that it was not found in" if is_held_out else "the graphs it was found in: none were held out"
    typer.echo(_text(scores, explanations, f"{len(judged.predictions)} {where}"))


def _as_json(scores: Any, explanation: Explanation) -> dict[str, Any]:
    content: dict[str, Any] = scores.as_json()
    pairs = zip(content["prototypes"], explanation.prototypes, strict=True)
    return content | {"prototypes": [one | source_facts(explanation, prototype) for one, prototype in pairs]}


def _classifier(kept: RunFolder, model: str | None, weights: str | None) -> nn.Module:
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


def _text(scores: Sequence[Any], explanations: Explanations, where: str) -> str:
    parts = ["\n\n".join("\n".join(_lines(one, explanations[one.target].class_name)) for one in scores)]
    right = [one.accuracy for one in scores if one.accuracy is not None]
    if right:
        mean = sum(right) / len(right)
        parts.append(f"accuracy of the data set, the mean over its classes with a ground truth: {mean:.3f}")
    notes = (
        "p and margin: of the prototype, of the ground truth by itself, and the mean of its representatives",
        f"support, elsewhere and coverage are of {where}",
    )
    return "\n\n".join([*parts, "\n".join(notes)])


def _lines(scores: Any, name: str) -> list[str]:
    label = f"class {scores.target}" if name == str(scores.target) else f"class {scores.target} ({clean_name(name)})"
    right = "" if scores.accuracy is None else f"accuracy {scores.accuracy:.3f}, "
    of_class = (
        f"{label}: {right}coverage {_interval(scores.coverage)}, overlap {scores.overlap[0]:.2f}, "
        f"gain area {_interval(scores.gain_area)}"
    )
    return [of_class, *(f"  {number}. {_line(one)}" for number, one in enumerate(scores.prototypes, start=1))]


def _line(one: Any) -> str:
    all_accuracies = ", ".join(f"{value:.3f}" for value in one.accuracies)
    which = f" (truth {one.truth + 1} of {all_accuracies})" if len(one.accuracies) > 1 else ""
    proven = "" if one.is_exact else " (not proven)"
    truth = "" if one.truth_density is None else f" (truth {one.truth_density:.3f})"
    parts = [
        f"p = {one.probability:.4f}{_beside(one.truth_probability, one.sources_probability, 4)}",
        f"margin {one.margin:.2f}{_beside(one.truth_margin, one.sources_margin, 2)}",
        "" if one.accuracy is None else f"accuracy {one.accuracy:.3f}{which}{proven}",
        f"density {one.density:.3f}{truth}",
        f"support {one.support:.3f}, elsewhere {one.support_elsewhere:.3f}, lift {one.lift:.1f}",
        "" if one.margin_share is None else f"margin share {one.margin_share:.2f}",
        {None: "", True: "valid molecule", False: "not a valid molecule"}[one.is_valid],
    ]
    return "; ".join(part for part in parts if part)


def _beside(truth: float | None, sources: float | None, digits: int) -> str:
    """The same figure of the prototype's truth, and the mean of its sources, as far as there are any."""
    values = {"truth": truth, "sources": sources}
    texts = [f"{name} {value:.{digits}f}" for name, value in values.items() if value is not None]
    return f" ({', '.join(texts)})" if texts else ""


def _interval(estimate: tuple[float, float, float]) -> str:
    value, low, high = estimate
    return f"{value:.3f} [{low:.3f}, {high:.3f}]"
