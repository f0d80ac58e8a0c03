"""Do the rules say what the model predicts? Real data sets, data sets with a truth, planted worlds; graphs kept apart.

    python -m benchmarks.fidelity                                all of it, seeds 0 to 4 (hours)
    python -m benchmarks.fidelity bbbp --convs gcn --seeds 10    one data set or world, one seed
    python -m benchmarks.fidelity worlds                         all planted worlds
    python -m benchmarks.fidelity --merge one.json other.json    puts together what was measured in parts
    python -m benchmarks.fidelity --table                        prints what is in results/fidelity.json

Each finished model is added to results/fidelity.json, so that a run that was broken off goes on where it ended. Seeds
decide split, model and explanation. Models of real data sets are trained until they are as accurate as those of
LogicXGNN on the graphs kept apart; how many tries that took is beside.
"""

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

import torch
from torch_geometric.data import Data

import protograph as pg
from benchmarks import certificate, real_models, world_models
from benchmarks.fidelity_limits import limits_of, show
from benchmarks.fidelity_rows import prototypes_accuracy, row_of, truth_fidelity, truths_found
from benchmarks.real_models import LEAST_ACCURACY
from protograph.reproduce.worlds.catalogue import WORLDS
from protograph.reproduce.worlds.scores import found_reasons, prototype_accuracy

RESULT = certificate.RESULTS / "fidelity.json"
TRUTHS = ("ba-house", "ba-grid", "benzene", "solubility")
SEEDS = (0, 1, 2, 3, 4)
CONVS = ("gcn", "gin", "sage", "gat")
# The other architectures have two seeds each.
OTHER_SEEDS = 2
MODELS_A_WORLD = 1


def real_row(name: str, conv: str, seed: int, folder: Path | None, **options: object) -> dict:
    """One model of a real data set, from the folder if it is there."""
    graphs, data = real_models.graphs_of(name)
    path = folder / f"{name}-{conv}-{seed}.pt" if folder else None
    if path is not None and path.exists():
        one = real_models.load(path, graphs)
    else:
        one = real_models.model_of(graphs, seed, conv, LEAST_ACCURACY[name])
    if path is not None and not path.exists():
        real_models.save(one, path)
    inside, outside = ([graphs[i] for i in part] for part in (one.train, one.test))
    about = {"test_accuracy": one.accuracy, "num_tries": one.num_tries, "least_share": one.least_share}
    names = {"feature_names": data.feature_names, "class_names": data.class_names}
    return {"seed": seed, "conv": conv, **about, **row_of(one.model, inside, outside, seed, names, **options)[0]}


def truth_row(name: str, seed: int, **options: object) -> dict:
    """The paper's model of a data set with a truth, and the truth read as a rule beside the explanation."""
    data = pg.datasets.load(name, random_state=seed)
    trained = pg.train(data, hidden=data.hidden, random_state=seed)
    inside, outside = (_plain(data[part]) for part in (trained.split.train, trained.split.test))
    names = {"feature_names": data.feature_names, "class_names": data.class_names}
    row, explanations = row_of(trained.model, inside, outside, seed, names, **options)
    beside = {
        "truth": truth_fidelity(data.ground_truths, outside, trained.model),
        "truths_found": truths_found(data.ground_truths, explanations),
        "accuracy": prototypes_accuracy(data.ground_truths, explanations, inside),
    }
    return {"seed": seed, "test_accuracy": trained.test_accuracy, **beside, **row}


def _plain(graphs: Sequence[Data]) -> list[Data]:
    """Graphs with what models read and no more."""
    return [Data(x=one.x, edge_index=one.edge_index, y=one.y) for one in graphs]


def world_rows(name: str, seed: int, folder: Path | None, **options: object) -> list[dict]:
    """Models that have learned a planted world, and which of its reasons are found; one row with none if none has.

    Models that are in the folder are taken from there.
    """
    world = WORLDS[name]
    rows = []
    kept = list(world_models.kept_models(folder, world, seed))
    for one in kept or world_models.models_of(world, seed, MODELS_A_WORLD):
        inside, outside = ([one.graphs[i] for i in part] for part in (one.train, one.test))
        row, explanations = row_of(one.model, inside, outside, seed, {}, **options)
        found, accuracy = found_reasons(world, explanations), prototype_accuracy(world, explanations)
        about = {"conv": f"{one.conv} {one.readout}", "test_accuracy": one.accuracy, "num_dropped": one.num_dropped}
        rows.append({"seed": seed, "kind": world.kind, **about, "found": found, "accuracy": accuracy, **row})
    return rows or [{"seed": seed, "kind": world.kind, "num_dropped": world_models.MOST_TRIES, "fidelity": None}]


class Report:
    """The file that rows are added to, each as soon as it is measured."""

    def __init__(self, path: Path):
        self.path = path
        self.content = certificate.read(path, {"real": {}, "truths": {}, "worlds": {}})
        self.earlier = certificate.runs_of(path)

    def has(self, part: str, key: str, seed: int) -> bool:
        """Whether a seed is there."""
        return any(row["seed"] == seed for row in self.content[part].get(key, []))

    def add(self, part: str, key: str, rows: Sequence[dict]) -> None:
        """Add rows and write the file."""
        self.content[part][key] = sorted([*self.content[part].get(key, []), *rows], key=lambda row: row["seed"])
        self.write()
        for row in rows:
            shown = {k: row[k] for k in ("test_accuracy", "fidelity", "num_reasons", "found", "truth") if k in row}
            print(key, row["seed"], shown, flush=True)

    def merge(self, paths: Sequence[Path]) -> None:
        """Add the rows of other files that are not here, and the runs they are of."""
        for path in paths:
            self.earlier += [run for run in certificate.runs_of(path) if run not in self.earlier]
            for part, keys in certificate.read(path).items():
                for key, rows in keys.items():
                    new = [row for row in rows if not self.has(part, key, row["seed"])]
                    self.content[part][key] = sorted(
                        [*self.content[part].get(key, []), *new], key=lambda row: row["seed"]
                    )
        self.write()

    def write(self) -> None:
        """Write the file with its certificate."""
        seeds = [row["seed"] for keys in self.content.values() for rows in keys.values() for row in rows]
        certificate.write(self.path, self.content, seeds=seeds, limits=limits_of(self.content), earlier=self.earlier)


def missing(asked: argparse.Namespace, report: Report) -> list[tuple[str, str, str, int]]:
    """Part, name, convolution and seed of all rows that are asked for and not there yet."""
    rows = []
    for name in asked.names:
        for position, seed in enumerate(asked.seeds):
            for conv in asked.convs if name in LEAST_ACCURACY else ():
                if conv == "gcn" or position < OTHER_SEEDS:
                    rows.append(("real", name, conv, seed))
            rows += [("truths", name, "", seed)] if name in TRUTHS else []
            rows += [("worlds", name, "", seed)] if name in WORLDS else []
    return [row for row in rows if not report.has(row[0], title_of(row[1], row[2]), row[3])]


def title_of(name: str, conv: str) -> str:
    """What the file calls it."""
    return f"{name} {conv}".strip()


def measured(row: tuple[str, str, str, int], models: Path | None, max_reasons: int | None) -> list[dict]:
    """Measure one of the missing rows; in a process of its own if there are several."""
    torch.set_num_threads(1)
    part, name, conv, seed = row
    if part == "real":
        return [real_row(name, conv, seed, models, max_reasons=max_reasons)]
    if part == "truths":
        return [truth_row(name, seed, max_reasons=max_reasons)]
    return world_rows(name, seed, models, max_reasons=max_reasons)


def measure(asked: argparse.Namespace, report: Report) -> None:
    """Measure what is asked for and not there yet, and write each down as it comes."""
    rows = missing(asked, report)
    with ProcessPoolExecutor(asked.jobs, mp_context=get_context("spawn")) as pool:
        waiting = {pool.submit(measured, row, asked.models, asked.max_reasons): row for row in rows}
        for done in as_completed(waiting):
            part, name, conv, _ = waiting[done]
            report.add(part, title_of(name, conv), done.result())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    everything = [*LEAST_ACCURACY, *TRUTHS, "worlds"]
    parser.add_argument("names", nargs="*", help=f"of {', '.join(everything)}, or a world's; all by default")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(SEEDS))
    parser.add_argument("--convs", nargs="+", default=list(CONVS), choices=CONVS)
    parser.add_argument("--max-reasons", type=int, default=None, help="the default of the library if not given")
    parser.add_argument("--models", type=Path, help="folder of trained models, which are kept there")
    parser.add_argument("--jobs", type=int, default=1, help="models at once, each in a process of its own")
    parser.add_argument("--out", type=Path, default=RESULT)
    parser.add_argument("--merge", type=Path, nargs="+", help="only put these files together")
    parser.add_argument("--table", action="store_true", help="only print what is there")
    asked = parser.parse_args()
    names = asked.names or everything
    asked.names = [one for name in names for one in (WORLDS if name == "worlds" else [name])]
    unknown = [name for name in asked.names if name not in {*LEAST_ACCURACY, *TRUTHS, *WORLDS}]
    if unknown:
        parser.error(f"there is no data set or world {unknown[0]!r}")
    report = Report(asked.out)
    if asked.merge:
        report.merge(asked.merge)
    elif not asked.table:
        measure(asked, report)
    show(report.content)


if __name__ == "__main__":
    main()
