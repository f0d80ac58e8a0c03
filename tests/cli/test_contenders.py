import re

import pytest

from protograph.cli.contenders import METRICS, NAMES, explainers_of, metrics_of


@pytest.mark.parametrize(("prototypes", "clusters", "count"), [(None, "auto", 2), (3, 3, 3)])
def test_page_finds_out_how_many_prototypes_unless_it_is_told(prototypes, clusters, count):
    made = {name: make(7) for name, make in explainers_of(",".join(NAMES), prototypes, None).items()}
    assert list(made) == ["page", "walk", "xgnn", "gnninterpreter", "random"]
    page, walk = made["page"], made["walk"]
    assert (page.search, page.num_clusters, page.max_nodes) == ("consensus", clusters, None)
    assert (walk.search, walk.num_clusters, walk.max_nodes) == ("walk", count, None)
    assert {one.num_prototypes for one in list(made.values())[2:]} == {count}
    assert {one.max_nodes for one in list(made.values())[2:]} == {13}
    assert {one.random_state for one in made.values()} == {7}
    assert {make(0).max_nodes for make in explainers_of(",".join(NAMES), prototypes, 6).values()} == {6}


def test_a_quick_run_has_generators_with_a_tenth_of_their_steps():
    made = {name: make(3) for name, make in explainers_of("xgnn,gnninterpreter,random", 1, 6, is_quick=True).items()}
    assert (made["xgnn"].num_epochs, made["gnninterpreter"].num_iterations) == (2, 40)
    assert {(one.num_prototypes, one.max_nodes, one.random_state) for one in made.values()} == {(1, 6, 3)}


OWN = """
import protograph as pg
class Mine(pg.Explainer):
    def __init__(self, random_state=0, num_prototypes=4):
        self.random_state, self.num_prototypes = random_state, num_prototypes
MINE = Mine
def plain(): return Mine(num_prototypes=9)
def broken(): raise RuntimeError("no")
def other(): return 3
def f(explanation): return 1
def g(): return 1
number = 3
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    (tmp_path / "own_things.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.usefixtures("own")
def test_an_explainer_of_ones_own_gets_what_it_takes():
    made = explainers_of("page, own_things:Mine,own_things:plain", None, 6)
    assert list(made) == ["page", "own_things:Mine", "own_things:plain"]
    assert vars(made["own_things:Mine"](7)) == {"random_state": 7, "num_prototypes": 4}
    assert vars(made["own_things:plain"](7)) == {"random_state": 0, "num_prototypes": 9}
    assert explainers_of("own_things:Mine", 2, None)["own_things:Mine"](0).num_prototypes == 2


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("page,magic", f"--explainers must be among {', '.join(NAMES)}, or a module:attribute of yours, got magic"),
        (" , ", f"--explainers must be among {', '.join(NAMES)}, or a module:attribute of yours, got none"),
        ("own_things:broken", "--explainers 'own_things:broken' failed with RuntimeError: no"),
        (
            "own_things:other",
            "--explainers 'own_things:other' must be a class of protograph.Explainer, or give one when called, got int",
        ),
        ("own_things:Absent", "--explainers 'own_things:Absent': module 'own_things'"),
        (
            "own_things:Mine,own_things:MINE",
            "--explainers own_things:Mine and own_things:MINE would have the same files; call one of them otherwise",
        ),
    ],
)
def test_explainers_that_cannot_be_had(names, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        explainers_of(names, None, None)


@pytest.mark.usefixtures("own")
def test_metrics_go_by_their_names_in_the_table_and_in_json():
    assert metrics_of(None) == (None, {})
    shown, own = metrics_of("accuracy,p_GNN,is_valid,validity,own_things:f")
    assert shown == ["accuracy", "probability", "is_valid", "is_valid", "own_things:f"]
    assert own["own_things:f"]("explanation") == 1


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        ("magic", ValueError, "--metrics must be among accuracy, p_GNN, "),
        ("own_things:number", ValueError, "--metrics 'own_things:number' must be a function, got int"),
        ("own_things:g", TypeError, "the metric own_things:g must be called as f(explanation) or f(explanation, case)"),
        (",", ValueError, "--metrics must name at least one, got none"),
    ],
)
def test_metrics_that_cannot_be_had(names, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        metrics_of(names)


def test_no_two_figures_have_the_same_name():
    assert len({*METRICS, *METRICS.values()}) == len(METRICS) + len([k for k, v in METRICS.items() if k != v])
