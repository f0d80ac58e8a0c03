import pytest

from protograph import datasets
from protograph.datasets import benzene, mutagenicity
from protograph.datasets.registry import LOADERS
from tests.datasets.real_files import needs

GENERATED = ("ba-grid", "ba-house")
FILES = {"benzene": benzene.FILE, "mutagenicity": mutagenicity.FILE}


@pytest.mark.parametrize("name", [*GENERATED, *(pytest.param(name, marks=needs(file)) for name, file in FILES.items())])
def test_every_name_loads_a_data_set_of_that_name(name):
    dataset = datasets.load(name, num_graphs=3)
    assert dataset.name == name
    assert len(dataset) == 3


def test_names_are_sorted():
    assert datasets.names() == tuple(sorted(LOADERS)) == tuple(sorted([*GENERATED, *FILES]))


@pytest.mark.parametrize("name", ["ba-house", "BA-House", "ba_house"])
def test_spelling_of_a_name(name):
    assert datasets.load(name, num_graphs=3).name == "ba-house"


def test_options_reach_the_loader(tmp_path, monkeypatch):
    calls = []

    def loader(root, *, random_state, num_graphs):
        calls.append((root, random_state, num_graphs))

    monkeypatch.setattr("protograph.datasets.registry.LOADERS", {"mine": loader})
    datasets.load("mine", str(tmp_path), random_state=4, num_graphs=2)
    datasets.load("mine")
    assert calls == [(tmp_path, 4, 2), (None, 0, None)]


def test_unknown_name_lists_the_names_and_the_closest(monkeypatch):
    monkeypatch.setattr("protograph.datasets.registry.LOADERS", {"ba-house": None, "ba-grid": None})
    with pytest.raises(
        ValueError,
        match=r"^name must be one of ba-grid, ba-house, got 'ba-hose'; did you mean 'ba-house'\?$",
    ):
        datasets.load("ba-hose")
    with pytest.raises(ValueError, match=r"^name must be one of ba-grid, ba-house, got 'zzz'$"):
        datasets.load("zzz")
