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
    from protograph.cli.explainers import peer_of
    from protograph.cli.explaining import explain_run
    from protograph.cli.loading import name_of
    from protograph.cli.runs import Run
    from protograph.models.classifier import checked_device
    from protograph.page.explainer import PAGE

    if device is not None:
        checked_device(device)
    options: Any = {"num_clusters": _clusters(clusters), "search": search.value}
    page = PAGE(num_graphs=k, budget=budget, max_nodes=max_nodes, random_state=seed, **options)
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
    explanations, files, facts = explain_run(
        run,
        page if explainer is Explainer.page else peer_of(explainer.value, page),
        folder,
        target=target,
        split=(split or arguments.SplitKind.paper).value,
        data_root=data_root,
        device=device,
        engine=engine.value,
    )
    if as_json:
        typer.echo(json.dumps({"out": str(folder), "files": files, **facts, "classes": _facts(explanations)}))
    else:
        above = f"{facts['training']}\n\n" if "training" in facts else ""
        typer.echo(f"{above}{explanations.summary()}\n\n{folder}: {', '.join(files)}")


def _clusters(text: str) -> Any:
    if text == "auto" or text.isdigit():
        return text if text == "auto" else int(text)
    raise typer.BadParameter(f"wants a whole number or auto, got {text!r}", param_hint="--clusters")


def _facts(explanations: Any) -> dict[str, Any]:
    from protograph.explanation.prototype import smiles_of

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
