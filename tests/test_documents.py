"""The code in the documents runs, and what they say of functions is so."""

import csv
import doctest
import inspect
import json
import re
import shlex
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
import typer
import yaml
from torch_geometric.nn import global_add_pool
from torch_geometric.utils import from_smiles

import protograph as pg
from protograph.cli.app import app
from protograph.page import clustering
from protograph.page.reasons.scope import ReasonOptions
from research.paper.__main__ import app as research_app
from tests.contract import CHECKS, Subject, small_graphs, small_model

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
METRICS = [name for name in pg.metrics.__all__ if inspect.isfunction(getattr(pg.metrics, name))]
PAGES = sorted(path.relative_to(ROOT).as_posix() for path in (*DOCS.glob("*.md"), *ROOT.glob("*.md")))
# Pages whose code has tests of its own.
APART = ("docs/metrics.md", "docs/explainers.md")
ALCOHOLS_AND_ALKANES = [("C" * (1 + size % 7) + "(C)" * (size % 2) + "CO" * (size % 2), size % 2) for size in range(60)]
pytestmark = pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")


def fenced(page, *languages):
    """The blocks of a page in some languages: the line that each begins at, its language and its text."""
    text = (ROOT / page).read_text()
    found = re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [(text[: one.start(2)].count("\n"), one[1], one[2]) for one in found if one[1] in languages]


def blocks(name):
    return [code for _, _, code in fenced(f"docs/{name}", "python")]


class AtomCounter(torch.nn.Module):
    """Any model of PyG's molecules."""

    def __init__(self):
        super().__init__()
        self.atoms, self.head = torch.nn.Linear(9, 4), torch.nn.Linear(4, 2)

    def forward(self, x, edge_index, batch):
        return self.head(global_add_pool(self.atoms(x.to(self.head.weight.dtype)), batch))


@pytest.fixture(scope="module")
def houses():
    """A model of some graphs of BA-house and its explanation: what pages call model, graphs and explanation."""
    graphs = pg.datasets.load("ba-house", num_graphs=100)
    model = pg.train(graphs, hidden=(16, 16, 16), max_epochs=30).model
    explainer = pg.PAGE(num_clusters=1, max_reasons=2).fit(model, graphs)
    return {**explained(explainer), "graphs": graphs, "model": model}


@pytest.fixture(scope="module")
def molecules(tmp_path_factory):
    """The same of molecules; the model is one of PyG's graphs of them."""
    pytest.importorskip("rdkit")
    path = tmp_path_factory.mktemp("molecules") / "molecules.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("smiles", "name", "active"), *((s, f"m{s}", y) for s, y in ALCOHOLS_AND_ALKANES)])
    table = pg.datasets.read_table(path, label_column="active").dataset
    explainer = pg.PAGE(max_reasons=0).fit(pg.train(table, hidden=(8,), max_epochs=5).model, table)
    graphs = [from_smiles(smiles) for smiles, _ in ALCOHOLS_AND_ALKANES]
    return {**explained(explainer), "graphs": graphs, "model": AtomCounter(), "table": path}


def explained(explainer):
    """An explainer and what it says, under the names of the pages."""
    all_of_them = explainer.explain_all()
    names = {"explainer": explainer, "explanations": all_of_them, "before": all_of_them, "after": all_of_them}
    names["predictions"] = explainer.predictions_
    return {**names, "explanation": all_of_them[1], "p": all_of_them[1].prototypes[0]}


@pytest.fixture
def cast(houses, molecules, tmp_path, monkeypatch):
    """The names that code of pages goes by, in a folder with the files that it reads."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "molecules.csv").write_text(molecules["table"].read_text())
    (tmp_path / "folder").mkdir()
    for name in ("graphs.pt", "folder/some.pt"):
        torch.save(list(houses["graphs"][:20]), name)
    (tmp_path / "runs/ba-house").mkdir(parents=True)
    houses["explanations"].save("runs/ba-house/explanation.json")
    return {"__name__": "page", "pg": pg, "torch": torch, **houses}


def run(page, names, molecules, first=0):
    """Run the code of a page, block after block; a traceback has the lines of the page."""
    for line, _, code in fenced(page, "python")[first:]:
        if "to_frame" in code and find_spec("pandas") is None:  # an extra of its own
            continue
        is_of_molecules = re.search(r"x_map|p\.smarts|aspirin", code)
        own = {**names, **molecules, "explainer": pg.PAGE(max_reasons=0)} if is_of_molecules else names
        exec(compile("\n" * line + code, page, "exec"), own)  # noqa: S102


@pytest.mark.parametrize("page", [page for page in PAGES if page not in APART and fenced(page, "python")])
def test_the_code_of_a_page_runs(page, cast, molecules, capsys):
    # The first block of README takes half a minute; tests/test_public.py runs it.
    run(page, cast, molecules, first=int(page == "README.md"))
    if page == "docs/own-models.md":
        assert capsys.readouterr().out.startswith(fenced(page, "text")[0][2])


def test_the_drawings_of_the_method_can_be_made(houses, monkeypatch):
    """Of a smaller explanation; `make drawings` makes those that are kept."""
    monkeypatch.syspath_prepend(DOCS)
    drawings = import_module("drawings")
    of_class, one, k = houses["explanation"], houses["p"], len(houses["p"].sources)
    figures = {
        drawings.map_figure(houses["explainer"], of_class): 1,
        drawings.representatives_figure(of_class, one): k,
        drawings.contributions_figure(houses["model"], of_class, one): 2,
        drawings.consensus_figure(of_class, one): 1 + k,
        drawings.rule_figure(drawings.explained_rings()): 4,  # two patterns, each above its bars
    }
    assert [len(figure.axes) for figure in figures] == list(figures.values())


def test_the_quick_start_shows_what_the_readme_shows():
    (shown,) = (text for _, _, text in fenced("docs/quick-start.md", "text"))
    real = (ROOT / "README.md").read_text()  # tests/test_public.py holds it against what comes out
    assert [line for line in shown.splitlines() if line.removeprefix("- ") not in real] == []


def shell_lines():
    """Every line of every page that is for a shell, without its comment."""
    for page in PAGES:
        for line, _, text in fenced(page, "sh", "bash"):
            for number, words in enumerate(shlex.split(one, comments=True) for one in text.splitlines()):
                if words:
                    yield pytest.param(words, id=f"{page}:{line + number + 1}")


@pytest.mark.parametrize("words", list(shell_lines()))
def test_a_line_for_the_shell_can_be_run(words):
    """The command understands it, the Makefile has it, or pip finds what it names; it is not run to its end."""
    program, *arguments = words
    if program == "make":
        assert all(re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE) for target in arguments)
    elif program == "pip":
        (extra,) = re.findall(r"\[(\w+)\]", " ".join(arguments))
        assert re.search(rf"^{extra} = ", (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    elif program == "python":
        with typer.main.get_command(research_app).make_context("reproduce", arguments[2:]):
            assert arguments[:2] == ["-m", "research.paper"]
    else:
        assert program == "protograph"
        command = typer.main.get_command(app)
        name, *arguments = arguments
        inner = command.commands[name]
        with inner.make_context(name, arguments) as context:
            assert context.command is inner


def test_the_names_in_the_documents_are_json():
    given = re.findall(r"^    \{\n.*?^    \}$", (DOCS / "command.md").read_text(), re.DOTALL | re.MULTILINE)
    given += [text for page in PAGES for _, _, text in fenced(page, "json")]
    assert [set(json.loads(one)) for one in given] == [{"feature_names", "edge_names", "class_names"}] * 2


def test_how_to_cite_is_one():
    """What the page says is what CITATION.cff says."""
    said, given = (DOCS / "cite.md").read_text(), yaml.safe_load((ROOT / "CITATION.cff").read_text())
    paper = given["preferred-citation"]
    fields = dict(re.findall(r"^  (\w+) += \{+(.*?)\}+,?$", said.partition("@software")[0], re.MULTILINE))
    assert fields["title"].replace("}", "") == paper["title"]
    assert fields["pages"] == f"{paper['start']}--{paper['end']}"
    assert [fields[name] for name in ("volume", "number", "year", "doi", "journal")] == [
        str(paper[name]) for name in ("volume", "issue", "year", "doi", "journal")
    ]
    assert fields["author"] == " and ".join(f"{one['family-names']}, {one['given-names']}" for one in paper["authors"])
    software = said.partition("@software")[2]
    assert f"title   = {{{given['title']}}}" in software
    assert f"version = {{{given['version']}}}" in software


def test_the_examples_of_metrics_give_what_they_say():
    for package in ("rdkit", "captum"):
        pytest.importorskip(package)
    examples = "\n".join(block for block in blocks("metrics.md") if block.startswith(">>>"))
    test = doctest.DocTestParser().get_doctest(examples, {}, "docs/metrics.md", "docs/metrics.md", 0)
    said = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=said.append)
    assert not said, "".join(said)
    assert all(f"pg.metrics.{name}(" in examples for name in METRICS)


@pytest.mark.parametrize("name", METRICS)
def test_the_signature_of_a_metric_is_as_documented(name):
    documented = re.search(rf"^\*\*`{name}\((.*)\)`\*\*$", (DOCS / "metrics.md").read_text(), re.MULTILINE)
    assert documented, f"docs/metrics.md has no **`{name}(...)`**"
    parameters = list(inspect.signature(getattr(pg.metrics, name)).parameters.values())
    plain = [one.name if one.default is one.empty else f"{one.name}={one.default!r}" for one in parameters]
    first = next((at for at, one in enumerate(parameters) if one.kind is one.KEYWORD_ONLY), None)
    if first is not None:
        plain.insert(first, "*")
    assert documented.group(1) == ", ".join(plain)


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_has_a_range_and_a_direction(name):
    """What stands between its signature and its example."""
    text = (DOCS / "metrics.md").read_text().partition(f"**`{name}(")[2].partition("```")[0]
    assert re.search(r"\bin \[", text), f"docs/metrics.md does not say what range {name} has"
    assert re.search(r"\b(is better|better is)\b", text), (
        f"docs/metrics.md does not say which direction of {name} is better"
    )


def test_the_script_on_graphs_of_ones_own_runs(capsys):
    (script,) = (block for block in blocks("metrics.md") if block.startswith("# on-my-graphs"))
    exec(compile(script, "docs/metrics.md", "exec"), {})  # noqa: S102
    page, by_chance = capsys.readouterr().out.splitlines()
    assert page == "PAGE 1.0 1.0 [3]"  # a triangle, and the rules "a triangle" and "without a triangle"
    assert by_chance.startswith("RandomSubgraph ")


def test_the_explainer_of_the_documents_keeps_the_contract(capsys, tmp_path):
    namespace = {"__name__": "central", "model": small_model(), "graphs": small_graphs()}
    explainer, *rest = blocks("explainers.md")
    assert len([line for line in explainer.splitlines() if line.strip() and not line.startswith("#")]) <= 20
    for block in (explainer, *rest):
        exec(compile(block, "docs/explainers.md", "exec"), namespace)  # noqa: S102
    assert capsys.readouterr().out == "Central 1\n"
    subject = Subject(namespace["Central"], tmp_path)
    for check in CHECKS:
        check(subject)


def test_every_check_of_the_contract_is_documented():
    text = (DOCS / "explainers.md").read_text()
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", text, re.MULTILINE))
    assert rows == {check.__name__: check.__doc__ for check in CHECKS}


def test_sizes_beyond_which_a_sample_decides_are_those_of_the_code():
    text = (DOCS / "scaling.md").read_text().split("## From which size on a sample decides")[1].split("\n## ")[0]
    rows = {row.split("|")[1].strip(): row for row in text.splitlines() if row.startswith("| ")}
    sizes = {
        "the mixture of a class": [clustering.MAX_FITTED],
        "rules": [ReasonOptions().max_searched, ReasonOptions().max_confirming],
    }
    for what, numbers in sizes.items():
        assert all(f"{number:,}" in rows[what] for number in numbers)
