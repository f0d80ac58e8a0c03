import tomllib
from pathlib import Path

import pytest

from protograph import datasets
from protograph.datasets.registry import SPECS
from protograph.datasets.sources import SourceFile
from protograph.datasets.spec import DatasetSpec

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"
OWN, PUBLIC = SourceFile("set/own.txt", None, None), SourceFile("set/public.txt", None, "https://example.org/a")


def spec(*files):
    return DatasetSpec(name="mine", load=None, files=files)


def test_alternatives_that_can_be_downloaded():
    assert spec((OWN,), (PUBLIC, PUBLIC), (PUBLIC, OWN)).downloads == [(PUBLIC, PUBLIC)]


def test_states(tmp_path, no_data_folder, monkeypatch):
    monkeypatch.setenv("PROTOGRAPH_CACHE", str(tmp_path / "cache"))
    assert spec().state(None) == "generated"
    assert spec((OWN,), (PUBLIC,)).state(None) == "to be downloaded"
    assert spec((OWN,)).state(None) == spec((OWN,)).state(tmp_path) == "not here"
    assert spec((PUBLIC,)).state(tmp_path / "gone") == "not here"
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "own.txt.gz").touch()
    assert spec((PUBLIC,), (OWN,)).state(tmp_path) == "here"


def test_states_of_the_data_sets(tmp_path, no_data_folder, monkeypatch):
    monkeypatch.setenv("PROTOGRAPH_CACHE", str(tmp_path / "cache"))
    states = {name: spec.state(None) for name, spec in SPECS.items()}
    assert {name for name, state in states.items() if state == "generated"} == {"ba-2motifs", "ba-grid", "ba-house"}
    assert {name for name, state in states.items() if state == "not here"} == {"graph-sst2"}


@pytest.mark.parametrize("name", ["ba-2motifs", "ba-grid", "ba-house"])
def test_numbers_of_generated_sets(name):
    dataset = datasets.load(name)
    assert (len(dataset), len(dataset.class_names)) == (SPECS[name].num_graphs, SPECS[name].num_classes)


def test_extras_are_those_of_the_package():
    extras = tomllib.loads(PYPROJECT.read_text())["project"]["optional-dependencies"]
    assert {spec.extra for spec in SPECS.values()} - {None} <= set(extras)
