"""The tests mirror the sources: ``src/protograph/a/b.py`` is tested by ``tests/a/test_b.py``."""

import ast
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE, TESTS = ROOT / "src" / "protograph", ROOT / "tests"
# Modules that are tested elsewhere, where, and why not by a file of their own.
ELSEWHERE = {
    "explanation/changes.py": ("explanation/test_difference.py", "records of what a difference has"),
    "page/candidate.py": ("page/test_explainer.py", "a record that is handed from one step to the next"),
    "page/option_checks.py": ("page/test_explainer.py", "what pg.PAGE refuses when it is built"),
    "page/fitted.py": ("page/consensus/test_session_graphs.py", "a record of what a search is given"),
    "page/walk/kernels.py": ("page/walk/test_search.py", "compiled loops, compared with the oracle node for node"),
    "patterns/common_kernels.py": ("patterns/test_common.py", "compiled loops of the search that is tested there"),
    "patterns/containment_kernels.py": ("patterns/test_containment.py", "compiled loops of the search tested there"),
    "reproduce/items/fidelity_figure.py": ("reproduce/items/test_fidelity_writing.py", "drawn from the same results"),
    "reproduce/items/rq2_figure.py": ("reproduce/items/test_rq2_writing.py", "drawn from the same results"),
    "reproduce/worlds/motifs.py": ("reproduce/worlds/test_catalogue.py", "the words that worlds are written in"),
    "report/card_figures.py": ("report/test_report.py", "a page is tested by what it shows"),
    "report/cards.py": ("report/test_report.py", "a page is tested by what it shows"),
    "report/html.py": ("reproduce/test_page.py", "pieces of a page, tested by what it shows"),
    "report/looks.py": ("report/test_depicting.py", "what a graph is drawn as is tested by its pictures"),
    "report/markup.py": ("report/test_depicting.py", "elements of pictures are tested by the pictures"),
    "report/page.py": ("report/test_report.py", "a page is tested by what it shows"),
    "report/words.py": ("report/test_report.py", "a page is tested by what it shows"),
    "training/stack_kernels.py": ("training/test_stack_operations.py", "compiled loops, compared with PyTorch there"),
}


def has_code(module: Path) -> bool:
    """Whether a module defines anything: not one that only says what it is for or passes names on."""
    return any(isinstance(node, ast.FunctionDef | ast.ClassDef) for node in ast.walk(ast.parse(module.read_text())))


def without_mirror() -> list[str]:
    """Modules with code that have no test file at their place."""
    modules = [module.relative_to(SOURCE) for module in sorted(SOURCE.rglob("*.py")) if has_code(module)]
    # What the packages pass on, and the top package's door, are tested by their names.
    inner = [module for module in modules if module.name != "__init__.py"]
    return [m.as_posix() for m in inner if not (TESTS / m.parent / f"test_{m.name}").is_file()]


def test_every_module_has_its_tests():
    missing = [module for module in without_mirror() if not any(fnmatch(module, pattern) for pattern in ELSEWHERE)]
    wanted = [f"tests/{Path(m).parent.as_posix()}/test_{Path(m).name}".replace("/./", "/") for m in missing]
    assert not missing, f"write {', '.join(wanted)}, or say in ELSEWHERE where it is tested and why"


def test_the_table_is_not_out_of_date():
    missing = without_mirror()
    assert [pattern for pattern in ELSEWHERE if not any(fnmatch(module, pattern) for module in missing)] == []
    assert [place for place, _ in ELSEWHERE.values() if not (TESTS / place).is_file()] == []
    assert all(reason for _, reason in ELSEWHERE.values())


def test_every_test_file_of_a_package_has_its_module():
    """A test file whose module is gone is to move with it; those named here test several modules at once."""
    shared = {
        "datasets/test_ba_sets.py",
        "browser/test_report.py",
        "browser/test_made_reports.py",
        "report/test_colors.py",
    }
    files = [file.relative_to(TESTS) for file in sorted(TESTS.rglob("test_*.py")) if file.parent != TESTS]
    modules = {file.as_posix(): SOURCE / file.parent / file.name.removeprefix("test_") for file in files}
    assert [name for name, module in modules.items() if not module.is_file() and name not in shared] == []
