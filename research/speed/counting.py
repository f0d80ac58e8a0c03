"""(g) Patterns counted in all of Benzene, beside RDKit and on two threads; both have read the molecules before."""

import statistics
from typing import Any

import torch
from torch_geometric.data import Data

import protograph as pg
from research import certificate
from research.speed.data import loaded
from research.speed.timing import Part, calibration, median_and_spread, row, seconds

# Elements and bonds, and the same as SMARTS, whatever the bonds.
PATTERNS = {
    "six carbons in a ring": ("CCCCCC", [(i, (i + 1) % 6) for i in range(6)], "[#6]~1~[#6]~[#6]~[#6]~[#6]~[#6]~1"),
    "a nitrogen with two oxygens": ("NOO", [(0, 1), (0, 2)], "[#8]~[#7]~[#8]"),
    "four carbons in a chain": ("CCCC", [(0, 1), (1, 2), (2, 3)], "[#6]~[#6]~[#6]~[#6]"),
}
LEAST_TIMES_FASTER = 1.8


def pattern_of(elements: str, bonds: list[tuple[int, int]], names: tuple[str, ...]) -> Data:
    """A pattern with features as the data set has them."""
    x = torch.eye(len(names))[[names.index(element) for element in elements]]
    edges = torch.tensor(bonds).t()
    return Data(x=x, edge_index=torch.cat([edges, edges.flip(0)], 1))


def measure(repeats: int) -> dict[str, Any]:
    try:
        from rdkit import Chem
    except ImportError:
        return {"skipped": "RDKit is not installed"}
    try:
        data = loaded("benzene")
    except OSError as error:
        return {"skipped": f"the data set is not there: {error}"}
    graphs = list(data)
    if "smiles" not in graphs[0]:
        return {"skipped": "the table of SMILES is not beside the graphs"}
    encoded, molecules = pg.metrics.EncodedGraphs(graphs), [Chem.MolFromSmiles(graph.smiles) for graph in graphs]
    labels = data.labels
    found = {}
    for name, (elements, bonds, smarts) in PATTERNS.items():
        pattern, query = pattern_of(elements, bonds, data.feature_names), Chem.MolFromSmarts(smarts)

        def ours(workers: int, pattern: Data = pattern) -> Any:
            return pg.metrics.support(pattern, encoded, labels, workers=workers).contains

        def theirs(query: Any = query) -> list[bool]:
            return [molecule.HasSubstructMatch(query) for molecule in molecules]

        assert ours(1).tolist() == ours(2).tolist() == theirs(), f"the two do not agree on which molecules have {name}"
        # In turns, so that a busy moment of the machine falls on all.
        times = [(seconds(lambda o=ours: o(1)), seconds(lambda o=ours: o(2)), seconds(theirs)) for _ in range(repeats)]
        found[name] = {
            "smarts": smarts,
            "num_containing": sum(theirs()),
            "seconds": [one for one, _, _ in times],
            "two_threads_seconds": [two for _, two, _ in times],
            "rdkit_seconds": [other for _, _, other in times],
        }
    return {"num_graphs": len(graphs), "loop_seconds": calibration(), "patterns": found}


def beside_rdkit(one: dict[str, Any]) -> list[float]:
    """Our time on one thread, RDKit's being 1."""
    return [own / other for own, other in zip(one["seconds"], one["rdkit_seconds"], strict=True)]


def times_faster(one: dict[str, Any]) -> list[float]:
    """How many times as fast two threads are as one."""
    return [single / two for single, two in zip(one["seconds"], one["two_threads_seconds"], strict=True)]


def show(content: dict[str, Any]) -> None:
    if "skipped" in content:
        row("(g) patterns counted in Benzene", f"skipped: {content['skipped']}")
        return
    for name, one in content["patterns"].items():
        ratios, faster = beside_rdkit(one), times_faster(one)
        own, other = (1e3 * statistics.median(one[key]) for key in ("seconds", "rdkit_seconds"))
        figure = f"{median_and_spread(ratios)}; {own:.0f} ms and {other:.0f} ms"
        row(f"(g) {name}, RDKit's time being 1", figure, "at most 1", statistics.median(ratios) <= 1)
        loops = own / 1e3 / content["loop_seconds"]
        holds = statistics.median(faster) >= LEAST_TIMES_FASTER
        row("    times faster on two threads", f"{median_and_spread(faster)}; {loops:.2f} loops", "at least 1.8", holds)


def limits(content: dict[str, Any]) -> list[dict[str, Any]]:
    found = []
    for name, one in content.get("patterns", {}).items():
        faster = statistics.median(times_faster(one))
        found += [
            certificate.limit(f"(g) {name}, RDKit's time being 1", statistics.median(beside_rdkit(one)), at_most=1.0),
            certificate.limit(f"(g) {name}, times faster on two threads", faster, at_least=LEAST_TIMES_FASTER),
        ]
    return found


PART = Part("patterns", measure, show, limits)
