"""``protograph explain`` and ``report``: prototypes of each class, as pictures, JSON and a report."""

import json
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from protograph._base.progress import command_progress
from protograph.cli import arguments
from protograph.cli.bad_rows import FILE, bad_rows_in, tell_left_out, write_rows
from protograph.cli.explainers import explainer_of
from protograph.cli.loading import aligned, load_classifier, load_graphs, name_of
from protograph.cli.runs import Run, read_parts, whole_folder, write_split
from protograph.cli.train import describe_training, tell_doubts, training_facts
from protograph.explanation import Explanation, Explanations
from protograph.explanation.prototype import smiles_of
from protograph.explanation.storage import load
from protograph.models.classifier import checked_device
from protograph.page.explainer import PAGE
from protograph.report.figure import classes_figure
from protograph.report.report import report_html
from protograph.report.scene import ClassScenes, lay_out
from protograph.report.sheet import save_figure
from protograph.training import save_model, train

Explainer = StrEnum("Explainer", ["page", "xgnn", "gnninterpreter", "random"])
Search = StrEnum("Search", ["walk", "consensus"])
Engine = StrEnum("Engine", ["local", "ray"])
ReturnType = StrEnum("ReturnType", ["auto", "raw", "probs", "log_probs"])


def explain(
    data: arguments.Data,
    model: Annotated[
        str | None, typer.Option(help="File or module:attr; else a GCN is trained.", metavar="MODEL")
    ] = None,
    weights: Annotated[str | None, typer.Option(help="State dictionary for module:attr.", metavar="FILE")] = None,
    return_type: Annotated[
        ReturnType, typer.Option(help="Outputs: auto, raw, probs, log_probs.", metavar="TYPE")
    ] = ReturnType.auto,
    target: Annotated[int | None, typer.Option(help="Class to explain; all by default.", metavar="C")] = None,
    explainer: Annotated[
        Explainer, typer.Option(help="page, xgnn, gnninterpreter or random.", metavar="NAME")
    ] = Explainer.page,
    clusters: Annotated[str, typer.Option(help="Clusters of a class; auto finds out.", metavar="L|auto")] = "auto",
    k: Annotated[int, typer.Option("--k", help="Graphs matched in a cluster.", metavar="N")] = 3,
    budget: Annotated[int, typer.Option(help="Search sessions.", metavar="N")] = 5,
    max_nodes: Annotated[int | None, typer.Option(help="Largest prototype; else by the data.", metavar="N")] = None,
    search: Annotated[
        Search, typer.Option(help="consensus, or walk (the paper's).", metavar="KIND")
    ] = Search.consensus,
    engine: Annotated[Engine, typer.Option(help="local or ray.", metavar="NAME")] = Engine.local,
    device: Annotated[str | None, typer.Option(help="cpu or cuda; the model's by default.", metavar="NAME")] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything.", metavar="N")] = 0,
    split: arguments.Split = None,
    class_weights: arguments.ClassWeights = None,
    data_root: arguments.DataRoot = None,
    smiles_column: arguments.SmilesColumn = None,
    label_column: arguments.LabelColumn = None,
    skip_invalid: arguments.SkipInvalid = False,
    out: Annotated[Path | None, typer.Option(help="Folder; runs/NAME by default.", metavar="DIR")] = None,
    as_json: arguments.Json = False,
) -> None:
    """Find the prototypes of each class and write pictures, explanation.json and report.html."""
    if device is not None:
        checked_device(device)
    options: Any = {"num_clusters": _clusters(clusters), "search": search.value}
    page = PAGE(num_graphs=k, budget=budget, max_nodes=max_nodes, random_state=seed, **options)
    for option, value in {"--split": split, "--class-weights": class_weights}.items():
        if model is not None and value is not None:
            raise ValueError(f"{option} is for training, which --model leaves out; give one of them")
    run = Run(
        data=data,
        seed=seed,
        model=model,
        weights=weights,
        smiles_column=smiles_column,
        label_column=label_column,
        skip_invalid=skip_invalid,
        return_type=return_type.value,
    )
    folder = out or Path("runs") / name_of(data)
    explanations, facts = _explain_run(
        run,
        explainer_of(explainer.value, page),
        folder,
        target=target,
        training={
            "split": (split or arguments.SplitKind.paper).value,
            "class_weights": arguments.class_weights_of(class_weights),
        },
        data_root=data_root,
        device=device,
        engine=engine.value,
    )
    if as_json:
        classes = {str(number): _class_facts(explanation) for number, explanation in explanations.items()}
        missing = {str(number): reason for number, reason in explanations.not_explained.items()}
        typer.echo(json.dumps({**facts, "classes": classes, "not_explained": missing}))
    else:
        above = f"{facts['training']}\n\n" if "training" in facts else ""
        typer.echo(f"{above}{explanations.summary()}\n\n{folder}: {', '.join(facts['files'])}")


def _clusters(text: str) -> Any:
    if text == "auto" or text.isdigit():
        return text if text == "auto" else int(text)
    raise typer.BadParameter(f"wants a whole number or auto, got {text!r}", param_hint="--clusters")


def _explain_run(
    run: Run,
    method: Any,
    folder: Path,
    *,
    target: int | None,
    training: Mapping[str, Any],
    data_root: Path | None,
    **fitting: Any,
) -> tuple[Explanations, dict[str, Any]]:
    """Explain what was named, and write the results into a folder; the facts are for scripts.

    Args:
        run: The data and the model.
        method: The explainer.
        folder: Where the results go, whole or not at all.
        target: The class to explain; all if ``None``.
        training: Other options of the training where a model is trained.
        data_root: Folder with the files of named data sets.
        fitting: Other options of the explainer's ``fit``.
    """
    classifier = None if run.model is None else load_classifier(run.model, run.weights)
    with command_progress() as progress, bad_rows_in(folder.with_name(f"{folder.name}-bad-rows.csv")):
        loaded = load_graphs(run, data_root, progress)
    facts = tell_left_out(loaded.left_out, folder / FILE)
    with whole_folder(folder, keep=run.model) as partial, command_progress() as progress:
        if loaded.left_out:
            write_rows(loaded.left_out, partial / FILE)
        if classifier is None:
            trained = train(loaded.graphs, hidden=None, random_state=run.seed, progress=progress, **training)
            save_model(trained, partial / "model.pt")
            write_split(trained.split, partial)
            facts |= {"training": describe_training(trained), **training_facts(trained)}
            tell_doubts(trained.doubts)
            classifier = trained.model
            # As in the paper, the training graphs are the ones to explain it with.
            graphs, _ = read_parts(partial, loaded.graphs)
        else:
            graphs = aligned(loaded.graphs, classifier)
        method.fit(run.wrapped(classifier), graphs, progress=progress, **fitting)
        if "doubts" not in facts:
            facts["doubts"] = list(method.doubts_)
            tell_doubts(method.doubts_)
        explanations = method.explain_all() if target is None else Explanations({target: method.explain(target)})
        explanations = explanations.doubted(facts["doubts"])  # a training also knows graphs that were kept apart
        _write_results(explanations, partial)
        run.write(partial)
        files = sorted(file.name for file in partial.iterdir())
    return explanations, {"out": str(folder), "files": files, **facts}


def _write_results(explanations: Explanations, folder: Path) -> None:
    """Write JSON, report and pictures; each prototype is laid out once for all of them."""
    explanations.save(folder / "explanation.json")
    classes = lay_out(explanations.values())
    (folder / "report.html").write_text(
        report_html(classes, explanations.not_explained), encoding="utf-8", errors="replace"
    )
    save_figure(classes_figure(classes), folder / "prototypes.png")
    for explanation, scene in ((one.explanation, scene) for one in classes for scene in one.scenes):
        figure = classes_figure([ClassScenes(explanation, [scene])])
        save_figure(figure, folder / f"class{explanation.target}-prototype{scene.number}.png")


def _class_facts(explanation: Explanation) -> dict[str, Any]:
    return {
        "predicted": explanation.num_predicted,
        "prototypes": [
            {
                "nodes": prototype.num_nodes,
                "edges": prototype.num_edges,
                "probability": prototype.probability,
                "margin": prototype.margin,
                "cluster": prototype.cluster,
                "cluster_size": prototype.cluster_size,
                "source": prototype.source,
                "smiles": smiles_of(prototype),
            }
            for prototype in explanation.prototypes
        ],
        "warnings": list(explanation.warnings),
    }


def report(folder: arguments.RunFolder) -> None:
    """Write report.html again from explanation.json."""
    load(folder / "explanation.json").report(folder / "report.html")
    typer.echo(f"{folder / 'report.html'}")
