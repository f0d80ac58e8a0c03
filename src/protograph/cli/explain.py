"""``protograph explain``: prototypes of each class, as pictures, JSON and a report."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from protograph.cli import arguments


class Explainer(StrEnum):
    """Explainers that the command knows."""

    PAGE = "page"
    XGNN = "xgnn"
    GNNINTERPRETER = "gnninterpreter"
    RANDOM = "random"


class Search(StrEnum):
    """Kinds of search."""

    WALK = "walk"
    CONSENSUS = "consensus"


class Engine(StrEnum):
    """Where the pass over the graphs runs."""

    LOCAL = "local"
    RAY = "ray"


class ReturnType(StrEnum):
    """What a model's outputs are."""

    AUTO = "auto"
    RAW = "raw"
    PROBS = "probs"
    LOG_PROBS = "log_probs"


def explain(
    data: arguments.Data,
    model: Annotated[
        str | None, typer.Option(help="File or module:attr; else a GCN is trained.", metavar="MODEL")
    ] = None,
    weights: Annotated[Path | None, typer.Option(help="State dictionary for module:attr.", metavar="FILE")] = None,
    return_type: Annotated[
        ReturnType, typer.Option(help="Outputs: auto, raw, probs, log_probs.", metavar="TYPE")
    ] = ReturnType.AUTO,
    target: Annotated[int | None, typer.Option(help="Class to explain; all by default.", metavar="C")] = None,
    explainer: Annotated[
        Explainer, typer.Option(help="page, xgnn, gnninterpreter or random.", metavar="NAME")
    ] = Explainer.PAGE,
    clusters: Annotated[str, typer.Option(help="Clusters of a class; auto finds out.", metavar="L|auto")] = "auto",
    k: Annotated[int, typer.Option("--k", help="Graphs matched in a cluster.", metavar="N")] = 3,
    budget: Annotated[int, typer.Option(help="Search sessions.", metavar="N")] = 5,
    max_nodes: Annotated[int | None, typer.Option(help="Largest prototype; else by the data.", metavar="N")] = None,
    search: Annotated[
        Search, typer.Option(help="consensus, or walk (the paper's).", metavar="KIND")
    ] = Search.CONSENSUS,
    engine: Annotated[Engine, typer.Option(help="local or ray.", metavar="NAME")] = Engine.LOCAL,
    device: Annotated[str | None, typer.Option(help="cpu or cuda; the model's by default.", metavar="NAME")] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything.", metavar="N")] = 0,
    split: arguments.Split = None,
    data_root: arguments.DataRoot = None,
    smiles_column: arguments.SmilesColumn = None,
    label_column: arguments.LabelColumn = None,
    skip_invalid: arguments.SkipInvalid = False,
    out: Annotated[Path | None, typer.Option(help="Folder; runs/NAME by default.", metavar="DIR")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
) -> None:
    """Find the prototypes of each class and write pictures, explanation.json and report.html."""
    from protograph._base.progress import progress_bars
    from protograph.cli.alignment import aligned
    from protograph.cli.folder import whole_folder
    from protograph.cli.loading import DataOptions, load_classifier, load_graphs, name_of
    from protograph.cli.runs import Run
    from protograph.explanation.explanation import Explanations
    from protograph.models.classifier import GraphClassifier, checked_device
    from protograph.page.explainer import PAGE

    if device is not None:
        checked_device(device)
    page = PAGE(
        num_clusters=_clusters(clusters),
        num_graphs=k,
        budget=budget,
        max_nodes=max_nodes,
        search=search.value,
        random_state=seed,
    )
    method = page if explainer is Explainer.PAGE else _peer(explainer, page)
    if model is None and (weights is not None or return_type is not ReturnType.AUTO):
        raise ValueError("--weights and --return-type are for a model of yours; give it with --model")
    if model is not None and split is not None:
        raise ValueError("--split is for training, which --model leaves out; give one of them")
    options = DataOptions(data_root, smiles_column, label_column, skip_invalid, seed)
    folder = out or Path("runs") / name_of(data)
    classifier = None if model is None else load_classifier(model, weights)
    with progress_bars() as progress:
        loaded = load_graphs(data, options, progress)
    arguments.tell_left_out(loaded.left_out)
    keep = None if model is None else Path(model)
    with whole_folder(folder, keep) as partial, progress_bars() as progress:
        facts: dict[str, Any] = {"left_out": list(loaded.left_out)} if loaded.left_out else {}
        graphs = loaded.graphs
        if classifier is None:
            how = (split or arguments.SplitKind.PAPER).value
            classifier, graphs, training = _train_and_keep(graphs, seed, how, partial, progress)
            facts |= training
        else:
            graphs = aligned(graphs, classifier)
        known = GraphClassifier(classifier, return_type=return_type.value)
        method.fit(known, graphs, device=device, engine=engine.value, progress=progress)
        found = method.explain_all() if target is None else Explanations({target: method.explain(target)})
        _write(found, partial)
        Run(
            data=_lasting(data),
            seed=seed,
            model=None if model is None else _lasting(model),
            weights=None if weights is None else str(weights.resolve()),
            smiles_column=smiles_column,
            label_column=label_column,
            skip_invalid=skip_invalid,
            return_type=return_type.value,
        ).write(partial)
        files = sorted(file.name for file in partial.iterdir())
    if as_json:
        typer.echo(json.dumps({"out": str(folder), "files": files, **facts, "classes": _facts(found)}))
        return
    if "training" in facts:
        typer.echo(f"{facts['training']}\n")
    typer.echo(f"{found.summary()}\n\n{folder}: {', '.join(files)}")


def _lasting(name_or_path: str) -> str:
    """A path that holds wherever the command is called next; a name as it is."""
    return str(Path(name_or_path).resolve()) if Path(name_or_path).exists() else name_or_path


def _peer(explainer: Explainer, page: Any) -> Any:
    """An explainer to compare PAGE with, with as many prototypes of the same size where these are given."""
    from protograph import XGNN, GNNInterpreter, RandomSubgraph

    num_prototypes = arguments.NUM_PROTOTYPES if page.num_clusters == "auto" else page.num_clusters
    max_nodes = arguments.MAX_NODES if page.max_nodes is None else page.max_nodes
    kinds = {Explainer.XGNN: XGNN, Explainer.GNNINTERPRETER: GNNInterpreter, Explainer.RANDOM: RandomSubgraph}
    options = {"num_prototypes": num_prototypes, "max_nodes": max_nodes, "random_state": page.random_state}
    if explainer is Explainer.RANDOM:  # as many candidates as PAGE would show the model
        options["num_candidates"] = num_prototypes * page.budget * page.num_graphs
    return kinds[explainer](**options)


def _clusters(text: str) -> Any:
    if text == "auto" or text.isdigit():
        return text if text == "auto" else int(text)
    raise typer.BadParameter(f"wants a whole number or auto, got {text!r}", param_hint="--clusters")


def _train_and_keep(graphs: Any, seed: int, split: Any, folder: Path, progress: Any) -> tuple[Any, Any, dict[str, Any]]:
    """Train the paper's GCN; as in the paper, the training graphs are the ones to explain it with."""
    from protograph.cli.train import describe_training, training_facts
    from protograph.datasets import GraphDataset
    from protograph.training import save_model, train

    trained = train(graphs, hidden=None, random_state=seed, split=split, progress=progress)
    save_model(trained, folder / "model.pt")
    chosen = trained.split.train.tolist()
    parts = {name: getattr(trained.split, name).tolist() for name in ("train", "validation", "test")}
    (folder / "split.json").write_text(json.dumps(parts))
    kept = graphs[chosen] if isinstance(graphs, GraphDataset) else [graphs[i] for i in chosen]
    return trained.model, kept, {"training": describe_training(trained), **training_facts(trained)}


def _write(explanations: Any, folder: Path) -> None:
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


def _facts(found: Any) -> dict[str, Any]:
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
        for target, explanation in found.items()
    }
