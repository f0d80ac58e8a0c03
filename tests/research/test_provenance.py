import platform

import torch

from protograph.evaluation.keeping import versions
from research.paper import provenance as module
from research.paper.provenance import commit, measured_by, provenance


def test_results_say_where_they_come_from():
    made = provenance("cuda", jobs=3)
    assert made["versions"] == {"python": platform.python_version(), **versions()}
    assert (made["hardware"]["device"], made["hardware"]["jobs"]) == ("cuda", 3)
    assert made["commit"] == commit()


def test_a_gpu_is_named(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: f"GPU at {device}")
    assert provenance("cuda:1")["hardware"]["device"] == "cuda:1 (GPU at cuda:1)"


def test_cells_are_counted_by_where_they_were_measured():
    def origin(date, cpu):
        return {"date": date, "commit": "abc", "versions": {"torch": "2"}, "hardware": {"cpu": cpu}}

    found = measured_by([origin("d3", "A"), origin("d2", "B"), origin("d1", "A")])
    same = {"commit": "abc", "versions": {"torch": "2"}}
    assert found == [
        {**same, "hardware": {"cpu": "A"}, "num_cells": 2, "first": "d1", "last": "d3"},
        {**same, "hardware": {"cpu": "B"}, "num_cells": 1, "first": "d2", "last": "d2"},
    ]


def test_outside_of_a_checkout_there_is_no_commit(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "__file__", str(tmp_path / "a" / "b" / "c" / "provenance.py"))
    assert commit() is None


def test_a_folder_that_git_does_not_know_has_no_commit(monkeypatch, tmp_path):
    (tmp_path / ".git").write_text("gitdir: nowhere\n")
    (tmp_path / "pyproject.toml").write_text("")
    monkeypatch.setattr(module, "__file__", str(tmp_path / "src" / "protograph" / "reproduce" / "provenance.py"))
    assert commit() is None
