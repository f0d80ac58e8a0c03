"""``protograph evaluate``: the metrics of a run."""

import json
from typing import Any

import typer

from protograph._base.progress import command_progress
from protograph._base.words import count_of
from protograph.cli import arguments
from protograph.cli.loading import aligned, load_classifier, load_graphs
from protograph.cli.runs import read_parts, read_run
from protograph.cli.scores import scores_text
from protograph.evaluation.evaluation import evaluate as judge
from protograph.evaluation.evaluation import held_out
from protograph.explanation.storage import load


def evaluate(
    folder: arguments.RunFolder, data_root: arguments.DataRoot = None, as_json: arguments.Json = False
) -> None:
    """Judge a run: against the ground truth, on graphs that it was not found in, and under the model."""
    run = read_run(folder)
    explanations: Any = load(folder / "explanation.json")
    with command_progress() as progress:
        loaded = load_graphs(run, data_root, progress)
    plain = load_classifier(run.model or str(folder / "model.pt"), run.weights)
    graphs = aligned(loaded.graphs, plain)
    model = run.wrapped(plain)
    explained, rest = read_parts(folder, graphs)
    is_held_out = rest is not explained
    judged = held_out(model, rest)
    truths = getattr(graphs, "ground_truths", {})
    scores = [
        judge(explanation, graphs=explained, truths=truths.get(target, ()), held_out=judged, model=model)
        for target, explanation in explanations.items()
    ]
    doubts = list(dict.fromkeys(doubt for one in explanations.values() for doubt in one.doubts))
    if as_json:
        classes = {str(one.target): one.as_json() for one in scores}
        typer.echo(json.dumps({"run": str(folder), "held_out": is_held_out, "doubts": doubts, "classes": classes}))
        return
    number = count_of(len(judged.predictions), "graph")
    where = "that no prototype was found in" if is_held_out else "that prototypes were found in: none were held out"
    names = next((one.class_names for one in explanations.values()), ())
    typer.echo(scores_text(scores, names, f"the {number} {where}", doubts))
