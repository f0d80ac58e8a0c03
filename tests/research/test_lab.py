import json
import os

import pytest
import torch

from research.paper import lab as module
from research.paper.item import Need
from research.paper.lab import Lab
from research.paper.settings import Settings

QUICK = Settings(is_quick=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("lab")


@pytest.fixture
def lab(folder):
    return Lab(folder, QUICK)


def refuse(*arguments, **options):
    raise AssertionError("it should have been kept")


def test_a_model_is_trained_once_and_kept_for_the_next_process(lab, monkeypatch):
    model = lab.model("ba-house", 0)
    assert (len(model.train), len(model.rest)) == (144, 16)
    monkeypatch.setattr(module, "train", refuse)
    again = Lab(lab.folder, QUICK).model("ba-house", 0)
    assert again.key == model.key


def test_a_quick_model_is_not_taken_for_a_whole_one(lab, monkeypatch):
    lab.model("ba-house", 0)
    monkeypatch.setattr(module, "train", refuse)
    whole = Lab(lab.folder, Settings())
    monkeypatch.setattr(whole, "_load", lambda name, seed: (lab.data(name, seed), lab._with_fingerprint(name, seed)[1]))
    with pytest.raises(AssertionError, match="should have been kept"):
        whole.model("ba-house", 0)


def test_only_the_missing_models_of_a_sweep_are_trained(lab, monkeypatch):
    models = lab.sweep("ba-house", "widths", 0)
    assert [one.model.hidden for one in models] == [(4, 4), (4, 8), (8, 4), (8, 8)]
    assert all(one.train == lab.model("ba-house", 0).train for one in models)
    (lab.folder / "sweeps" / "ba-house-widths-seed0" / "2.pt").unlink()
    trained = []
    original = module.train_swept

    def watched(data, swept, *others):
        trained.extend(swept)
        original(data, swept, *others)

    monkeypatch.setattr(module, "train_swept", watched)
    # A sweep must not wait for the model that is explained.
    monkeypatch.setattr(Lab, "model", refuse)
    again = Lab(lab.folder, QUICK).sweep("ba-house", "widths", 0)
    assert [one.hidden for one in trained] == [(8, 4)]
    assert [one.key for one in again] == [one.key for one in models]


def test_explanations_are_made_once_and_of_the_classes_that_the_paper_explains(lab, monkeypatch):
    found = lab.explained("ba-house", "random", 0)
    assert list(found.explanations) == [1]
    monkeypatch.setattr(module, "explainer_of", refuse)
    again = Lab(lab.folder, QUICK).explained("ba-house", "random", 0)
    assert (again.seconds, again.fit_seconds) == (found.seconds, found.fit_seconds)
    ours, theirs = (one.explanations[1].prototypes[0].graph for one in (found, again))
    assert torch.equal(ours.x, theirs.x)
    assert torch.equal(ours.edge_index, theirs.edge_index)


def test_explanations_of_another_model_are_not_taken(lab, monkeypatch):
    lab.explained("ba-house", "random", 0)
    facts = lab.folder / "explained" / "ba-house-random-seed0" / "facts.json"
    content = json.loads(facts.read_text())
    content["made_from"]["model"] = "another"
    facts.write_text(json.dumps(content))
    monkeypatch.setattr(module, "explainer_of", refuse)
    with pytest.raises(AssertionError, match="should have been kept"):
        Lab(lab.folder, QUICK).explained("ba-house", "random", 0)


def test_a_class_that_cannot_be_explained_is_named_with_the_reason():
    class Explainer:
        def explain(self, target):
            if target:
                raise ValueError("no graph is predicted as class 1")
            return "explanation"

    found = module.explain_each(Explainer(), (0, 1))
    assert (dict(found), dict(found.not_explained)) == ({0: "explanation"}, {1: "no graph is predicted as class 1"})


def test_needs_are_made(lab):
    lab.make(Need("wrong labels", "ba-house", 0))
    folder = lab.folder / "sweeps" / "ba-house-wrong-labels-seed0"
    assert sorted(name for name in os.listdir(folder) if name.endswith(".pt")) == ["0.pt", "1.pt", "2.pt"]


def test_memory_keeps_what_was_used_last():
    memory = {}
    for key in "abacb":
        module._remembered(memory, key, 2, lambda key=key: key.upper())
    assert memory == {"c": "C", "b": "B"}


def test_progress_and_files(tmp_path):
    told = []
    lab = Lab(tmp_path, QUICK, lambda *report: told.append(report))
    lab.progress("searching", 1, 2)
    assert told == [("searching", 1, 2)]
    path = lab.file("rq1/picture.svg")
    path.write_text("x")
    assert path == tmp_path / "files" / "rq1" / "picture.svg"
