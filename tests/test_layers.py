"""Packages import downwards only.

The import graph is read from the source: imports inside functions, under TYPE_CHECKING and by ``import_module`` count,
and ``from protograph import X`` counts as an import of the package that X comes from.
"""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "protograph"
# From the bottom up. A package imports from the layers before its own; packages of one layer do not know each other.
LAYERS = (
    ("_utils",),
    ("engines",),
    ("graphs",),
    ("patterns",),
    ("molecules",),
    ("models",),
    ("explanation",),
    ("explainer",),
    ("page",),
    ("baselines",),
    ("metrics",),
    ("training",),
    ("datasets",),
    ("evaluation",),
    ("report",),
    ("cli",),
    ("__main__",),
)
# The door: it may import all, and nothing may import it.
DOOR = "__init__"
# An explanation draws itself: these methods, and nothing else in the package, may import the package that draws.
DRAWING_METHODS = ("explanation", ("plot", "report", "_repr_html_"), "report")


def wrong_imports(root, layers):
    """A message for every import of the package at ``root`` that is not downwards, in the order of files and lines."""
    place = {name: number for number, layer in enumerate(layers) for name in layer}
    door = names_of_the_door(root)
    wrong = []
    for file in sorted(root.rglob("*.py")):
        package = file.relative_to(root).with_suffix("").parts[0]
        if package not in (*place, DOOR):
            wrong.append(f"{file.relative_to(root)}: {package} has no place in the order of the layers")
        elif package != DOOR:
            for line, imported, function in imports_of(file, root, door):
                is_drawing = (package, imported) == DRAWING_METHODS[::2] and function in DRAWING_METHODS[1]
                if imported != package and not is_drawing and (reason := complaint(package, imported, place)):
                    wrong.append(f"{file.relative_to(root)}:{line}: {package} imports {reason}")
    return wrong


def complaint(package, imported, place):
    if imported == DOOR:
        return "the top package itself"
    if imported not in place:
        return f"{imported}, which has no place in the order of the layers"
    if place[imported] == place[package]:
        return f"{imported}, which is in the same layer"
    return f"{imported}, which is above it" if place[imported] > place[package] else ""


def imports_of(file, root, door):
    """Line, package and innermost function of every import of a file from its own root package."""
    found = []

    def visit(node, function):
        for name in imported_names(node, file, root):
            top, _, inner = name.partition(".")
            if top == root.name:
                found.append((node.lineno, package_of(inner.partition(".")[0], root, door), function))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            function = node.name
        for child in ast.iter_child_nodes(node):
            visit(child, function)

    visit(ast.parse(file.read_text()), None)
    return found


def imported_names(node, file, root):
    """Dotted names that a statement, or a call of ``import_module``, imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        around = (root.name, *file.relative_to(root).parts[: -node.level]) if node.level else ()
        module = ".".join([*around, *([node.module] if node.module else [])])
        return [f"{module}.{alias.name}" for alias in node.names]
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        called = getattr(node.func, "id", None) or getattr(node.func, "attr", None)
        return [str(node.args[0].value)] if called in ("import_module", "__import__") else []
    return []


def package_of(first, root, door):
    """The package that a name is of: of one that the top package re-exports, the one that it comes from."""
    if (root / first).is_dir() or (root / f"{first}.py").is_file():
        return first or DOOR
    return door.get(first, DOOR)


def names_of_the_door(root):
    """Names that the top package imports, each with the package it comes from."""
    names = {}
    for node in ast.walk(ast.parse((root / "__init__.py").read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{root.name}."):
            names |= {alias.asname or alias.name: node.module.split(".")[1] for alias in node.names}
    return names


def test_packages_import_downwards_only():
    wrong = wrong_imports(SOURCE, LAYERS)
    assert not wrong, "imports that are not downwards:\n" + "\n".join(wrong)
    names = [name for layer in LAYERS for name in layer]
    assert [name for name in names if not ((SOURCE / name).is_dir() or (SOURCE / f"{name}.py").is_file())] == []


FAKE_LAYERS = (("low",), ("left", "right"), ("explanation",), ("report",))
FAKE_DOOR = "from fake.low.things import thing\nfrom fake.report.page import Page\n__version__ = '1'\n"


@pytest.fixture
def fake(tmp_path):
    def write(files):
        root = tmp_path / "fake"
        packages = [name for layer in FAKE_LAYERS for name in layer]
        empty = {f"{name}/__init__.py": "" for name in packages}
        for name, text in ({"__init__.py": FAKE_DOOR} | empty | files).items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return wrong_imports(root, FAKE_LAYERS)

    return write


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("from fake import Page\n", 1, "report, which is above it"),
        ("from .. import report\n", 1, "report, which is above it"),
        ("if TYPE_CHECKING:\n    from ..report.page import Page\n", 2, "report, which is above it"),
        ("import importlib\nimportlib.import_module('fake.report.page')\n", 2, "report, which is above it"),
        ("import fake.right\n", 1, "right, which is in the same layer"),
        ("import fake\n", 1, "the top package itself"),
    ],
)
def test_a_wrong_import_is_found_wherever_it_is_written(fake, text, line, reason):
    assert fake({"left/a.py": text}) == [f"left/a.py:{line}: left imports {reason}"]


def test_an_explanation_draws_itself_in_three_methods_and_nowhere_else(fake):
    method = "class E:\n    def {}(self):\n        from fake.report.page import Page\n"
    assert fake({"explanation/a.py": "".join(map(method.format, DRAWING_METHODS[1]))}) == []
    assert fake({"explanation/a.py": method.format("save")}) == [
        "explanation/a.py:3: explanation imports report, which is above it"
    ]
