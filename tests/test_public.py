import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import protograph

ROOT = Path(__file__).parent.parent


def test_public_names_are_declared():
    imported = {n for n, v in vars(protograph).items() if n[0] != "_" and not inspect.ismodule(v)}
    assert imported - {"import_module", "TYPE_CHECKING"} <= set(protograph.__all__)
    assert {name for name in dir(protograph) if name[0] != "_"} == set(protograph.__all__)
    assert all(getattr(protograph, name) is not None for name in protograph.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"^module 'protograph' has no attribute 'Page'$"):
        protograph.Page  # noqa: B018


def test_every_public_name_is_documented():
    reference = (ROOT / "docs" / "library.md").read_text()
    missing = [name for name in protograph.__all__ if f"`pg.{name}" not in reference]
    assert missing == []
    assert all(inspect.getdoc(getattr(protograph, name)) for name in protograph.__all__)


def test_every_command_is_documented():
    from protograph.cli.app import app

    reference = (ROOT / "docs" / "command.md").read_text()
    for command in app.registered_commands:
        if command.hidden:  # not there yet
            continue
        assert f"protograph {command.name}" in reference


def test_importing_needs_none_of_the_extras_and_page_runs_without_them():
    imported = {"sklearn", "numba", "networkx"}  # by PAGE
    extras = {"matplotlib", "typer", "rich", "rdkit", "captum", "ray", "click"}
    code = (
        "import sys, torch_geometric\nbefore = set(sys.modules)\nimport protograph.datasets\n"
        "print(*{m.partition('.')[0] for m in set(sys.modules) - before})\n"
        f"for name in {extras}: sys.modules[name] = None\n"
        "import protograph as pg\nfrom tests import zoo\n"
        "print(len(pg.PAGE(num_clusters=2).fit(zoo.make(), zoo.random_graphs(24)).explain(1).prototypes))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    loaded, found = done.stdout.splitlines()
    assert (extras | imported).isdisjoint(loaded.split())
    assert int(found) >= 1


def test_the_command_says_what_is_missing():
    code = "import sys; sys.modules['typer'] = None\nfrom protograph.cli import main\nmain()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "error: the command protograph needs typer; pip install typer rich\n"


def readme_blocks():
    text = (ROOT / "README.md").read_text()
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL).group(1)
    output = re.search(r"```text\n(.*?)```", text, re.DOTALL).group(1)
    return text, code, output


def without_numbers(text):
    """Weights differ in the last digits from one processor to the next, and with them what is found."""
    return re.sub(r"\(\d.*?\)", "(#)", re.sub(r"-?\d+(\.\d+)?", "#", re.sub(r"\(\d+ \w+(, \d+ \w+)*\)", "(...)", text)))


def test_the_readme_runs_and_shows_its_real_output(tmp_path, monkeypatch, capsys):
    _, code, output = readme_blocks()
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102
    printed = capsys.readouterr().out
    assert without_numbers(printed) == without_numbers(output)
    assert printed.splitlines()[0] == output.splitlines()[0]
    assert (tmp_path / "house.png").read_bytes().startswith(b"\x89PNG")


def test_the_readme_shows_everything_early():
    text, code, _ = readme_blocks()
    early = "\n".join(text.splitlines()[:40])
    assert all(needed in early for needed in ("make demo", "make test", "```python", "```text", "!["))
    assert len([line for line in code.splitlines() if line.strip()]) <= 10


def test_the_version_is_one():
    from protograph import __version__

    assert f'version = "{__version__}"' in (ROOT / "pyproject.toml").read_text()
    assert f"version: {__version__}" in (ROOT / "CITATION.cff").read_text()
    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text()
