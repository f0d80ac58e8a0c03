"""The work of ``protograph explain``: from what was named to a folder of results."""

from pathlib import Path
from typing import Any, NamedTuple

from torch import nn

from protograph._base.progress import progress_bars
from protograph.cli.alignment import aligned
from protograph.cli.arguments import tell_left_out
from protograph.cli.folder import whole_folder
from protograph.cli.loading import load_classifier, load_graphs
from protograph.cli.runs import Run, read_parts, write_split
from protograph.cli.train import describe_training, training_facts
from protograph.explanation import Explanations
from protograph.report.figure import classes_figure
from protograph.report.report import report_html
from protograph.report.scene import ClassScenes, lay_out
from protograph.report.sheet import save_figure
from protograph.training import save_model, train


class Results(NamedTuple):
    """The explanations, the names of the files that were written, and facts on data and training."""

    explanations: Explanations
    files: list[str]
    facts: dict[str, Any]


def explain_run(
    run: Run, method: Any, folder: Path, *, target: int | None, split: Any, data_root: Path | None, **fitting: Any
) -> Results:
    """Explain what was named, and write the results into a folder.

    Args:
        run: The data and the model.
        method: The explainer.
        folder: Where the results go, whole or not at all.
        target: The class to explain; all if ``None``.
        split: How graphs are split where a model is trained.
        data_root: Folder with the files of named data sets.
        fitting: Other options of the explainer's ``fit``.
    """
    classifier = None if run.model is None else load_classifier(run.model, run.weights)
    with progress_bars() as progress:
        loaded = load_graphs(run, data_root, progress)
    tell_left_out(loaded.left_out)
    facts: dict[str, Any] = {"left_out": list(loaded.left_out)} if loaded.left_out else {}
    with whole_folder(folder, keep=run.model) as partial, progress_bars() as progress:
        if classifier is None:
            classifier, training = _train(loaded.graphs, run.seed, split, partial, progress)
            facts |= training
            # As in the paper, the training graphs are the ones to explain it with.
            graphs, _ = read_parts(partial, loaded.graphs)
        else:
            graphs = aligned(loaded.graphs, classifier)
        method.fit(run.wrapped(classifier), graphs, progress=progress, **fitting)
        explanations = method.explain_all() if target is None else Explanations({target: method.explain(target)})
        write_results(explanations, partial)
        run.write(partial)
        files = sorted(file.name for file in partial.iterdir())
    return Results(explanations, files, facts)


def _train(graphs: Any, seed: int, split: Any, folder: Path, progress: Any) -> tuple[nn.Module, dict[str, Any]]:
    """Train the paper's GCN and keep it, and which graphs it was trained on."""
    trained = train(graphs, hidden=None, random_state=seed, split=split, progress=progress)
    save_model(trained, folder / "model.pt")
    write_split(trained.split, folder)
    return trained.model, {"training": describe_training(trained), **training_facts(trained)}


def write_results(explanations: Explanations, folder: Path) -> None:
    """Write JSON, report and pictures; each prototype is laid out once for all of them."""
    explanations.save(folder / "explanation.json")
    classes = lay_out(explanations.values())
    (folder / "report.html").write_text(report_html(classes), encoding="utf-8", errors="replace")
    save_figure(classes_figure(classes), folder / "prototypes.png")
    for of_class in classes:
        explanation = of_class.explanation
        for scene in of_class.scenes:
            figure = classes_figure([ClassScenes(explanation, [scene])])
            save_figure(figure, folder / f"class{explanation.target}-prototype{scene.number}.png")
