"""``protograph explain`` and ``report``: prototypes of each class, as pictures, JSON and a report."""

import json
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from protograph._base.progress import command_progress
from protograph.cli import arguments
from protograph.cli.bad_rows import bad_rows_in, beside, tell_left_out, write_rows
from protograph.cli.explainers import explainer_of
from protograph.cli.facts import fidelity_facts, rule_facts, source_facts
from protograph.cli.loading import aligned, load_classifier, load_graphs, module_of, name_of
from protograph.cli.names import target_of
from protograph.cli.runs import (
    EXPLANATION,
    KIND,
    LEFT_OUT,
    MODEL,
    REPORT,
    SPLIT,
    Run,
    open_run,
    read_run,
    split_text,
)
from protograph.cli.train import describe_training, tell_doubts, training_facts
from protograph.explanation import Explanation, Explanations
from protograph.explanation.figures import smarts_of, smiles_of
from protograph.explanation.storage import load
from protograph.explanation.table_files import write_tables
from protograph.models.classifier import checked_device
from protograph.page.explainer import PAGE
from protograph.report.figure import classes_figure
from protograph.report.report import report_html
from protograph.report.scene import ClassScenes, lay_out
from protograph.report.sheet import save_figure
from protograph.training import save_model, train

Explainer = StrEnum("Explainer", ["page", "xgnn", "gnninterpreter", "random"])
Search = StrEnum("Search", ["walk", "consensus"])
MatchEdges = StrEnum("MatchEdges", ["auto", "on", "off"])
MatchFeatures = StrEnum("MatchFeatures", ["auto", "model", "on", "off"])
Engine = StrEnum("Engine", ["local", "ray"])

# What PAGE calls them.
_MATCHED = {"auto": "auto", "model": "model", "on": True, "off": False}


def explain(
    data: arguments.Data,
    model: arguments.Model = None,
    weights: arguments.Weights = None,
    return_type: arguments.ReturnTypeOption = arguments.ReturnType.auto,
    node_embeddings: arguments.NodeEmbeddings = None,
    graph_embeddings: arguments.GraphEmbeddings = None,
    task: arguments.Task = None,
    target: Annotated[str | None, typer.Option(help="Number (from 0), else name, of a class.", metavar="C")] = None,
    explainer: Annotated[
        Explainer, typer.Option(help="page, xgnn, gnninterpreter or random.", metavar="NAME")
    ] = Explainer.page,
    clusters: Annotated[str, typer.Option(help="Clusters of a class; auto finds out.", metavar="L|auto")] = "auto",
    k: Annotated[int, typer.Option("--k", help="Graphs matched in a cluster.", metavar="N")] = 3,
    budget: Annotated[int, typer.Option(help="Search sessions.", metavar="N")] = 5,
    max_nodes: Annotated[int | None, typer.Option(help="Largest prototype; else by the data.", metavar="N")] = None,
    max_reasons: Annotated[
        int | None, typer.Option(help="Most reasons of a class; 0: only prototypes.", min=0, metavar="N")
    ] = None,
    search: Annotated[Search, typer.Option(help="consensus, or the paper's walk.", metavar="KIND")] = Search.consensus,
    match_edges: Annotated[
        MatchEdges, typer.Option(help="Must edges agree: on, off, auto.", metavar="HOW")
    ] = MatchEdges.auto,
    match_features: Annotated[
        MatchFeatures,
        typer.Option(help="Nodes agree: on, off, auto, model.", metavar="HOW"),
    ] = MatchFeatures.auto,
    engine: Annotated[Engine, typer.Option(help="Where work is done: local or ray.", metavar="NAME")] = Engine.local,
    address: Annotated[
        str | None, typer.Option(help="Ray cluster to join, auto for this machine's.", metavar="ADDRESS")
    ] = None,
    device: Annotated[str | None, typer.Option(help="cpu or cuda; the model's by default.", metavar="NAME")] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything.", metavar="N")] = 0,
    split: arguments.Split = None,
    class_weights: arguments.ClassWeights = None,
    data_root: arguments.DataRoot = None,
    smiles_column: arguments.SmilesColumn = None,
    label_column: arguments.LabelColumn = None,
    id_column: arguments.IdColumn = None,
    names: arguments.Names = None,
    skip_invalid: arguments.SkipInvalid = False,
    out: Annotated[Path | None, typer.Option(help="Folder; runs/NAME by default.", metavar="DIR")] = None,
    as_json: arguments.Json = False,
) -> None:
    """Find the prototypes and reasons of each class; write pictures, tables, explanation.json and report.html."""
    if device is not None and engine is Engine.local:  # Ray's workers may have what this machine has not
        checked_device(device)
    options: Any = {
        "num_clusters": _clusters(clusters),
        "search": search.value,
        "match_edges": _MATCHED[match_edges.value],
    }
    options["match_features"] = _MATCHED[match_features.value]
    if max_reasons is not None:  # else as many as PAGE takes
        options["max_reasons"] = max_reasons
    page = PAGE(num_graphs=k, budget=budget, max_nodes=max_nodes, random_state=seed, **options)
    training = arguments.training_options(model, split, class_weights)
    run = Run(
        data=data,
        seed=seed,
        model=model,
        weights=weights,
        smiles_column=smiles_column,
        label_column=label_column,
        id_column=id_column,
        names=names,
        skip_invalid=skip_invalid,
        return_type=return_type.value,
        node_embeddings=node_embeddings,
        graph_embeddings=graph_embeddings,
        task=task,
    )
    folder = out or Path("runs") / name_of(data)
    explanations, facts = _explain_run(
        run,
        explainer_of(explainer.value, page),
        folder,
        target=target,
        training=training,
        data_root=data_root,
        device=device,
        engine=engine.value,
        address=address,
    )
    if as_json:
        classes = {str(number): _class_facts(explanation) for number, explanation in explanations.items()}
        missing = {str(number): reason for number, reason in explanations.not_explained.items()}
        together = fidelity_facts(explanations.fidelity)
        typer.echo(json.dumps({**facts, "fidelity": together, "classes": classes, "not_explained": missing}))
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
    target: str | None,
    training: Mapping[str, Any],
    data_root: Path | None,
    **fitting: Any,
) -> tuple[Explanations, dict[str, Any]]:
    """Explain what was named, and write the results into a folder; the facts are for scripts.

    Args:
        run: The data and the model.
        method: The explainer.
        folder: Where the results go, whole or not at all.
        target: Number or name of the class to explain; all if ``None``.
        training: Other options of the training where a model is trained.
        data_root: Folder with the files of named data sets.
        fitting: Other options of the explainer's ``fit``.
    """
    read = [*run.inputs().values(), *([] if data_root is None else [data_root])]
    with open_run(folder, read) as opened, command_progress() as progress:
        content = run.as_json()
        classifier = None if run.model is None else load_classifier(run.model, run.weights)
        with bad_rows_in(beside(folder, "bad-rows.csv")):
            loaded = load_graphs(run, data_root, progress)
        facts = tell_left_out(loaded.left_out, folder / LEFT_OUT)
        write_rows(loaded.left_out, opened.staged / LEFT_OUT)
        names = loaded.graphs.class_names or getattr(module_of(classifier), "class_names", ())
        number = None if target is None else target_of(target, names)
        if classifier is None:
            trained = train(loaded.graphs, hidden=None, random_state=run.seed, progress=progress, **training)
            save_model(trained, opened.staged / MODEL)
            (opened.staged / SPLIT).write_text(split_text(trained.split))
            facts |= {"training": describe_training(trained), **training_facts(trained)}
            tell_doubts(trained.doubts)
            classifier = trained.model
            # As in the paper, the training graphs are the ones to explain it with.
            graphs = loaded.graphs[trained.split.train]
        else:
            graphs = aligned(loaded.graphs, module_of(classifier))
        method.fit(run.wrapped(classifier), graphs, progress=progress, **fitting)
        if "doubts" not in facts:
            facts["doubts"] = list(method.doubts_)
            tell_doubts(method.doubts_)
        explanations = method.explain_all() if number is None else Explanations({number: method.explain(number)})
        explanations = explanations.doubted(facts["doubts"])  # a training also knows graphs that were kept apart
        given = f"trained here, seed {run.seed}" if run.model is None else run.model
        given += "" if run.task is None else f", task {run.task}"
        explanations = explanations.told({"data": run.data, "model": given})
        _write_results(explanations, opened.staged)
        files = sorted([KIND.manifest, *(file.name for file in opened.staged.iterdir())])
        opened.publish(content)
    return explanations, {"out": str(folder), "files": files, **facts}


def _write_results(explanations: Explanations, folder: Path) -> None:
    """Write JSON, tables, report and pictures."""
    explanations.save(folder / EXPLANATION)
    write_tables(list(explanations.values()), folder)
    report = report_html(list(explanations.values()), explanations.not_explained)
    (folder / REPORT).write_text(report, encoding="utf-8", errors="replace")
    classes = lay_out(explanations.values())
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
                **source_facts(explanation, prototype),
                "predicted": prototype.predicted,
                "smiles": smiles_of(prototype),
                "smarts": (smarts := smarts_of(prototype)),
                "smarts_besides": None if smarts is None else list(prototype.smarts_besides),
            }
            for prototype in explanation.prototypes
        ],
        **rule_facts(explanation),
        "warnings": list(explanation.warnings),
    }


def report(folder: arguments.RunFolder) -> None:
    """Write report.html again from explanation.json."""
    kept = read_run(folder)
    with open_run(folder, ()) as opened:
        load(kept.file(EXPLANATION)).report(opened.staged / REPORT)
        opened.publish(kept.content, keep=kept.files)
    typer.echo(f"{folder / REPORT}")
