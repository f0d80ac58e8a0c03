"""The arena on one data set and one world, with models that have learned next to nothing."""

import pytest

from research.paper.items.arena import ITEM, NAMES
from research.paper.lab import Lab
from research.paper.methods import WITH_RULES
from research.paper.settings import Settings
from research.paper.worlds.catalogue import WORLDS


def test_all_explainers_stand_on_all_fields_with_ten_seeds():
    keys = [cell.key for cell in ITEM.cells(Settings())]
    assert len(keys) == 10 * (len(NAMES) * len(WITH_RULES) + len(WORLDS))
    assert ("set", "benzene", "rules", "seed 9") in keys
    assert ("world", "five-shapes-ba1", "seed 9") in keys
    assert not [key for key in keys if "mnist-sp" in key]  # nobody knows what decides there
    without = [cell.key for cell in ITEM.cells(Settings(without=("benzene",)))]
    assert [key for key in keys if key not in without] == [key for key in keys if "benzene" in key]


@pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")
def test_a_world_is_explained_by_all_and_what_cannot_be_explained_has_found_nothing(tmp_path, monkeypatch):
    from protograph.baselines.xgnn import XGNN

    def refuse(self, *given, **options):
        raise ValueError("such graphs cannot be generated")

    monkeypatch.setattr(XGNN, "fit", refuse)
    settings = Settings(is_quick=True)
    (cell,) = (cell for cell in ITEM.cells(settings) if cell.key[0] == "world")
    found = cell.compute(Lab(tmp_path, settings))["methods"]
    assert list(found) == list(WITH_RULES)
    assert found["xgnn"]["failed"] == ["such graphs cannot be generated"]
    nothing = {"fidelity": 0.0, "coverage": 0.0}
    # Class 0 has the red path, class 1 only lacks it: there is no motif to be right about.
    assert found["xgnn"]["classes"] == {
        "0": {"accuracy": 0.0, "found": [False], **nothing},
        "1": {"accuracy": None, "found": [], **nothing},
    }
    assert {len(one["classes"]) for one in found.values()} == {2}


def test_a_world_that_no_model_has_learned_has_no_figures(tmp_path, monkeypatch):
    monkeypatch.setattr("research.paper.worlds.keeping.models_of", lambda *given: iter(()))
    cell = next(cell for cell in ITEM.cells(Settings()) if cell.key[0] == "world")
    assert cell.compute(Lab(tmp_path, Settings())) == {"test_accuracy": None, "methods": {}}


def test_worlds_may_have_fewer_seeds_than_data_sets():
    keys = [cell.key for cell in ITEM.cells(Settings(num_world_seeds=3))]
    assert len(keys) == 10 * len(NAMES) * len(WITH_RULES) + 3 * len(WORLDS)
    assert {key[-1] for key in keys if key[0] == "world"} == {"seed 0", "seed 1", "seed 2"}
