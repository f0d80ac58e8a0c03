"""Would a test notice? Forty changes of what the library does, one at a time, each with the tests that must fail.

    python -m research.mutants                   all of them; prints a line each and writes results/mutants.json
    python -m research.mutants --only 3 17       these; the rest is kept as it was measured
    python -m research.mutants --jobs 2          two at a time, each in a copy of its own

A mutant is a comparison turned round, an index off by one, an argument swapped, a sort or a tolerance left out. It is
put into a copy of the tree, in which its tests run until the first fails. One whose text is no longer found once in its
file is an error: the code has changed, and the mutant must follow.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from research import certificate

RESULT = certificate.RESULTS / "mutants.json"
SOURCE = Path("src") / "protograph"
COPIED = ("src", "tests", "research", "docs", "results", "pyproject.toml", "README.md", "Makefile")
LEAST_KILLED = 36
SECONDS = 600  # after which a mutant counts as killed: its tests came to no end


@dataclass(frozen=True)
class Mutant:
    """A change of one file.

    Attributes:
        place: A file or folder below ``src/protograph``; of a folder the only file that has the text.
        old: Text that is there once.
        new: What stands in its place.
        tests: Files of tests, below ``tests``, divided by blanks.
    """

    place: str
    old: str
    new: str
    tests: str

    def file(self, root: Path) -> Path:
        """The file that is changed.

        Raises:
            LookupError: If the text is not there once.
        """
        place = root / SOURCE / self.place
        files = [place] if place.is_file() else sorted(place.rglob("*.py"))
        counts = {file: file.read_text().count(self.old) for file in files}
        found = [file for file, count in counts.items() if count]
        if sum(counts.values()) != 1:
            raise LookupError(f"{self.place} must have {self.old!r} once, it has it {sum(counts.values())} times")
        return found[0]


ISOMORPHISM, SUBGRAPHS = "patterns/isomorphism_kernels.py", "patterns/test_subgraph_isomorphism.py"
DATASET, COLLATED = "graphs/dataset.py", "graphs/test_dataset.py"
RULES = "page/reasons/test_{}.py"
MUTANTS = (
    # Patterns
    Mutant(ISOMORPHISM, "< plan.least[own]:", "<= plan.least[own]:", SUBGRAPHS),
    Mutant(ISOMORPHISM, "positions[position, DEGREE] != degree:", "positions[position, DEGREE] > degree:", SUBGRAPHS),
    Mutant(ISOMORPHISM, "elif is_induced:", "elif not is_induced:", SUBGRAPHS),
    Mutant(ISOMORPHISM, "if num_places == plan.at_least:", "if num_places + 1 >= plan.at_least:", SUBGRAPHS),
    Mutant(
        ISOMORPHISM, "if accepts[graphs.edge_kinds[at], own]:", "if not accepts[graphs.edge_kinds[at], own]:", SUBGRAPHS
    ),
    Mutant(
        "patterns",
        "return sizes[0] == sizes[1] and contains(",
        "return sizes[0][0] == sizes[1][0] and contains(",
        SUBGRAPHS,
    ),
    Mutant(
        "patterns",
        "if np.array_equal(self.text(self._first_path(branch)), own):",
        "if not np.array_equal(self.text(self._first_path(branch)), own):",
        "patterns/test_canonical.py",
    ),
    Mutant(
        "patterns",
        "        fresh[node] -= 1\n",
        "",
        "patterns/test_canonical.py",
    ),
    # The container of graphs
    Mutant(DATASET, "shift = ptr[:-1].repeat_interleave(", "shift = ptr[1:].repeat_interleave(", COLLATED),
    Mutant(DATASET, "value.size(dim) for value in values", "value.size(0) for value in values", COLLATED),
    Mutant(DATASET, "self.starts[first : last + 1] - begin", "self.starts[first : last + 1]", COLLATED),
    Mutant("graphs", "(ends >= 0).all(dim=0)", "(ends >= 0).any(dim=0)", "graphs/test_subgraph.py"),
    Mutant("graphs", "(source == target) | torch.isin(source", "torch.isin(source", "graphs/test_subgraph.py"),
    Mutant("graphs", "(after != before).to", "(after != 0).to", "graphs/test_subgraph.py"),
    # The readout
    Mutant(
        "models/readout",
        "shared = rows[place] / beside(self._num_nodes(rows.dtype)[place], rows)",
        "shared = rows[place]",
        "models/test_readout_detect.py models/test_inference.py",
    ),
    Mutant(
        "models/readout",
        'and how != "add":',
        'and how == "add":',
        "models/test_readout_mask.py models/test_readout_detect.py",
    ),
    Mutant(
        "models/readout",
        "index[share > 0] if isinstance(index, Tensor) else index",
        "index",
        "models/test_readout_mask.py models/test_readout_detect.py",
    ),
    Mutant(
        "models/readout",
        "return source[share > 0]",
        "return source[share >= 0]",
        "models/test_readout_mask.py models/test_readout_detect.py",
    ),
    Mutant(
        "models/readout",
        "elif reached & self._of_nodes:",
        "elif not reached & self._of_nodes:",
        "models/test_readout_detect.py models/test_readout_capture.py",
    ),
    Mutant(
        "models/readout",
        "replace(step.place, is_mean=True)",
        "replace(step.place, is_mean=False)",
        "models/test_readout_detect.py models/test_readout_mask.py",
    ),
    # Saving
    Mutant("explanation", "self._packed_left -= size", "self._packed_left -= 0", "explanation"),
    Mutant("explanation", "if len(content) != length:", "if len(content) > length:", "explanation"),
    Mutant("explanation", "length + 1)", "length)", "explanation"),
    Mutant("explanation", "if version != VERSION:", "if version > VERSION:", "explanation"),
    Mutant("explanation", "self._nodes_left -= count", "self._nodes_left -= 0", "explanation"),
    # The search for rules
    Mutant(
        "page/reasons",
        "bdtrc(at_least - 1,",
        "bdtrc(at_least,",
        RULES.format("confirming"),
    ),
    Mutant("page/reasons", "chance * (rank + 1) / len(chances) for", "chance for", RULES.format("confirming")),
    Mutant("page/reasons", "(left[one] & ~covered).sum()", "left[one].sum()", RULES.format("confirming")),
    Mutant("page/reasons", "least = now - 2 * loss", "least = now - 20 * loss", RULES.format("simplifying")),
    Mutant(
        "page/reasons",
        "complexity < known[0].complexity",
        "complexity > known[0].complexity",
        RULES.format("pool"),
    ),
    Mutant("page/reasons", "<= holds.size - self._min_graphs:", "<= holds.size:", RULES.format("pool")),
    Mutant(
        "page/reasons",
        "~holds[:, others].any(axis=1)",
        "~holds[:, others].all(axis=1)",
        RULES.format("joint_rules"),
    ),
    Mutant("explanation", "(holds.sum(axis=1) == 1)", "(holds.sum(axis=1) >= 1)", "explanation"),
    # PAGE
    Mutant(
        "_utils/ties.py",
        "return max(TOLERANCE, resolution * scale)",
        "return min(TOLERANCE, resolution * scale)",
        "utils/test_ties.py",
    ),
    Mutant("page", "/ sqrt(len(nodes))", "/ len(nodes)", "page/test_trimming.py"),
    Mutant(
        "page",
        "there.inside.sum() == occurrence.inside.sum()",
        "there.inside.sum() >= occurrence.inside.sum() - 1",
        "page/test_trimming.py",
    ),
    Mutant(
        "page",
        "size = min(len(part.pattern) for",
        "size = max(len(part.pattern) for",
        "page/test_trimming.py",
    ),
    Mutant("page", "-scores.mean(axis=axis", "-scores.sum(axis=axis", "page/test_matching.py"),
    Mutant("page", "products, 0.0) ** (1 / len(pairs))", "products, 0.0)", "page/test_matching.py"),
    Mutant("page", "spread = (high - low) / NORMAL_RANGE", "spread = high - low", "page/test_clustering.py"),
)


def copy_tree(folder: Path) -> Path:
    """A copy of what tests need, with what is compiled beside it."""
    for name in COPIED:
        source = certificate.ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name)  # with its times, by which Numba knows what it compiled
        else:
            shutil.copy2(source, folder / name)
    return folder


def run_tests(root: Path, file: Path, tests: str) -> subprocess.CompletedProcess[str]:
    """Run tests, and the examples of a file, in a copy until the first fails."""
    surroundings = os.environ | {"PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}", "OMP_NUM_THREADS": "1"}
    files = [str(file), *(f"tests/{name}" for name in tests.split())]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *files]
    return subprocess.run(command, cwd=root, env=surroundings, capture_output=True, text=True, timeout=SECONDS)


def is_killed(mutant: Mutant, root: Path) -> bool:
    """Whether its tests fail with a mutant; the copy is put back afterwards, times included.

    Raises:
        RuntimeError: If the tests did not run at all.
    """
    file = mutant.file(root)
    original, times = file.read_text(), file.stat()
    file.write_text(original.replace(mutant.old, mutant.new))
    try:
        done = run_tests(root, file, mutant.tests)
    except subprocess.TimeoutExpired:
        return True
    finally:
        file.write_text(original)
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    if done.returncode not in (0, 1, 2):  # 2: a module fails as it is imported
        raise RuntimeError(f"pytest {mutant.tests} ended with {done.returncode}: {done.stdout[-2000:]}{done.stderr}")
    return done.returncode != 0


def limits_of(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """How many mutants must be noticed."""
    return [certificate.limit("mutants killed", sum(row["is_killed"] for row in rows), at_least=LEAST_KILLED)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", type=int, help="numbers of mutants")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    for one in MUTANTS:
        one.file(certificate.ROOT)
    with tempfile.TemporaryDirectory(prefix="protograph-mutants-") as folder:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(asked.jobs):
            copies.put(copy_tree(Path(folder) / str(number)))

        def judge(number: int) -> dict[str, Any]:
            root = copies.get()
            try:
                killed = is_killed(MUTANTS[number], root)
            finally:
                copies.put(root)
            print(
                f"{number:2} {'killed  ' if killed else 'SURVIVED'} {MUTANTS[number].place}: {MUTANTS[number].new}",
                flush=True,
            )
            return {**asdict(MUTANTS[number]), "is_killed": killed}

        with ThreadPoolExecutor(asked.jobs) as pool:
            rows = list(pool.map(judge, asked.only or range(len(MUTANTS))))
    known = {(row["old"], row["new"]): row for row in [*certificate.read(RESULT, []), *rows]}
    whole = [row for one in MUTANTS if (row := known.get((one.old, one.new)))]
    limits = limits_of(whole)
    certificate.write(
        RESULT, whole, seeds=[0], limits=limits, earlier=certificate.runs_of(RESULT) if asked.only else []
    )
    print(f"{limits[0]['value']} of {len(whole)} killed")
    sys.exit(not limits[0]["holds"])


if __name__ == "__main__":
    main()
