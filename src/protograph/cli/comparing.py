"""A comparison from the command line: what it is asked for, where it is kept, and what it gives."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import typer

from protograph._base.manifest import FolderKind, read_manifest
from protograph._base.progress import Progress, command_progress
from protograph._base.publishing import OpenFolder, open_folder
from protograph._base.words import count_of
from protograph.cli.bad_rows import bad_rows_in, beside, tell_left_out, write_rows
from protograph.cli.comparison_outputs import (
    comparison_csv,
    comparison_latex,
    comparison_table,
    keys_shown,
    not_shown_note,
    notes_of,
    seeds_csv,
    significance_note,
    spread_note,
    wrapped_notes,
)
from protograph.cli.loading import Loaded, aligned, load_classifier, load_graphs
from protograph.cli.runs import LEFT_OUT, OTHER_OUT, Run
from protograph.cli.tables import wrapped
from protograph.datasets import GraphDataset
from protograph.evaluation.comparison import QUICK_CLASSES, Comparison
from protograph.evaluation.cost import cost_text
from protograph.evaluation.keeping import file_stem
from protograph.evaluation.summary import Figure, Rows, Values, summarised, values_by_seed
from protograph.models.classifier import GraphClassifier
from protograph.report.comparison import plot_comparison

PICTURE, FIGURES, SEEDS, LATEX = "prototypes.png", "figures.csv", "seeds.csv", "table.tex"
KIND = FolderKind(
    manifest="comparison.json",
    format="protograph-comparison",
    names=re.compile(
        r"comparison\.json|prototypes\.png|figures\.csv|seeds\.csv|table\.tex|left[-_]out\.csv|"
        r"[a-z0-9][a-z0-9-]*-seed\d+(-prototypes)?\.json|model-seed\d+\.pt"
    ),
)
SEEDS_BY_DEFAULT = 3
# Of a quick run: graphs drawn from the data, seeds, and epochs of the training.
QUICK_GRAPHS, QUICK_SEEDS, QUICK_EPOCHS = 300, 2, 60


@dataclass(frozen=True, kw_only=True)
class Request:
    """The data and the model, in words that another process understands.

    Attributes:
        run: What the user has named; its seed is not used.
        data_root: Folder with the files of named data sets.
        is_quick: Whether only some of the graphs are taken.
    """

    run: Run
    data_root: Path | None
    is_quick: bool

    def data(self, seed: int) -> GraphDataset:
        """The graphs of a seed, with the columns that the model was trained with."""
        graphs = self.loaded(seed).graphs
        if self.run.model is not None:
            graphs = aligned(graphs, self.classifier().model)
        if self.is_quick and len(graphs) > QUICK_GRAPHS:
            chosen = np.random.default_rng([seed, len(graphs)]).permutation(len(graphs))[:QUICK_GRAPHS]
            graphs = graphs[np.sort(chosen)]
        return graphs

    def loaded(self, seed: int, progress: Progress | None = None) -> Loaded:
        """All graphs as they were read; a file holds the same ones whatever the seed, and is read once."""
        return _loaded(replace(self.run, seed=0 if "data" in self.run.inputs() else seed), self.data_root, progress)

    def classifier(self) -> GraphClassifier:
        """The model that was given."""
        assert self.run.model is not None
        return self.run.wrapped(load_classifier(self.run.model, self.run.weights))


_kept: dict[tuple[Run, Path | None], Loaded] = {}


def _loaded(run: Run, data_root: Path | None, progress: Progress | None) -> Loaded:
    """The graphs of a run; those that were read last are kept."""
    if (run, data_root) not in _kept:
        _kept.clear()
        _kept[run, data_root] = load_graphs(run, data_root, progress)
    return _kept[run, data_root]


@dataclass(frozen=True, kw_only=True)
class Compared:
    """What a comparison gives.

    Attributes:
        folder: Where it is kept.
        title: What was compared, and how, in a line.
        figures: Mean and spread of each explainer and metric.
        values: The same for each seed.
        rows: Every figure of every explainer, seed and class.
        keys: The metrics that are shown.
        notes: What the figures are of.
        facts_of_data: What else a script may want to know, such as rows that were left out.
    """

    folder: Path
    title: str
    figures: Mapping[str, Mapping[str, Figure]]
    values: Values
    rows: Sequence[Rows]
    keys: Sequence[str]
    notes: Sequence[str]
    facts_of_data: Mapping[str, Any]

    def text(self) -> str:
        """A table for a terminal, with notes."""
        table = comparison_table(self.figures, self.keys) if self.keys else ["no figures"]
        lines = [*table, "", *wrapped_notes(self.notes), ""]
        return "\n".join(
            [*wrapped_notes([self.title]), "", *lines, f"{self.folder}: every figure and prototype, {PICTURE}"]
        )

    def csv(self) -> str:
        """A row an explainer and metric."""
        return comparison_csv(self.figures, self.keys)

    def latex(self) -> str:
        """A table for a paper."""
        caption = ". ".join(filter(None, [self.title, *self.notes[:2]])) + "."
        return comparison_latex(self.figures, self.keys, caption)

    def facts(self) -> dict[str, Any]:
        """Everything for scripts."""
        plain = {name: {key: vars(figure) for key, figure in row.items()} for name, row in self.figures.items()}
        seeds = sorted({row["seed"] for row in self.rows})
        return {
            "out": str(self.folder),
            "seeds": len(seeds),
            "title": self.title,
            "explainers": plain,
            "rows": list(self.rows),
            **self.facts_of_data,
        }


def compared(
    request: Request, folder: Path, *, num_seeds: int, jobs: int, shown: Sequence[str] | None, **options: Any
) -> Compared:
    """Compare, keep everything in a folder, and give the figures.

    Args:
        request: The data and the model.
        folder: Where results are kept.
        num_seeds: How many seeds.
        jobs: How many of them side by side.
        shown: Metrics of the table; all where ``None``.
        options: Other options of the comparison.
    """
    _check_folder(folder, [*request.run.inputs().values(), *filter(None, [request.data_root])])
    files, content = _files(options["explainers"], num_seeds), _content(request)
    with open_folder(folder, KIND, way_out=OTHER_OUT) as opened, command_progress() as progress:
        if request.run.model is not None:
            request.classifier()  # whether it can be had is known before any work
        with bad_rows_in(beside(folder, "bad-rows.csv")):
            loaded = request.loaded(0, progress)
        facts = tell_left_out(loaded.left_out, folder / LEFT_OUT)
        comparison = Comparison(
            load=request.data,
            seeds=range(num_seeds),
            folder=opened.resumed(files),
            model=None if request.run.model is None else request.classifier,
            is_quick=request.is_quick,
            **options,
        )
        size = _size(request, loaded)
        typer.echo("\n".join(wrapped(cost_text(comparison.expected(*size), jobs), "  ")), err=True)
        rows = comparison.run(progress, jobs=jobs, size=size)
        result = _result(request, folder, comparison, rows, shown, facts, jobs)
        _write(opened, comparison, result, loaded)
        opened.publish_parts(files, content, keep=_of_same_data(folder, content))
    return result


def _check_folder(folder: Path, inputs: Iterable[Path]) -> None:
    for path in inputs if folder.is_dir() else ():
        if path.is_dir() and path.samefile(folder):
            raise ValueError(f"--out {folder} is a folder that is read from; {OTHER_OUT}")


def _files(explainers: Iterable[str], num_seeds: int) -> list[str]:
    """Every file of a comparison that is kept for the next one."""
    figures = [f"{file_stem(name)}-seed{{}}{end}.json" for name in explainers for end in ("", "-prototypes")]
    return [name.format(seed) for seed in range(num_seeds) for name in ("model-seed{}.pt", *figures)]


def _content(request: Request) -> dict[str, Any]:
    return {**request.run.as_json(), "is_quick": request.is_quick}


def _of_same_data(folder: Path, content: Mapping[str, Any]) -> list[str]:
    """Figures of other explainers and seeds that an earlier comparison on the same data and model has left there."""
    if not (folder / KIND.manifest).exists():
        return []
    earlier = read_manifest(folder, KIND)
    is_same = all(earlier.get(key) == value for key, value in content.items())
    return [name for name in earlier["files"] if "-seed" in name] if is_same else []


def _size(request: Request, loaded: Loaded) -> tuple[int, int]:
    """How many graphs and classes there are to explain, as far as that is known before the model is asked."""
    graphs = loaded.graphs
    num_classes = len(graphs.ground_truths) or len(graphs.class_names) or QUICK_CLASSES
    if not request.is_quick:
        return len(graphs), num_classes
    return min(len(graphs), QUICK_GRAPHS), min(num_classes, QUICK_CLASSES)


def _result(
    request: Request,
    folder: Path,
    comparison: Comparison,
    rows: Sequence[Rows],
    shown: Sequence[str] | None,
    facts: Mapping[str, Any],
    jobs: int,
) -> Compared:
    reference = next(iter(comparison.explainers))
    values = values_by_seed(rows, reference)
    every = {key for of in values.values() for key in of}
    untested = summarised(values, reference, ())
    tested = keys_shown(untested, shown and [key for key in shown if key in every])
    figures = summarised(values, reference, tested)
    for name in figures:
        figures[name]["stability"] = Figure(comparison.stability(name), None, len(comparison.seeds))
    keys = keys_shown(figures, shown)
    spread = spread_note(len(comparison.seeds), reference, keys, is_trained=request.run.model is None)
    return Compared(
        folder=folder,
        title=_title(request, comparison),
        figures=figures,
        values=values,
        rows=rows,
        keys=keys,
        notes=[
            spread if keys else "",
            significance_note(figures, keys, reference),
            not_shown_note(shown, keys),
            *notes_of(rows, keys, is_quick=request.is_quick),
            *_of_jobs(jobs, keys),
        ],
        facts_of_data=facts,
    )


def _of_jobs(jobs: int, keys: Sequence[str]) -> list[str]:
    is_timed = jobs > 1 and any(key in keys for key in ("seconds", "slower"))
    return [f"seconds are of up to {jobs} seeds side by side, or of an earlier run"] if is_timed else []


def _title(request: Request, comparison: Comparison) -> str:
    is_trained = request.run.model is None
    model = "a GCN trained for each seed" if is_trained else f"the model {request.run.model}"
    title = f"{request.run.data}, {model}, {count_of(len(comparison.seeds), 'seed')}"
    if not request.is_quick:
        return title
    epochs = f", {QUICK_EPOCHS} epochs" if is_trained else ""
    return (
        f"QUICK, no result to cite: {title}; at most {QUICK_GRAPHS} graphs, {QUICK_CLASSES} classes{epochs}, and a "
        f"tenth of the generators' steps"
    )


def _write(opened: OpenFolder, comparison: Comparison, result: Compared, loaded: Loaded) -> None:
    """Write the figures and the picture of the first seed."""
    (opened.staged / FIGURES).write_text(result.csv(), encoding="utf-8")
    (opened.staged / SEEDS).write_text(seeds_csv(result.values), encoding="utf-8")
    (opened.staged / LATEX).write_text(result.latex(), encoding="utf-8")
    if loaded.left_out:
        write_rows(loaded.left_out, opened.staged / LEFT_OUT)
    explained = {name: comparison.explanations(name, 0) for name in comparison.explainers}
    if any(explained.values()):
        truths = loaded.graphs.ground_truths
        plot_comparison(opened.staged / PICTURE, explained, truths, f"{loaded.graphs.name}, seed 0")
