"""Packages import downwards only.

The import graph is read from the source: imports inside functions, under TYPE_CHECKING and by ``import_module`` count,
and ``from protograph import X`` counts as an import of the package that X comes from.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Import:
    """One import: where it is written, and the dotted module that it names, without the root package."""

    line: int
    module: str
    function: str | None


def wrong_imports(root: Path, layers: tuple[tuple[str, ...], ...]) -> list[str]:
    """A message for every import of the package at ``root`` that is not downwards, in the order of files and lines."""
    place = {name: number for number, layer in enumerate(layers) for name in layer}
    door = names_of_the_door(root)
    wrong = []
    for file in sorted(root.rglob("*.py")):
        package = package_of(file.relative_to(root).with_suffix("").parts)
        if package not in (*place, DOOR):
            wrong.append(f"{file.relative_to(root)}: {package} has no place in the order of the layers")
        elif package != DOOR:
            for one in imports_of(file, root, door):
                reason = complaint(package, one, place)
                if reason:
                    wrong.append(f"{file.relative_to(root)}:{one.line}: {reason}")
    return wrong


def complaint(package: str, one: Import, place: dict[str, int]) -> str | None:
    imported = package_of(tuple(one.module.split(".")))
    drawing = package == DRAWING_METHODS[0] and one.function in DRAWING_METHODS[1] and imported == DRAWING_METHODS[2]
    if imported == package or drawing:
        return None
    if imported == DOOR:
        return f"{package} imports the top package itself"
    if imported not in place:
        return f"{package} imports {imported}, which has no place in the order of the layers"
    if place[imported] > place[package]:
        return f"{package} imports {imported}, which is above it"
    if place[imported] == place[package]:
        return f"{package} imports {imported}, which is in the same layer"
    return None


def package_of(parts: tuple[str, ...]) -> str:
    return parts[0] or DOOR


def imports_of(file: Path, root: Path, door: dict[str, str]) -> Iterator[Import]:
    """What a file imports from its own root package."""
    for node, function in with_functions(ast.parse(file.read_text()), None):
        for name in imported_names(node, file, root):
            if name == root.name or name.startswith(f"{root.name}."):
                inner = name[len(root.name) + 1 :]
                yield Import(node.lineno, through_the_door(inner, root, door), function)


def with_functions(node: ast.AST, function: str | None) -> Iterator[tuple[ast.AST, str | None]]:
    """Every node with the name of the innermost function around it."""
    yield node, function
    inner = node.name if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else function
    for child in ast.iter_child_nodes(node):
        yield from with_functions(child, inner)


def imported_names(node: ast.AST, file: Path, root: Path) -> list[str]:
    """Dotted names that a statement, or a call of ``import_module``, imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        module = node.module or ""
        if node.level:
            around = (root.name, *file.relative_to(root).parts[: -node.level])
            module = ".".join([*around, *([module] if module else [])])
        return [f"{module}.{alias.name}" for alias in node.names]
    if isinstance(node, ast.Call) and node.args and called(node.func) in ("import_module", "__import__"):
        name = node.args[0]
        return [name.value] if isinstance(name, ast.Constant) and isinstance(name.value, str) else []
    return []


def called(function: ast.expr) -> str | None:
    return getattr(function, "id", None) or getattr(function, "attr", None)


def through_the_door(inner: str, root: Path, door: dict[str, str]) -> str:
    """The module a name is of: a name that the top package re-exports is of the module it comes from."""
    first = inner.partition(".")[0]
    if (root / first).is_dir() or (root / f"{first}.py").is_file():
        return inner
    return door.get(first, "")


def names_of_the_door(root: Path) -> dict[str, str]:
    """Names that the top package imports, each with its module, without the root package."""
    names = {}
    for node in ast.walk(ast.parse((root / "__init__.py").read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{root.name}."):
            names |= {alias.asname or alias.name: node.module[len(root.name) + 1 :] for alias in node.names}
    return names


def test_packages_import_downwards_only():
    wrong = wrong_imports(SOURCE, LAYERS)
    assert not wrong, "imports that are not downwards:\n" + "\n".join(wrong)


def test_every_layer_is_there():
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
    "text",
    [
        "import numpy\nfrom fake.low import things\n",
        "import fake.low.things\n",
        "from fake import thing\n",
        "from fake.left.other import one\nfrom .other import one\nfrom . import other\n",
        "from ..low import things\n",
        "def f():\n    from fake.low.things import thing\n",
    ],
)
def test_imports_downwards_and_within_a_package_are_right(fake, text):
    assert fake({"left/a.py": text}) == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("import os\nfrom fake.report.page import Page\n", 2),
        ("import fake.report.page as p\n", 1),
        ("from fake import report\n", 1),
        ("from fake import Page\n", 1),
        ("from ..report.page import Page\n", 1),
        ("from .. import report\n", 1),
        ("def f():\n    def g():\n        import fake.report\n", 3),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from fake.report.page import Page\n", 3),
        ("import importlib\nimportlib.import_module('fake.report.page')\n", 2),
        ("def plot():\n    from fake.report.page import Page\n", 2),
    ],
)
def test_an_import_upwards_is_found_wherever_it_is_written(fake, text, line):
    assert fake({"left/a.py": text}) == [f"left/a.py:{line}: left imports report, which is above it"]


def test_packages_of_one_layer_do_not_know_each_other(fake):
    assert fake({"left/a.py": "import fake.right\n"}) == ["left/a.py:1: left imports right, which is in the same layer"]


@pytest.mark.parametrize("text", ["import fake\n", "from fake import __version__\n", "from .. import __version__\n"])
def test_nothing_imports_the_door(fake, text):
    assert fake({"low/a.py": text}) == ["low/a.py:1: low imports the top package itself"]


def test_a_module_by_itself_is_a_layer_too(fake):
    assert fake({"stray.py": "x = 1\n", "low/a.py": "import fake.stray\n"}) == [
        "low/a.py:1: low imports stray, which has no place in the order of the layers",
        "stray.py: stray has no place in the order of the layers",
    ]


def test_an_explanation_draws_itself_in_three_methods_and_nowhere_else(fake):
    method = "class E:\n    def {}(self):\n        from fake.report.page import Page\n"
    assert fake({"explanation/a.py": method.format("plot") + method.format("report")}) == []
    assert fake({"explanation/a.py": method.format("_repr_html_")}) == []
    assert fake({"explanation/a.py": method.format("save")}) == [
        "explanation/a.py:3: explanation imports report, which is above it"
    ]
    assert fake({"explanation/a.py": "from fake.report.page import Page\n"}) == [
        "explanation/a.py:1: explanation imports report, which is above it"
    ]
