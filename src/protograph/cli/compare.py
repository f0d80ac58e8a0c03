"""``protograph compare``: several explainers on the same models and data, in one table."""

import json
from pathlib import Path
from typing import Annotated

import typer

from protograph.cli import arguments
from protograph.cli.comparing import QUICK_EPOCHS, QUICK_SEEDS, SEEDS_BY_DEFAULT, Request, compared
from protograph.cli.contenders import NAMES, ROBUSTNESS, explainers_of, metrics_of
from protograph.cli.loading import name_of
from protograph.cli.runs import Run
from protograph.models.classifier import checked_device


def compare(
    data: arguments.Data,
    explainers: Annotated[
        str, typer.Option(help="By commas; also module:attr of yours, whose code runs.", metavar="NAMES")
    ] = ",".join(NAMES),
    metrics: Annotated[
        str | None, typer.Option(help="By commas, of the table or module:attr; all by default.", metavar="NAMES")
    ] = None,
    model: arguments.Model = None,
    weights: arguments.Weights = None,
    return_type: arguments.ReturnTypeOption = arguments.ReturnType.auto,
    node_embeddings: arguments.NodeEmbeddings = None,
    graph_embeddings: arguments.GraphEmbeddings = None,
    task: arguments.Task = None,
    seeds: Annotated[int | None, typer.Option(help="How many seeds; 3 by default.", min=1, metavar="N")] = None,
    jobs: Annotated[int, typer.Option(help="Seeds at a time, each in a process.", min=1, metavar="N")] = 1,
    quick: Annotated[
        bool, typer.Option("--quick", help="A minute or so: 300 graphs, 2 seeds, short generators.")
    ] = False,
    prototypes: Annotated[
        int | None, typer.Option(help="Prototypes of a class; page finds out, the others take 2.", min=1, metavar="N")
    ] = None,
    max_nodes: Annotated[
        int | None,
        typer.Option(help="Largest prototype; page and walk find out, the others take 13.", min=2, metavar="N"),
    ] = None,
    with_robustness: Annotated[
        bool, typer.Option("--robustness", help="Also consistency and faithfulness: ten more models a seed.")
    ] = False,
    device: Annotated[str | None, typer.Option(help="cpu or cuda; the model's by default.", metavar="NAME")] = None,
    split: arguments.Split = None,
    class_weights: arguments.ClassWeights = None,
    data_root: arguments.DataRoot = None,
    smiles_column: arguments.SmilesColumn = None,
    label_column: arguments.LabelColumn = None,
    id_column: arguments.IdColumn = None,
    names: arguments.Names = None,
    skip_invalid: arguments.SkipInvalid = False,
    out: Annotated[Path | None, typer.Option(help="Folder; runs/compare-NAME by default.", metavar="DIR")] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print the figures as CSV.")] = False,
    as_latex: Annotated[bool, typer.Option("--latex", help="Print the table as LaTeX.")] = False,
    as_json: arguments.Json = False,
) -> None:
    """Compare explainers: one column each, mean and spread over seeds, what is significant, and a picture.

    Explainers are page, walk (PAGE as the paper describes it), xgnn, gnninterpreter and random, or your own.

    Without ground truth there are the figures that need none. With --model the model is yours, and a fifth of the
    graphs is kept apart to judge by; else one is trained a seed. What it will cost is said first. Results appear all
    at once; what is finished of a run that was broken off is kept beside them, and it goes on there.
    """
    if sum((as_csv, as_latex, as_json)) > 1:
        raise ValueError("--csv, --latex and --json each print the result; give one of them")
    if device is not None:
        checked_device(device)
    training = arguments.training_options(model, split, class_weights)
    shown, own = metrics_of(metrics)
    with_robustness = with_robustness or any(key in ROBUSTNESS for key in shown or ())
    if with_robustness and model is not None:
        raise ValueError("--robustness trains other models beside ours, which --model leaves out; give one of them")
    run = Run(
        data=data,
        seed=0,
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
    result = compared(
        Request(run=run, data_root=data_root, is_quick=quick),
        out or Path("runs") / f"compare-{name_of(data).lower()}{'-quick' if quick else ''}",
        num_seeds=seeds or (QUICK_SEEDS if quick else SEEDS_BY_DEFAULT),
        jobs=jobs,
        shown=shown,
        explainers=explainers_of(explainers, prototypes, max_nodes, is_quick=quick),
        metrics=own,
        training={**({} if model else training), **({"max_epochs": QUICK_EPOCHS} if quick and not model else {})},
        with_robustness=with_robustness,
        device=device,
    )
    if as_json:
        typer.echo(json.dumps(result.facts()))
    else:
        typer.echo(result.csv() if as_csv else result.latex() if as_latex else result.text(), nl=not as_csv)
