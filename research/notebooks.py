"""Do the examples run? Each notebook of ``examples/`` is executed anew, and kept with what it shows.

``python -m research.notebooks`` runs all of them, and with names after it only those. What differs from run to
run without meaning anything, such as times and the machine, is left out of the files.
"""

import sys
import tempfile
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent.parent / "examples"
SECONDS = 600  # most that one cell may take


def main(names: list[str]) -> None:
    """Execute the notebooks of these names, or all of them."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        if not names or path.stem in names:
            started = time.perf_counter()
            execute(path)
            size = path.stat().st_size / 1000
            print(f"{path.stem}: {time.perf_counter() - started:.0f} s, {size:.0f} kB")


def execute(path: Path) -> None:
    """Execute one notebook in an empty folder, and write it back; an error in a cell ends it."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook, timeout=SECONDS, record_timing=False, resources={"metadata": {"path": folder}}
        )
        client.execute()
    tidy(notebook)
    nbformat.write(notebook, path)


def tidy(notebook: nbformat.NotebookNode) -> None:
    """Leave out what is of the machine or of the moment: its Python, bars that are over, what was told on the way."""
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if not is_passing(output)]
            for output in cell.outputs:
                output.pop("transient", None)


def is_passing(output: nbformat.NotebookNode) -> bool:
    """Whether an output is a bar that is over, or what was written to standard error."""
    data = output.get("data", {})
    return output.get("name") == "stderr" or (output.output_type == "display_data" and not data.get("text/html", "x"))


if __name__ == "__main__":
    main(sys.argv[1:])
