import pytest

from protograph import datasets
from protograph.datasets import registry
from protograph.datasets.registry import SPECS
from protograph.datasets.spec import DatasetSpec, SourceFile
from tests.datasets.file_server import serving
from tests.datasets.real_files import needs

GENERATED = ("ba-2motifs", "ba-grid", "ba-house")
FILES = {
    "bbbp": "bbbp/BBBP.csv.gz",
    "benzene": "benzene/benzene_smiles.csv.gz",
    "graph-sst2": "sst2/glue_train.tsv.gz",
    "imdb-binary": "imdb-binary/IMDB-BINARY_tu_raw.zip",
    "mnist-sp": "mnist/train-images-idx3-ubyte.gz",
    "mutagenicity": "mutagenicity/Mutagenicity_tu_raw.zip",
    "nci1": "nci1/NCI1_tu_raw.zip",
    "solubility": "solubility/delaney-processed.csv.gz",
}


def listed(**options):
    return {"mine": DatasetSpec(name="mine", load=options.pop("load", None), **options)}


# Graph-SST2 is built as a whole, which takes its own tests long enough.
@pytest.mark.parametrize(
    "name",
    [*GENERATED, *(pytest.param(name, marks=needs(FILES[name])) for name in FILES if name != "graph-sst2")],
)
def test_every_name_loads_a_data_set_of_that_name(name):
    dataset = datasets.load(name, num_graphs=3)
    assert dataset.name == name
    assert len(dataset) == 3
    assert dataset.licence != "unknown"
    assert dataset.source != "unknown"


def test_names_are_sorted():
    assert datasets.names() == tuple(sorted(SPECS)) == tuple(sorted([*GENERATED, *FILES]))


@pytest.mark.parametrize("name", ["ba-house", "BA-House", "ba_house"])
def test_spelling_of_a_name(name):
    assert datasets.load(name, num_graphs=3).name == "ba-house"


def test_options_reach_the_loader(tmp_path, monkeypatch):
    calls = []

    def load(files, random_state, num_graphs):
        calls.append((files.dataset, files.root, random_state, num_graphs, callable(files.progress)))

    monkeypatch.setattr(registry, "SPECS", listed(load=load))
    datasets.load("mine", str(tmp_path), random_state=4, num_graphs=2)
    datasets.load("mine")
    assert calls == [("mine", tmp_path, 4, 2, True), ("mine", None, 0, None, True)]


def test_unknown_name_lists_the_names_and_the_closest(monkeypatch, no_data_folder):
    monkeypatch.setattr(registry, "SPECS", {name: SPECS[name] for name in ("ba-house", "ba-grid")})
    known = "^name must be one of ba-grid, ba-house or a TUDataset, got"
    with pytest.raises(ValueError, match=rf"{known} 'ba-hose'; did you mean 'ba-house'\?$"):
        datasets.load("ba-hose")
    with pytest.raises(ValueError, match=rf"{known} 'PROTEIN'; did you mean 'PROTEINS'\?$"):
        datasets.load("PROTEIN")
    with pytest.raises(ValueError, match=rf"{known} 'zzz'$"):
        datasets.load("zzz")


@pytest.mark.parametrize("name", ["../etc", "a/b", "", "..", "/etc/passwd"])
def test_a_name_is_never_a_path(name, tmp_path):
    with pytest.raises(ValueError, match=r"^name must be one of"):
        datasets.load(name, tmp_path)


def test_fetch_takes_the_next_choice_where_one_cannot_be_had(tmp_path, monkeypatch):
    folder = tmp_path / "data" / "set"
    with serving(b"content") as server:
        server.behave = lambda handler, number: handler.path.endswith(".zip") and handler.refuse(404)
        gone, there = (SourceFile(f"set/{name}", None, f"{server.url}/{name}") for name in ("gone.zip", "there.txt"))
        monkeypatch.setattr(registry, "SPECS", listed(files=((gone,), (there,))))
        assert datasets.fetch("mine", tmp_path / "data") == [folder / "there.txt"]
        monkeypatch.setattr(registry, "SPECS", listed(files=((there,), (gone,))))
        assert datasets.fetch("mine", tmp_path / "data") == [folder / "there.txt"]
        monkeypatch.setattr(registry, "SPECS", listed(files=((gone,),)))
        with pytest.raises(ConnectionError, match=r"gone\.zip could not be downloaded"):
            datasets.fetch("mine", tmp_path / "data")
    assert [path.name for path in folder.iterdir()] == ["there.txt"]
    assert (folder / "there.txt").read_bytes() == b"content"


@pytest.mark.parametrize(
    ("name", "why"), [("ba-house", "needs no files: it is generated"), ("graph-sst2", "has no public source")]
)
def test_what_cannot_be_fetched(name, why, tmp_path):
    with pytest.raises(ValueError, match=rf"^{name} {why}"):
        datasets.fetch(name, tmp_path)
