"""Seconds and memory of explaining: beside forward passes of the model itself, and beside another checkout of ours.

    python -m research.speed                          prints a table and writes results/speed.json
    python -m research.speed --only sets hard         measures these parts
    python -m research.speed --against ../before      each round in turns with that checkout; prints the ratios

Every measurement is a process of its own, which compiles or loads the loops on an easy case first, so that one without
end cannot hang the others and the high-water mark of its memory is its own. *One forward pass* is the plain model over
the same graphs through PyG's DataLoader in batches of 256. Only the public names of the library are used, so that older
checkouts can be measured too.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader

import protograph as pg
from research import certificate
from research.hard_cases import CASES, easy_case

SETS = ("ba-house", "ba-grid", "solubility", "mutagenicity", "benzene")
SEARCHES: dict[str, dict[str, Any]] = {
    "default": {},
    "prototypes only": {"max_reasons": 0},
    "walk": {"search": "walk", "num_clusters": 2},
}
# Trained briefly: how long a search takes depends little on how good the model is. BA sets need it to learn anything.
EPOCHS, EPOCHS_OF_BA = 8, 1000
SEED = 0
STOP = 900.0  # seconds after which a measurement is ended
NUM_GRAPHS, NUM_NODES, NUM_KINDS = 1_000_000, 20, 3
MOST_HARD_SECONDS, MOST_COMPILING_SECONDS, MOST_IMPORT_SECONDS, MOST_MEGABYTES = 5.0, 12.0, 0.15, 4_000.0
# All classes may take so many times the seconds of another checkout.
MOST_TIMES = 1.5

Figures = dict[str, float]


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def forward_pass(model: torch.nn.Module, graphs: list[Data]) -> None:
    with torch.no_grad():
        for batch in DataLoader(graphs, batch_size=256):
            model(batch.x, batch.edge_index, batch.batch)


def explain_set(name: str, search: str) -> Figures:
    """All classes of a data set, between two forward passes."""
    data = pg.datasets.load(name)
    epochs = EPOCHS_OF_BA if name.startswith("ba-") else EPOCHS
    model, graphs = pg.train(data, hidden=data.hidden, max_epochs=epochs, random_state=SEED).model, list(data)
    forward_pass(model, graphs)
    before = seconds(lambda: forward_pass(model, graphs))
    taken = seconds(lambda: pg.PAGE(random_state=SEED, **SEARCHES[search]).fit(model, graphs).explain_all())
    after = seconds(lambda: forward_pass(model, graphs))
    return {"seconds": taken, "forward passes": 2 * taken / (before + after)}


def explain_case(name: str) -> Figures:
    """Graphs that are hard to search."""
    case = CASES[name](np.random.default_rng(SEED))
    model = case.model()
    return {"seconds": seconds(lambda: pg.PAGE(max_reasons=0).fit(model, case.graphs).explain_all())}


def random_trees(number: int, seed: int = SEED) -> Iterator[Data]:
    """Random trees with kinds of nodes; in every other one four nodes of one kind are all joined."""
    rng = np.random.default_rng(seed)
    later, features = np.arange(1, NUM_NODES), torch.eye(NUM_KINDS)
    clique = np.array([(u, v) for u in range(4) for v in range(u)]).T
    for place in range(number):
        label, kinds = place % 2, rng.integers(0, NUM_KINDS, NUM_NODES)
        edges = np.stack([later, (rng.random(NUM_NODES - 1) * later).astype(np.int64)])
        if label:
            edges, kinds[:4] = np.concatenate([clique, edges[:, 3:]], axis=1), 0
        ends = torch.from_numpy(np.concatenate([edges, edges[::-1]], axis=1))
        yield Data(x=features[torch.from_numpy(kinds)], edge_index=ends, y=torch.tensor([label]))


def explain_generator(number: str) -> Figures:
    """Very many graphs that are read once, explained and saved."""
    model = pg.train(list(random_trees(400)), hidden=(32, 32), max_epochs=30).model
    with tempfile.TemporaryDirectory() as folder:
        taken = seconds(
            lambda: (
                pg.PAGE().fit(model, random_trees(int(number))).explain_all().save(Path(folder) / "explanation.json")
            )
        )
    return {"seconds": taken, "megabytes": peak_megabytes()}


def peak_megabytes() -> float:
    """Most memory that this process has had; what ``resource`` tells counts in that of the process that started it."""
    (peak,) = [line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line]
    return int(peak) * 1024 / 1e6


def compile_demo() -> Figures:
    """How much longer the demo takes where nothing is compiled yet."""
    with tempfile.TemporaryDirectory() as folder:
        surroundings = os.environ | {"NUMBA_CACHE_DIR": f"{folder}/compiled", "PROTOGRAPH_PROGRESS": "off"}

        def demo(out: str) -> None:
            command = [sys.executable, "-m", "protograph", "explain", "ba-house", "--out", f"{folder}/{out}"]
            subprocess.run(command, env=surroundings, check=True, capture_output=True)

        return {"seconds": seconds(lambda: demo("first")) - seconds(lambda: demo("second"))}


def import_library() -> Figures:
    """How long the import of protograph takes after that of PyG."""
    code = "import torch_geometric, time; s = time.perf_counter(); import protograph; print(time.perf_counter() - s)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {"seconds": float(done.stdout)}


# Of each part what is measured: a name, the function with its arguments, and the most that each figure may be.
Measurement = tuple[str, list[str], Figures]
PARTS: dict[str, list[Measurement]] = {
    "sets": [(f"{name}, {search}", ["explain_set", name, search], {}) for name in SETS for search in SEARCHES],
    "hard": [(name, ["explain_case", name], {"seconds": MOST_HARD_SECONDS}) for name in CASES],
    "compiling": [("make demo", ["compile_demo"], {"seconds": MOST_COMPILING_SECONDS})],
    "import": [("import protograph", ["import_library"], {"seconds": MOST_IMPORT_SECONDS})],
    "generator": [
        (f"{NUM_GRAPHS:,} graphs", ["explain_generator", str(NUM_GRAPHS)], {"megabytes": MOST_MEGABYTES}),
    ],
}
# These compile or import what they measure.
COLD = ("compile_demo", "import_library")


def in_process(call: list[str], checkout: Path) -> Figures | None:
    """Measure with the library of a checkout; ``None`` where it failed or was ended."""
    surroundings = os.environ | {"PYTHONPATH": f"{checkout.resolve() / 'src'}{os.pathsep}{certificate.ROOT}"}
    command = [sys.executable, "-W", "ignore", "-m", "research.speed", "--measure", *call]
    try:
        done = subprocess.run(
            command, env=surroundings, cwd=certificate.ROOT, capture_output=True, text=True, check=True, timeout=STOP
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        print(f"    {error}\n{error.stderr or ''}", file=sys.stderr)
        return None
    return dict(json.loads(done.stdout.splitlines()[-1]))


def measure_here(call: list[str]) -> None:
    """In this process: print the figures of one measurement."""
    warnings.simplefilter("ignore", pg.ProtographWarning)
    function, *arguments = call
    if function not in COLD:
        easy = easy_case(np.random.default_rng(SEED))
        for options in SEARCHES.values():
            pg.PAGE(**options).fit(easy.model(), easy.graphs).explain_all()
    print(json.dumps(globals()[function](*arguments)))


def limits_of(parts: dict[str, dict[str, list[Figures | None]]]) -> list[dict[str, Any]]:
    """Medians beside the most that they may be; a measurement that failed counts as what it was given."""
    return [
        certificate.limit(
            f"{name}: {figure}", median([one or {figure: STOP} for one in parts[part][name]], figure), at_most=most
        )
        for part, measurements in PARTS.items()
        for name, _, limits in measurements
        if name in parts.get(part, {})
        for figure, most in limits.items()
    ]


def median(rounds: list[Figures], figure: str) -> float:
    return statistics.median(one[figure] for one in rounds)


def shown(rounds: list[Figures | None]) -> str:
    """Medians with their spread."""
    done = [one for one in rounds if one]
    if not done:
        return "failed"
    spreads = {
        figure: (median(done, figure), min(one[figure] for one in done), max(one[figure] for one in done))
        for figure in done[0]
    }
    return ", ".join(
        f"{middle:.2f} ({least:.2f} to {most:.2f}) {figure}" for figure, (middle, least, most) in spreads.items()
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART")
    parser.add_argument("--against", type=Path, help="another checkout, measured in turns with this one")
    parser.add_argument("--out", type=Path, default=certificate.RESULTS / "speed.json")
    parser.add_argument("--measure", nargs="+", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        measure_here(asked.measure)
        return
    parts: dict[str, dict[str, list[Figures | None]]] = {}
    too_slow = []
    for part in asked.only:
        for name, call, _ in PARTS[part]:
            ours, others = [], []
            for _ in range(asked.rounds):
                others += [in_process(call, asked.against)] if asked.against else []
                ours.append(in_process(call, certificate.ROOT))
            parts.setdefault(part, {})[name] = ours
            line = f"{name:<48} {shown(ours)}"
            ratios = [
                one["seconds"] / other["seconds"] for one, other in zip(ours, others, strict=False) if one and other
            ]
            if ratios:
                line += f"; {statistics.median(ratios):.2f} times ({min(ratios):.2f} to {max(ratios):.2f})"
                too_slow += [name] if part == "sets" and statistics.median(ratios) > MOST_TIMES else []
            print(line, flush=True)
    if asked.against:
        sys.exit(f"more than {MOST_TIMES} times as long: {', '.join(too_slow)}" if too_slow else 0)
    limits = limits_of(parts)
    certificate.write(asked.out, parts, seeds=[SEED], limits=limits)
    missed = [one["what"] for one in limits if not one["holds"]]
    sys.exit(f"missed: {', '.join(missed)}" if missed else 0)


if __name__ == "__main__":
    main()
