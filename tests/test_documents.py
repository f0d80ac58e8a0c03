"""The code in the documents runs, and what they say of functions is so."""

import doctest
import inspect
import re
from pathlib import Path

import pytest

import protograph as pg
from protograph.testing import CHECKS
from protograph.testing.cases import small_graphs, small_model

DOCS = Path(__file__).parent.parent / "docs"
METRICS = [name for name in pg.metrics.__all__ if inspect.isfunction(getattr(pg.metrics, name))]
pytestmark = pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")


def blocks(name):
    return re.findall(r"```python\n(.*?)```", (DOCS / name).read_text(), re.DOTALL)


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


def test_the_script_on_graphs_of_ones_own_runs(capsys):
    (script,) = (block for block in blocks("metrics.md") if block.startswith("# on-my-graphs"))
    exec(compile(script, "docs/metrics.md", "exec"), {})  # noqa: S102
    page, by_chance = capsys.readouterr().out.splitlines()
    assert page == "PAGE 1.0 1.0 [3]"  # a triangle, and the rules "a triangle" and "without a triangle"
    assert by_chance.startswith("RandomSubgraph ")


def test_the_explainer_of_the_documents_keeps_the_contract(capsys):
    namespace = {"__name__": "central", "model": small_model(), "graphs": small_graphs()}
    explainer, *rest = blocks("explainers.md")
    assert len([line for line in explainer.splitlines() if line.strip() and not line.startswith("#")]) <= 20
    for block in (explainer, *rest):
        exec(compile(block, "docs/explainers.md", "exec"), namespace)  # noqa: S102
    assert capsys.readouterr().out == "Central 1\n"


def test_every_check_of_the_contract_is_documented():
    text = (DOCS / "explainers.md").read_text()
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", text, re.MULTILINE))
    assert {name: rows.get(name) for name in CHECKS} == {
        name: " ".join(check.__doc__.split()) for name, check in CHECKS.items()
    }
