"""(c) Peak memory of the paper's search, each case in a process of its own.

NumPy reports every allocation to tracemalloc, which so sees the true peak; the process's own high-water mark would be
that of the imports.
"""

import subprocess
import sys
from typing import Any

from research import certificate
from research.speed.timing import Part, row

MOST_MIB = 500.0
CODE = """
import time, tracemalloc, numpy as np, torch
from torch_geometric.data import Data
from protograph.page.walk.search import SearchOptions, search
rng = np.random.default_rng(0)
def graph(size, degree):
    edges = {{(i, i + 1) for i in range(size - 1)}}
    count = np.bincount(np.array(sorted(edges)).ravel(), minlength=size)
    for _ in range(size * degree):
        a, b = sorted(rng.integers(0, size, 2).tolist())
        if a != b and max(count[a], count[b]) < degree and (a, b) not in edges:
            edges.add((a, b)); count[a] += 1; count[b] += 1
    e = torch.tensor(sorted(edges)).t()
    kinds = torch.tensor(rng.integers(0, {kinds}, size))
    return Data(x=torch.eye({kinds})[kinds], edge_index=torch.cat([e, e.flip(0)], 1))
graphs = [graph({size}, 4) for _ in range({k})]
embeddings = [np.maximum(rng.normal(size=({size}, 32)), 0) for _ in graphs]
tracemalloc.start()
started = time.perf_counter()
walks = search(graphs, embeddings, SearchOptions(match_features={match}, max_nodes=13))
elapsed = time.perf_counter() - started
assert all(walk.is_exact for walk in walks) == {exact}, walks
print(tracemalloc.get_traced_memory()[1] / 2**20, elapsed)
"""
CASES = {
    "k = 3, 417 nodes, features": {"k": 3, "size": 417, "kinds": 4, "match": True, "exact": True},
    "k = 3, 417 nodes, no features": {"k": 3, "size": 417, "kinds": 1, "match": False, "exact": True},
    "k = 8, 75 nodes, features": {"k": 8, "size": 75, "kinds": 3, "match": True, "exact": False},
    "k = 8, 75 nodes, no features": {"k": 8, "size": 75, "kinds": 1, "match": False, "exact": False},
}


def in_fresh_process(code: str) -> list[float]:
    """The numbers that some code prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


def measure(repeats: int) -> dict[str, list[float]]:
    """Peak MiB and seconds of each case; once, since it does not vary."""
    return {name: in_fresh_process(CODE.format(**case)) for name, case in CASES.items()}


def show(measured: dict[str, list[float]]) -> None:
    for name, (peak, elapsed) in measured.items():
        row(f"(c) peak memory, {name}", f"{peak:.0f} MiB, {elapsed:.1f} s", "at most 500 MiB", peak <= MOST_MIB)


def limits(measured: dict[str, list[float]]) -> list[dict[str, Any]]:
    return [certificate.limit(f"(c) peak MiB, {name}", peak, at_most=MOST_MIB) for name, (peak, _) in measured.items()]


PART = Part("memory", measure, show, limits)
