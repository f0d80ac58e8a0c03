"""``protograph explain``: prototypes of each class, as pictures, JSON and a report."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from protograph.cli import arguments

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
    data_root: arguments.DataRoot = None,
    smiles_column: arguments.SmilesColumn = None,
    label_column: arguments.LabelColumn = None,
    skip_invalid: arguments.SkipInvalid = False,
    out: Annotated[Path | None, typer.Option(help="Folder; runs/NAME by default.", metavar="DIR")] = None,
    as_json: arguments.Json = False,
) -> None:
    """Find the prototypes of each class and write pictures, explanation.json and report.html."""
    from protograph._base.progress import progress_bars
    from protograph.cli.alignment import aligned
    from protograph.cli.explainers import peer_of
    from protograph.cli.folder import whole_folder
    from protograph.cli.loading import load_classifier, load_graphs, name_of
    from protograph.cli.runs import Run, read_parts
    from protograph.explanation.explanation import Explanations
    from protograph.models.classifier import checked_device
    from protograph.page.explainer import PAGE

    if device is not None:
        checked_device(device)
    options: Any = {"num_clusters": _clusters(clusters), "search": search.value}
    page = PAGE(num_graphs=k, budget=budget, max_nodes=max_nodes, random_state=seed, **options)
    method = page if explainer is Explainer.page else peer_of(explainer.value, page)
    if model is not None and split is not None:
        raise ValueError("--split is for training, which --model leaves out; give one of them")
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
    classifier = None if model is None else load_classifier(model, weights)
    with progress_bars() as progress:
        loaded = load_graphs(run, data_root, progress)
    arguments.tell_left_out(loaded.left_out)
    with whole_folder(folder, keep=model) as partial, progress_bars() as progress:
        facts: dict[str, Any] = {"left_out": list(loaded.left_out)} if loaded.left_out else {}
        if classifier is None:
            classifier, training = _train(loaded.graphs, seed, split, partial, progress)
            facts |= training
            graphs, _ = read_parts(partial, loaded.graphs)
        else:
            graphs = aligned(loaded.graphs, classifier)
        method.fit(run.wrapped(classifier), graphs, device=device, engine=engine.value, progress=progress)
        explanations = method.explain_all() if target is None else Explanations({target: method.explain(target)})
        _write(explanations, partial)
        run.write(partial)
        files = sorted(file.name for file in partial.iterdir())
    if as_json:
        typer.echo(json.dumps({"out": str(folder), "files": files, **facts, "classes": _facts(explanations)}))
    else:
        above = f"{facts['training']}\n\n" if "training" in facts else ""
        typer.echo(f"{above}{explanations.summary()}\n\n{folder}: {', '.join(files)}")


def _clusters(text: str) -> Any:
    if text == "auto" or text.isdigit():
        return text if text == "auto" else int(text)
    raise typer.BadParameter(f"wants a whole number or auto, got {text!r}", param_hint="--clusters")


def _train(graphs: Any, seed: int, split: Any, folder: Path, progress: Any) -> tuple[Any, dict[str, Any]]:
    """Train the paper's GCN and keep it; as in the paper, the training graphs are the ones to explain it with."""
    from protograph.cli.runs import write_split
    from protograph.cli.train import describe_training, training_facts
    from protograph.training import save_model, train

    how: Any = (split or arguments.SplitKind.paper).value
    trained = train(graphs, hidden=None, random_state=seed, split=how, progress=progress)
    save_model(trained, folder / "model.pt")
    write_split(trained.split, folder)
    return trained.model, {"training": describe_training(trained), **training_facts(trained)}


def _write(explanations: Any, folder: Path) -> None:
    """Write JSON, report and pictures; each prototype is laid out once for all of them."""
    from protograph.report.figure import classes_figure
    from protograph.report.report import report_html
    from protograph.report.scene import ClassScenes, lay_out
    from protograph.report.sheet import save_figure

    explanations.save(folder / "explanation.json")
    classes = lay_out(explanations.values())
    (folder / "report.html").write_text(report_html(classes), encoding="utf-8", errors="replace")
    save_figure(classes_figure(classes), folder / "prototypes.png")
    for of_class in classes:
        explanation = of_class.explanation
        for scene in of_class.scenes:
            figure = classes_figure([ClassScenes(explanation, [scene])])
            save_figure(figure, folder / f"class{explanation.target}-prototype{scene.number}.png")


def _facts(explanations: Any) -> dict[str, Any]:
    from protograph.explanation.summary import smiles_of

    return {
        str(target): {
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
        for target, explanation in explanations.items()
    }
