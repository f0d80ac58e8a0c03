import pytest

from research.paper.item import Results
from research.paper.items.rq1 import ITEM, METHODS
from research.paper.lab import Lab
from research.paper.settings import Settings
from research.paper.sheet import Picture, Sheet

QUICK = Settings(is_quick=True)


def test_every_set_explainer_and_seed_has_a_cell_and_digits_one_seed():
    keys = [cell.key for cell in ITEM.cells(Settings())]
    assert len(keys) == 5 * 4 * 10 + 4
    assert [key for key in keys if key[0] == "mnist-sp"] == [("mnist-sp", method, "seed 0") for method in METHODS]
    without = ITEM.cells(Settings(without=("mnist-sp",)))
    assert [cell.key for cell in without] == keys[:-4]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    lab = Lab(tmp_path_factory.mktemp("lab"), QUICK)
    return lab, {cell.key: cell.compute(lab) for cell in ITEM.cells(QUICK) if cell.key[1] in ("walk", "page")}


def test_records_are_those_of_the_explanations(found):
    lab, values = found
    of_class = values["ba-house", "walk", "seed 0"]["classes"]["1"]
    prototypes = lab.explained("ba-house", "walk", 0).explanations[1].prototypes
    assert of_class["name"] == "house"
    assert [len(one["kinds"]) for one in of_class["truths"]] == [5, 10]
    assert [len(one["graph"]["kinds"]) for one in of_class["prototypes"]] == [one.num_nodes for one in prototypes]
    assert [one["probability"] for one in of_class["prototypes"]] == [one.probability for one in prototypes]


def test_figures_and_notes(found):
    _, values = found
    key = ("ba-house", "walk", "seed 0")
    nothing = {**values[key], "classes": {"1": {**values[key]["classes"]["1"], "prototypes": []}}}
    whole = values | {("ba-house", method, "seed 0"): nothing for method in ("xgnn", "gnninterpreter")}
    sheet = Sheet()
    ITEM.write(Results(whole, QUICK, {}), sheet)
    assert [part.name for part in sheet.parts if isinstance(part, Picture)] == ["prototypes-ba-house"]
    assert sheet.parts[-1] == "MNIST-sp was left out: asked for so, or the run is a quick one."


def test_digits_are_drawn_where_they_are_measured(found):
    _, values = found
    record = {"kinds": [2], "places": [[3.0, 4.0]], "edges": [], "probability": 0.5, "image": None}
    digits = {"num_train": 1500, "test_accuracy": 0.75, "prototypes": [record]}
    whole = {("ba-house", method, "seed 0"): values["ba-house", "walk", "seed 0"] for method in METHODS}
    whole |= {("mnist-sp", method, "seed 0"): digits for method in METHODS}
    sheet = Sheet()
    ITEM.write(Results(whole, QUICK, {}), sheet)
    (drawn,) = [part for part in sheet.parts if isinstance(part, Picture) and part.name == "prototypes-mnist-sp"]
    assert drawn.caption.endswith("trained on 1,500 graphs and has a test accuracy of 0.750.")
    alone = Sheet()
    ITEM.write(Results({key: value for key, value in whole.items() if key[0] == "mnist-sp"}, QUICK, {}), alone)
    assert [part.name for part in alone.parts if isinstance(part, Picture)] == ["prototypes-mnist-sp"]
