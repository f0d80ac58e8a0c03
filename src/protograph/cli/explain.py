"""``protograph explain`` and ``report``: what a model has learned of each class, as pictures, JSON and a report."""

import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from protograph._utils.progress import command_progress
from protograph._utils.run_folder import add_to_manifest, new_folder, write_manifest
from protograph.cli import arguments
from protograph.cli.inputs import (
    aligned,
    load_classifier,
    load_graphs,
    target_of,
    tell_left_out,
)
from protograph.cli.runs import EXPLANATION, LEFT_OUT, MANIFEST, MODEL, PARTS, REPORT, SPLIT, Run, read_run
from protograph.cli.train import describe_training, tell_doubts, training_facts

if TYPE_CHECKING:
    from protograph.explainer import Explainer
    from protograph.explanation import Explanation, Explanations, Fidelity, Prototype, Reason
    from protograph.page.explainer import PAGE

ExplainerName = StrEnum("ExplainerName", ["page", "xgnn", "gnninterpreter", "random"])
Search = StrEnum("Search", ["walk", "consensus"])
Engine = StrEnum("Engine", ["local", "ray"])
# How many prototypes of a class, and of how many nodes, explainers find that cannot tell by themselves.
NUM_PROTOTYPES, MAX_NODES = 2, 13


def explain(
    data: arguments.Data,
    model: arguments.Model = None,
    weights: arguments.Weights = None,
    return_type: arguments.ReturnTypeOption = arguments.ReturnType.auto,
    task: arguments.Task = None,
    target: Annotated[str | None, typer.Option(help="Number (from 0), else name, of a class.", metavar="C")] = None,
    explainer: Annotated[
        ExplainerName, typer.Option(help="page, xgnn, gnninterpreter or random.", metavar="NAME")
    ] = ExplainerName.page,
    num_clusters: Annotated[str, typer.Option(help="Clusters of a class; auto finds out.", metavar="L|auto")] = "auto",
    num_graphs: Annotated[int, typer.Option(help="Graphs matched in a cluster.", metavar="N")] = 3,
    budget: Annotated[int, typer.Option(help="Search sessions.", metavar="N")] = 5,
    max_nodes: Annotated[int | None, typer.Option(help="Largest prototype; else by the data.", metavar="N")] = None,
    max_reasons: Annotated[
        int | None, typer.Option(help="Most reasons of a class; 0: only prototypes.", min=0, metavar="N")
    ] = None,
    max_lines: Annotated[int | None, typer.Option(help="Lines of a scorecard; not yet.", metavar="N")] = None,
    search: Annotated[Search, typer.Option(help="consensus, or the paper's walk.", metavar="KIND")] = Search.consensus,
    engine: Annotated[Engine, typer.Option(help="Where work is done: local or ray.", metavar="NAME")] = Engine.local,
    address: Annotated[str | None, typer.Option(help="Ray cluster to join.", metavar="ADDRESS")] = None,
    device: arguments.Device = None,
    seed: Annotated[int, typer.Option(help="Seed of everything.", metavar="N")] = 0,
    class_weights: arguments.ClassWeights = None,
    data_root: arguments.DataRoot = None,
    smiles_column: arguments.SmilesColumn = None,
    label_column: arguments.LabelColumn = None,
    id_column: Annotated[
        str | None, typer.Option(help="Column of names in a table; name or id by default.", metavar="NAME")
    ] = None,
    names: arguments.Names = None,
    skip_invalid: arguments.SkipInvalid = False,
    out: Annotated[Path | None, typer.Option(help="Folder; runs/NAME by default.", metavar="DIR")] = None,
    force: arguments.Force = False,
    verbose: arguments.Verbose = False,
    as_json: arguments.Json = False,
) -> None:
    """Find the prototypes and reasons of each class; write pictures, tables, explanation.json and report.html."""
    from protograph.models.classifier import checked_device
    from protograph.page.explainer import PAGE

    if max_lines is not None:
        raise ValueError(f"--max-lines, got {max_lines}, is for scorecards, which are not available yet; leave it out")
    if num_clusters != "auto" and not num_clusters.isdigit():
        raise ValueError(f"--num-clusters must be a whole number or auto, got {num_clusters!r}")
    if device is not None and engine is Engine.local:  # Ray's workers may have what this machine has not
        checked_device(device)
    if model is not None and class_weights is not None:
        raise ValueError("--class-weights is for training, which --model leaves out; give one of them")
    options: Any = {} if max_reasons is None else {"max_reasons": max_reasons}  # else as many as PAGE takes
    page = PAGE(
        num_clusters="auto" if num_clusters == "auto" else int(num_clusters),
        num_graphs=num_graphs,
        budget=budget,
        max_nodes=max_nodes,
        search=search.value,  # type: ignore[arg-type]
        random_state=seed,
        **options,
    )
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
        task=task,
    )
    folder = out or Path("runs") / run.default_folder()
    reads = [*run.inputs().values(), *([] if data_root is None else [data_root])]
    with new_folder(folder, MANIFEST, reads=reads, force=force) as staged, command_progress() as progress:
        content = run.as_json()
        explanations, facts = _explain_run(
            run,
            named_explainer(explainer.value, page),
            staged,
            target=target,
            class_weights=arguments.class_weights_of(class_weights),
            data_root=data_root,
            progress=progress,
            device=device,
            engine=engine.value,
            address=address,
        )
        write_manifest(staged, MANIFEST, content)
        files = sorted(file.name for file in staged.iterdir())
    if as_json:
        classes = {str(number): _class_facts(explanation) for number, explanation in explanations.items()}
        missing = {str(number): reason for number, reason in explanations.not_explained.items()}
        facts = {"out": str(folder), "files": files, **facts, "fidelity": fidelity_facts(explanations.fidelity)}
        typer.echo(json.dumps({**facts, "classes": classes, "not_explained": missing}))
    else:
        above = f"{facts['training']}\n\n" if "training" in facts else ""
        typer.echo(f"{above}{explanations.summary()}\n\n{folder}: {', '.join(files)}")


def named_explainer(name: str, page: "PAGE") -> "Explainer":
    """The explainer of that name with PAGE's options: as many prototypes of the same size where these are given."""
    from protograph.baselines import XGNN, GNNInterpreter, RandomSubgraph

    if name == "page":
        return page
    options: Any = {
        "num_prototypes": NUM_PROTOTYPES if page.num_clusters == "auto" else page.num_clusters,
        "max_nodes": MAX_NODES if page.max_nodes is None else page.max_nodes,
        "random_state": page.random_state,
    }
    if name == "random":  # as many candidates as PAGE would show the model
        options["num_candidates"] = options["num_prototypes"] * page.budget * page.num_graphs
        return RandomSubgraph(**options)
    return XGNN(**options) if name == "xgnn" else GNNInterpreter(**options)


def _explain_run(
    run: Run,
    explainer: "Explainer",
    folder: Path,
    *,
    target: str | None,
    class_weights: Any,
    data_root: Path | None,
    progress: Any,
    **fitting: Any,
) -> "tuple[Explanations, dict[str, Any]]":
    """Explain what was named, and write the results into a folder; the facts are for scripts.

    Args:
        run: The data and the model.
        explainer: The explainer.
        folder: Where the results go.
        target: Number or name of the class to explain; all if ``None``.
        class_weights: Of the loss, where a model is trained.
        data_root: Folder with the files of named data sets.
        progress: Told how far it is.
        fitting: Other options of the explainer's ``fit``.
    """
    from protograph.explanation import Explanations
    from protograph.training import save_model, train

    classifier = None if run.model is None else load_classifier(run.model, run.weights)
    loaded, left_out = load_graphs(run, data_root, progress)
    facts = tell_left_out(left_out, folder / LEFT_OUT)
    model = None if classifier is None else classifier.model
    names = loaded.class_names or getattr(model, "class_names", ())
    number = None if target is None else target_of(target, names)
    if classifier is None:
        trained = train(loaded, hidden=None, random_state=run.seed, class_weights=class_weights, progress=progress)
        save_model(trained, folder / MODEL)
        (folder / SPLIT).write_text(json.dumps({part: getattr(trained.split, part).tolist() for part in PARTS}))
        facts |= {"training": describe_training(trained), **training_facts(trained)}
        doubts = trained.doubts
        graphs = loaded[trained.split.train]  # as in the paper
        explainer.fit(run.wrapped(trained.model), graphs, progress=progress, **fitting)
    else:
        graphs = aligned(loaded, model)
        doubts = explainer.fit(run.wrapped(classifier), graphs, progress=progress, **fitting).doubts_
    tell_doubts(doubts)
    facts["doubts"] = list(doubts)
    explanations = explainer.explain_all() if number is None else Explanations({number: explainer.explain(number)})
    given = f"trained here, seed {run.seed}" if run.model is None else run.model
    given += "" if run.task is None else f", task {run.task}"
    # A training also knows graphs that were kept apart.
    explanations = explanations.told(about={"data": run.data, "model": given}, doubts=facts["doubts"])
    _write_results(explanations, folder)
    return explanations, facts


def _write_results(explanations: "Explanations", folder: Path) -> None:
    """Write JSON, tables, report and pictures."""
    from protograph.explanation.tables import write_tables
    from protograph.report.figure import classes_figure
    from protograph.report.report import report_html
    from protograph.report.scene import ClassScenes, lay_out
    from protograph.report.sheet import save_figure

    explanations.save(folder / EXPLANATION)
    write_tables(list(explanations.values()), folder)
    report = report_html(list(explanations.values()), explanations.not_explained)
    (folder / REPORT).write_text(report, encoding="utf-8", errors="replace")
    classes = lay_out(explanations.values())
    save_figure(classes_figure(classes), folder / "prototypes.png")
    for explanation, scene in ((one.explanation, scene) for one in classes for scene in one.scenes):
        figure = classes_figure([ClassScenes(explanation, [scene])])
        save_figure(figure, folder / f"class{explanation.target}-prototype{scene.number}.png")


def report(folder: arguments.RunFolder) -> None:
    """Write report.html again from explanation.json."""
    from protograph.explanation.explanations import load

    kept = read_run(folder)
    path = folder / REPORT
    if os.path.lexists(path):
        kept.file(REPORT)  # refused where it was changed: that may be worth something to somebody
    load(kept.file(EXPLANATION)).report(path)
    add_to_manifest(folder, MANIFEST, REPORT)
    typer.echo(f"{path}")


def _class_facts(explanation: "Explanation") -> dict[str, Any]:
    from protograph.explanation.prototype import smiles_of

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
                "smarts": prototype.smarts,
            }
            for prototype in explanation.prototypes
        ],
        "rule": "" if explanation.rule is None else str(explanation.rule),
        "reasons": [_reason_facts(explanation, reason) for reason in explanation.reasons],
        "fidelity": fidelity_facts(explanation.fidelity),
        "fidelity_curve": [float(one) for one in explanation.fidelity_curve],
        "fidelity_note": explanation.fidelity_note,
        "uncovered_share": None if math.isnan(explanation.uncovered_share) else explanation.uncovered_share,
        "typical_uncovered": list(explanation.typical_uncovered),
        "warnings": list(explanation.warnings),
    }


def source_facts(explanation: "Explanation", prototype: "Prototype") -> dict[str, Any]:
    """Indices of the graphs that a prototype was found in, among those explained, and where each came from.

    ``source`` and ``sources`` are indices; ``origin`` and ``origins``, in the same order, are places in the user's own
    data, with line, file, name and SMILES.
    """
    sources = prototype.sources
    return {
        "source": prototype.source,
        "origin": _origin(explanation, prototype.source),
        "sources": sources,
        "origins": None if sources is None else [_origin(explanation, index) for index in sources],
    }


def _origin(explanation: "Explanation", index: int | None) -> dict[str, Any] | None:
    return None if index is None else asdict(explanation.origin(index))


def _reason_facts(explanation: "Explanation", reason: "Reason") -> Mapping[str, Any]:
    example = reason.example
    return {
        "words": reason.describe(),
        "support": asdict(reason.support),
        "kept_apart": None if reason.kept_apart is None else asdict(reason.kept_apart),
        "example": None if example is None else example.source,
        "example_origin": None if example is None else _origin(explanation, example.source),
        "example_probability": None if example is None else example.probability,
    }


def fidelity_facts(fidelity: "Fidelity | None") -> dict[str, Any] | None:
    """A fidelity with its interval and how many graphs it is of."""
    if fidelity is None or math.isnan(fidelity):
        return None
    return {
        "value": float(fidelity),
        "low": fidelity.low,
        "high": fidelity.high,
        "num_graphs": fidelity.num_graphs,
    }
