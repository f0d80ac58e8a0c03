import pytest

from research.paper.ablations import BASE, DEFAULT_VARIANTS, walk_variants
from research.paper.findings import Estimate
from research.paper.item import Results
from research.paper.items.ablation import ITEM
from research.paper.settings import Settings
from research.paper.sheet import Picture, Sheet
from research.paper.tables import Table


def outcome(accuracy):
    return {"accuracy": accuracy, "probability": 0.5, "num_nodes": 5.0, "num_prototypes": 2, "seconds": 0.1}


def seed_of(variants, accuracy, **others):
    return {one.name: outcome(others.get(one.name, accuracy)) for one in variants}


def values():
    found = {}
    for number, accuracy in enumerate((0.6, 0.62, 0.64)):
        seed = f"seed {number}"
        found["walk", "ba-house", seed] = seed_of(walk_variants(), accuracy, **{"decay = 1": accuracy - 0.2})
        found["default", "ba-house", seed] = seed_of(DEFAULT_VARIANTS, 1.0, wholes=0.5 + number / 100)
        net = {"test_accuracy": 0.9, "num_epochs": 9, "walk": outcome(0.5), "default": outcome(None)}
        found["net", "gin", "ba-house", seed] = net
        steps = [{"module": "head", "similarity": 0.8}, {"module": "conv", "similarity": None if number else 0.2}]
        found["weights", "walk", "ba-house", seed] = steps
    return found


@pytest.fixture(scope="module")
def parts():
    sheet = Sheet()
    ITEM.write(Results(values(), Settings(seeds=(0, 1, 2)), {}), sheet)
    return sheet.parts


def rows_of(parts, name):
    return next(part for part in parts if isinstance(part, Table) and part.name == name).rows


def test_what_there_is_to_measure():
    cells = {cell.key: cell for cell in ITEM.cells(Settings())}
    assert len([key for key in cells if key[0] in ("walk", "default")]) == 2 * 5 * 10
    assert len([key for key in cells if key[0] == "net"]) == 2 * 5 * 3
    assert len([key for key in cells if key[0] == "weights"]) == 2 * 5 * 3
    # Another list of variants is another result.
    assert cells["default", "benzene", "seed 9"].made_from == {"variants": [one.name for one in DEFAULT_VARIANTS]}


def test_a_row_a_variant_with_what_is_beyond_chance(parts):
    rows = {row[0]: row[1:] for row in rows_of(parts, "walk")}
    assert len(rows) == len(walk_variants())
    assert rows[BASE][0] == Estimate.of([0.6, 0.62, 0.64])
    assert rows["decay = 1"][1:] == (pytest.approx(0.42), "BA-house -0.20")
    assert rows["budget = 1"][2] == ""
    default = {row[0]: row[1:] for row in rows_of(parts, "default")}
    assert default["wholes"][2] == "BA-house -0.49"
    assert default["closing"][2] == ""


def test_other_models_and_random_weights(parts):
    (net,) = rows_of(parts, "nets")
    assert net[:2] == ("GIN", "BA-house")
    assert (net[3].mean, net[4].mean, net[5], net[6].mean) == (0.5, pytest.approx(0.62), None, 1.0)
    (weights,) = rows_of(parts, "random-weights")
    assert (weights[2].mean, weights[3].mean, weights[4]) == (pytest.approx(0.8), 0.2, 2)


def test_captions_say_how_few_seeds_there_are(parts):
    captions = {part.name: part.caption for part in parts if isinstance(part, Table)}
    assert captions["nets"] == (
        "Accuracy of prototypes for models with other convolutions, trained as the paper's GCN is: 3 seeds, beside "
        "those of the GCN with all seeds."
    )
    assert captions["random-weights"].endswith("On 3 seeds, so that intervals are wide.")


def test_there_are_two_figures(parts):
    assert [part.name for part in parts if isinstance(part, Picture)] == ["walk-by-option", "default-by-step"]
