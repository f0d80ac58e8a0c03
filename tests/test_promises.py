"""What users rely on is written down in ``tests/promises/``: public names and signatures.

A change on purpose is accepted by ``python -m tests.test_promises --accept``, and shows up in the review as a diff.
"""

import dataclasses
import difflib
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import protograph as pg

FOLDER = Path(__file__).parent / "promises"
ACCEPT = "python -m tests.test_promises --accept"
DOORS = {"pg": pg, "pg.metrics": pg.metrics, "pg.datasets": pg.datasets}
PUBLIC = frozenset(name for module in DOORS.values() for name in module.__all__)


def names():
    return "\n".join(f"{door}.{name}" for door, module in DOORS.items() for name in sorted(module.__all__))


def signatures():
    lines = []
    for door, module in DOORS.items():
        for name in sorted(module.__all__):
            lines += described(f"{door}.{name}", getattr(module, name))
    return "\n".join(lines)


def described(name: str, value: object) -> list[str]:
    if inspect.isclass(value):
        # A base of ours that is not public is no promise.
        bases = ", ".join(b.__name__ for b in value.__bases__ if b.__name__ in PUBLIC or not is_ours(b))
        members = [f"    {line}" for line in sorted(members_of(value))]
        return [f"class {name}({bases})", f"    {signature('__init__', value)}", *members]
    return [] if inspect.ismodule(value) else [signature(name, value)]


def is_ours(one: type) -> bool:
    return one.__module__.partition(".")[0] == "protograph"


def members_of(one: type) -> Iterator[str]:
    """Fields, properties and methods that a class and the classes of ours below it make public."""
    fields = {field.name: field for field in dataclasses.fields(one)} if dataclasses.is_dataclass(one) else {}
    for name, field in fields.items():
        if not name.startswith("_"):
            yield f"{name}: {plain(inspect.formatannotation(field.type))}"
    ours = [base for base in one.__mro__ if is_ours(base)]
    for name in {name for base in ours for name in vars(base)} - set(fields):
        value = inspect.getattr_static(one, name)
        if name.startswith("_"):
            continue
        if isinstance(value, property):
            result = inspect.signature(value.fget).return_annotation
            yield f"{name} -> {plain(inspect.formatannotation(result))}"
        elif isinstance(value, classmethod | staticmethod):
            yield f"{type(value).__name__} {signature(name, value.__func__)}"
        elif callable(value):
            yield signature(name, value)


def signature(name: str, value: Callable) -> str:
    try:
        return name + plain(str(inspect.signature(value)))
    except ValueError:  # classes written in C, such as errors, have none
        return f"{name}(...)"


def plain(text: str) -> str:
    """Without the modules that classes live in: where a thing is defined is no promise."""
    return re.sub(r"\b(?:[A-Za-z_]\w*\.)+(?=[A-Za-z_])", "", text)


PROMISES = {"names.txt": names, "signatures.txt": signatures}


def difference(file: str, kept: str, now: str) -> str:
    """What changed, and how to accept it; empty where nothing did."""
    lines = difflib.unified_diff(kept.splitlines(), now.splitlines(), f"promised in {file}", "as it is", lineterm="")
    text = "\n".join(lines)
    return text and f"{text}\n\nIf this is on purpose: {ACCEPT}, and add a line to CHANGELOG.md."


@pytest.mark.parametrize("file", PROMISES)
def test_what_users_rely_on_is_as_promised(file):
    broken = difference(file, (FOLDER / file).read_text(), PROMISES[file]() + "\n")
    assert not broken, broken


def accept():
    """Write down everything as it is now."""
    FOLDER.mkdir(exist_ok=True)
    for file, current in PROMISES.items():
        (FOLDER / file).write_text(current() + "\n")


if __name__ == "__main__":
    if sys.argv[1:] != ["--accept"]:
        sys.exit(f"usage: {ACCEPT}")
    accept()
