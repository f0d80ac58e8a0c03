"""What there is to measure, and each kind of cell once with models that have learned next to nothing."""

import pytest

from research.paper.items.fidelity import ITEM
from research.paper.lab import Lab
from research.paper.settings import Settings
from research.paper.worlds.catalogue import WORLDS

QUICK = Settings(is_quick=True)


def keys_of(settings):
    return [cell.key for cell in ITEM.cells(settings)]


def test_architectures_sets_worlds_and_seeds():
    keys = keys_of(Settings())
    assert len(keys) == 4 * (5 + 3 * 2) + 4 * 5 + 5 * len(WORLDS)
    assert ("real", "nci1", "gcn", "seed 4") in keys
    assert [key for key in keys if key[:3] == ("real", "bbbp", "sage")] == [
        ("real", "bbbp", "sage", "seed 0"),
        ("real", "bbbp", "sage", "seed 1"),
    ]
    assert ("truth", "solubility", "seed 4") in keys
    assert ("world", "star-er", "seed 4") in keys
    assert ITEM.seeds(Settings()) == (0, 1, 2, 3, 4)
    assert [key for key in keys if key not in keys_of(Settings(without=("bbbp",)))] == [
        key for key in keys if "bbbp" in key
    ]
    assert {key[-1] for key in keys_of(Settings(seeds=(7,)))} == {"seed 7"}


def test_what_a_model_must_reach_is_what_its_cell_is_made_from():
    by_key = {cell.key: cell for cell in ITEM.cells(Settings())}
    assert by_key["real", "nci1", "gat", "seed 1"].made_from == {"least_accuracy": 0.71}
    assert [str(need) for need in by_key["truth", "benzene", "seed 2"].needs] == ["training, benzene, seed 2"]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    lab = Lab(tmp_path_factory.mktemp("lab"), QUICK)
    return {cell.key: cell.compute(lab) for cell in ITEM.cells(QUICK)}


def test_a_quick_run_has_one_of_each_kind_and_needs_no_files(found):
    assert list(found) == [
        ("real", "ba-house", "gcn", "seed 0"),
        ("truth", "ba-house", "seed 0"),
        ("world", "red-path-ba1", "seed 0"),
    ]


def test_rows_say_how_the_model_came_about(found):
    of_real, of_truth, of_world = found.values()
    assert of_real["num_tries"] == 1
    assert {"truth", "truths_found", "accuracy"} <= set(of_truth)
    assert (of_world["kind"], of_world["conv"], of_world["num_dropped"]) == ("colour", "gin sum", 0)
    assert len(of_world["found"]) == 1
    shared = {"fidelity", "tree_8", "tree_32", "majority", "num_reasons", "num_patterns", "seconds", "ratio", "rules"}
    assert all(shared <= set(row) for row in found.values())


def test_a_world_that_no_model_has_learned_has_no_figures(tmp_path, monkeypatch):
    monkeypatch.setattr("research.paper.worlds.keeping.models_of", lambda *given: iter(()))
    cell = next(cell for cell in ITEM.cells(Settings()) if cell.key[1] == "house-tree")
    assert cell.compute(Lab(tmp_path, Settings())) == {"kind": "shape", "num_dropped": 4, "fidelity": None}
