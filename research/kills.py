"""Is anything lost or left by half when a command is killed? At every change of files, and at random moments.

    python -m research.kills            200 kills, prints a line a command, writes results/kills.json
    python -m research.kills explain    one command

Each command is called over what an earlier one left, in a forked process, and killed: right before every rename,
removal and new folder that it makes, then at random moments of its time. What is there then must be what was there
before or what comes of a run that is not disturbed, byte for byte, or, of a folder that ``--force`` replaces, what was
there before under the name that it was moved to; of downloads, which finish one file after another, that holds for each
file. Then the same command is called again, and gives what it gives undisturbed. Clocks stand still, so that no file
tells how long something took.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
from torch_geometric.data import Data

import protograph as pg
from protograph import explainer
from protograph.cli import main as command
from protograph.datasets import registry
from protograph.datasets.files import SourceFile, cached_arrays
from protograph.datasets.spec import DatasetSpec, PaperCounts
from protograph.evaluation import comparison
from research import certificate
from research.killing import content_of, killed_after, killed_at
from tests.datasets.file_server import FileServer, serving

RESULT = certificate.RESULTS / "kills.json"
SEED, NUM_KILLS = 0, 200
Content = Mapping[str, bytes]
PAIR = ("--explainers", "page,random")
QUICK = ("--num-graphs", "1", "--num-clusters", "1")


@dataclass(frozen=True)
class Case:
    """A command to kill.

    Attributes:
        arguments: How it is called, in a folder of its own name with the inputs beside it.
        before: The calls that came before.
        is_one: Whether all of its files change at once.
    """

    arguments: tuple[str, ...]
    before: tuple[tuple[str, ...], ...] = ()
    is_one: bool = True


CASES = {
    "explain": Case(
        ("explain", "../graphs.pt", "--model", "../model.pt", "--target", "0", *QUICK, "--force", "--out", "run"),
        (("explain", "../graphs.pt", *QUICK, "--out", "run"),),
    ),
    "train": Case(
        ("train", "../graphs.pt", "--max-epochs", "2", "--seed", "1", "--out", "model.pt"),
        (("train", "../graphs.pt", "--max-epochs", "2", "--out", "model.pt"),),
    ),
    "compare": Case(
        (
            "compare",
            "tiny",
            "--explainers",
            "page,random",
            "--seeds",
            "2",
            "--max-nodes",
            "3",
            "--force",
            "--out",
            "table",
        ),
        (("compare", "tiny", "--explainers", "page,random", "--seeds", "1", "--max-nodes", "4", "--out", "table"),),
    ),
    "datasets fetch": Case(("datasets", "fetch", "tiny", "--data-root", "files"), is_one=False),
    "datasets check": Case(("datasets", "check", "tiny")),
}


def path_graph(kind: int, size: int) -> Data:
    ends = torch.arange(size - 1)
    edge_index = torch.stack([torch.cat([ends, ends + 1]), torch.cat([ends + 1, ends])])
    return Data(x=torch.eye(2)[[kind] * size], edge_index=edge_index, y=torch.tensor([kind]))


def tiny(files, random_state, num_graphs) -> pg.datasets.GraphDataset:
    """Paths of two kinds of nodes, whose sizes are kept in the cache."""
    sizes = cached_arrays("tiny", {"version": 1}, lambda: {"sizes": np.arange(40) % 5 + 3})["sizes"]
    graphs = [path_graph(number % 2, int(size)) for number, size in enumerate(sizes)]
    truths = {1: (path_graph(1, 3),)}
    return pg.datasets.GraphDataset(graphs=graphs, name="tiny", class_names=("a", "b"), ground_truths=truths)


def tiny_spec(server: FileServer) -> DatasetSpec:
    files = tuple(SourceFile(f"tiny/{name}.bin", None, server.url) for name in ("a", "b"))
    return DatasetSpec(name="tiny", load=tiny, files=(files,), paper=PaperCounts(40, 200, 320, "directed"))


@contextmanager
def prepared() -> Iterator[Path]:
    """A folder with graphs and a model, a small data set, a server of its files, and a clock that stands still."""
    with tempfile.TemporaryDirectory() as folder, serving(bytes(range(256)) * 4096) as server:
        server.handle_error = lambda *_: None  # clients are killed on purpose
        registry.SPECS["tiny"] = tiny_spec(server)
        time.perf_counter = lambda: 0.0
        explainer.datetime = SimpleNamespace(now=lambda zone: datetime(2026, 1, 1, tzinfo=zone))
        comparison.train = partial(comparison.train, max_epochs=2)  # what a model has learned is not asked here
        os.environ.pop("PROTOGRAPH_DATA", None)
        inputs = Path(folder)
        data = [path_graph(number % 2, number % 5 + 3) for number in range(40)]
        torch.save(data, inputs / "graphs.pt")
        call(inputs, "train", "graphs.pt", "--max-epochs", "9", "--out", "model.pt")
        yield inputs


def call(folder: Path, *arguments: str) -> None:
    """Call the command in a folder, which also has its cache."""
    os.chdir(folder)
    os.environ["PROTOGRAPH_CACHE"] = str(folder / "cache")
    sys.argv = ["protograph", *arguments]
    try:
        command()
    except SystemExit as leaving:
        if leaving.code:
            raise


@dataclass(frozen=True)
class Trial:
    """A command with what is there before and after it, undisturbed."""

    case: Case
    place: Path
    old: Content
    new: Content

    def start(self) -> Callable[[], None]:
        """Put back what was there before; gives the call."""
        shutil.rmtree(self.place)
        for name, content in self.old.items():
            (self.place / name).parent.mkdir(parents=True, exist_ok=True)
            (self.place / name).write_bytes(content)
        self.place.mkdir(exist_ok=True)
        return lambda: call(self.place, *self.case.arguments)

    def verdict(self) -> list[str]:
        """What is there after a kill; what is wrong after the next call."""
        state = self._state()
        with suppress(RuntimeError):  # it was refused
            undisturbed(self.place, self.case.arguments)
        here, new = visible(content_of(self.place)), visible(self.new)
        return [state, *([] if here.items() >= without_old(new).items() else ["rerun differs"])]

    def _state(self) -> str:
        here, old, new = (visible(content) for content in (content_of(self.place), self.old, self.new))
        if here in (old, new):
            return "new" if here == new else "old"
        if self.case.is_one and here == {
            name if name.startswith("cache/") else moved(name): text for name, text in old.items()
        }:
            return "moved"
        is_whole = all(content in (old.get(name), new.get(name)) for name, content in here.items())
        return "between" if is_whole and not self.case.is_one else "broken"


def moved(name: str) -> str:
    """A file under the name that ``--force`` moves its folder to."""
    first, *rest = Path(name).parts
    return Path(f"{first}.old", *rest).as_posix()


def without_old(content: Content) -> dict[str, bytes]:
    """Without folders that were moved away."""
    return {name: text for name, text in content.items() if not Path(name).parts[0].endswith(".old")}


def undisturbed(place: Path, arguments: tuple[str, ...]) -> None:
    killed_at(lambda: call(place, *arguments), sys.maxsize)


def visible(content: Content) -> Content:
    """Without what is not finished, and without locks and empty folders."""
    return {name: text for name, text in content.items() if not is_hidden(Path(name)) and not name.endswith("/")}


def is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts) or path.suffix == ".lock"


def kill(name: str, inputs: Path, num_random: int) -> Iterator[dict]:
    """Kill a command at every change and at so many random moments; a row for each of the two."""
    case, place = CASES[name], inputs / name.replace(" ", "-")
    place.mkdir()
    for arguments in case.before:
        call(place, *arguments)
    old = content_of(place)
    call(place, *case.arguments)  # so that all is imported and compiled in this process, which is forked
    Trial(case, place, old, {}).start()
    started = time.monotonic()
    undisturbed(place, case.arguments)
    seconds = time.monotonic() - started
    trial = Trial(case, place, old, content_of(place))
    verdicts: list[list[str]] = []
    while killed_at(trial.start(), len(verdicts), place):
        verdicts.append(trial.verdict())
    yield row(name, "every change", verdicts)
    draw, verdicts = np.random.default_rng([SEED, list(CASES).index(name)]), []
    while len(verdicts) < num_random:
        if killed_after(trial.start(), draw.uniform(0, seconds)):
            verdicts.append(trial.verdict())
    yield row(name, "random moments", verdicts)


def row(name: str, moments: str, verdicts: list[list[str]]) -> dict:
    counts = Counter(word for words in verdicts for word in words)
    kinds = {key: counts[key] for key in ("old", "new", "moved", "between", "broken", "rerun differs")}
    return {"command": name, "moments": moments, "seed": SEED, "kills": len(verdicts), **kinds}


def limits_of(rows: list[dict]) -> list[dict]:
    total = {key: sum(row[key] for row in rows) for key in ("kills", "broken", "rerun differs")}
    return [
        certificate.limit("kills", total["kills"], at_least=NUM_KILLS),
        certificate.limit("kills that left something broken", total["broken"], at_most=0),
        certificate.limit("kills after which the next run differs", total["rerun differs"], at_most=0),
    ]


def main() -> None:
    torch.set_num_threads(1)  # a forked process does not get the threads that its parent has begun
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commands", nargs="*", default=list(CASES))
    parser.add_argument("--random", type=int, default=32, help="random moments a command")
    parser.add_argument("--out", type=Path, default=RESULT)
    arguments = parser.parse_args()
    out, rows, called = arguments.out.resolve(), [], sys.argv
    with prepared() as inputs:
        for name in arguments.commands:
            for one in kill(name, inputs, arguments.random):
                print(one, flush=True)
                rows.append(one)
        os.chdir(out.parent)
    sys.argv = called  # commands were called in its place
    certificate.write(out, rows, seeds=[SEED], limits=limits_of(rows))
    sys.exit(not all(one["holds"] for one in limits_of(rows)))


if __name__ == "__main__":
    main()
