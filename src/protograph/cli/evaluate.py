"""``protograph evaluate``: the metrics of a run."""

import json
from typing import Annotated, Any

import typer
from torch import nn

from protograph._base.progress import command_progress
from protograph._base.words import count_of, one_line
from protograph.cli import arguments
from protograph.cli.facts import fidelity_facts, source_facts
from protograph.cli.loading import aligned, is_model_file, load_classifier, load_graphs, module_of
from protograph.cli.runs import EXPLANATION, MODEL, RunFolder, read_run
from protograph.cli.scores import scores_text
from protograph.evaluation.evaluation import evaluate as judge
from protograph.evaluation.evaluation import held_out
from protograph.explanation import Explanation
from protograph.explanation.storage import load
from protograph.metrics.fidelity import fidelity
from protograph.models.classifier import GraphClassifier


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
    kept = read_run(folder)
    explanations: Any = load(kept.file(EXPLANATION))
    plain = _classifier(kept, model, weights)
    kept.check_inputs(["data", *(["model"] if model is None else []), *(["weights"] if weights is None else [])])
    with command_progress() as progress:
        loaded = load_graphs(kept.run, data_root, progress)
    graphs = aligned(loaded.graphs, module_of(plain))
    classifier = kept.run.wrapped(plain)
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
        classes = {str(one.target): _as_json(one, explanations[one.target]) for one in scores}
        facts = {"run": str(folder), "held_out": is_held_out, "doubts": doubts, "fidelity": fidelity_facts(together)}
        typer.echo(json.dumps({**facts, "classes": classes}))
        return
    number = count_of(len(judged.predictions), "graph")
    where = "kept apart from the search" if is_held_out else "that were searched: none were kept apart"
    names = next((one.class_names for one in explanations.values()), ())
    typer.echo(scores_text(scores, names, f"the {number} {where}", doubts, together))


def _as_json(scores: Any, explanation: Explanation) -> dict[str, Any]:
    content: dict[str, Any] = scores.as_json()
    pairs = zip(content["prototypes"], explanation.prototypes, strict=True)
    return content | {"prototypes": [one | source_facts(explanation, prototype) for one, prototype in pairs]}


def _classifier(kept: RunFolder, model: str | None, weights: str | None) -> nn.Module | GraphClassifier:
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
