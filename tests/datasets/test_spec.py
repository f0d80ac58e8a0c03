import gzip
import hashlib
import io
import tomllib
import zipfile
from pathlib import Path

import pytest
import torch
from torch_geometric.data import Data

from protograph import datasets
from protograph.datasets import GraphDataset
from protograph.datasets.registry import SPECS
from protograph.datasets.spec import NO_SOURCE, DataFiles, DatasetSpec, PaperCounts, SourceFile, fetch_into
from tests.datasets.file_server import serving

RELATIVE = "folder/file.txt"
CONTENT = b"what the file says"
SHA256 = hashlib.sha256(CONTENT).hexdigest()
UNPUBLISHED = SourceFile(RELATIVE, SHA256, None)


def quiet(stage, done, total):
    """Say nothing."""


@pytest.fixture(autouse=True)
def downloads(tmp_path, monkeypatch):
    monkeypatch.delenv("PROTOGRAPH_DATA", raising=False)
    monkeypatch.setenv("PROTOGRAPH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "*")
    return tmp_path / "cache" / "downloads"


@pytest.fixture
def server():
    with serving(CONTENT) as running:
        yield running


@pytest.fixture
def source(server):
    return SourceFile(RELATIVE, SHA256, server.url)


def put(folder, content=CONTENT, name=RELATIVE):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def files_in(folder):
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def find(root=None):
    return DataFiles("some", root).find(RELATIVE)


def message_of(kind, function, *arguments):
    with pytest.raises(kind) as caught:
        function(*arguments)
    return str(caught.value)


# --- finding ---


def test_root_goes_before_the_variable_and_that_before_the_downloads(tmp_path, monkeypatch, downloads):
    third = put(downloads)
    assert find() == third
    monkeypatch.setenv("PROTOGRAPH_DATA", "")
    assert find() == third
    second = put(tmp_path / "b")
    monkeypatch.setenv("PROTOGRAPH_DATA", str(tmp_path / "b"))
    assert find() == second
    first = put(tmp_path / "a")
    assert find(tmp_path / "a") == first


def test_what_a_named_folder_lacks_is_looked_for_among_the_downloads(tmp_path, monkeypatch, downloads):
    downloaded = put(downloads)
    (tmp_path / "a").mkdir()
    monkeypatch.setenv("PROTOGRAPH_DATA", str(tmp_path / "a"))
    assert find(tmp_path / "a") == find() == downloaded
    own = put(tmp_path / "a")
    assert find(tmp_path / "a") == find() == own


def test_packed_files_are_found_after_plain_ones(tmp_path):
    packed = put(tmp_path, name=f"{RELATIVE}.gz")
    assert find(tmp_path) == packed
    plain = put(tmp_path)
    assert find(tmp_path) == plain


def test_a_folder_of_that_name_is_no_file(tmp_path):
    (tmp_path / RELATIVE).mkdir(parents=True)
    assert find(tmp_path) is None


def test_the_home_folder_is_known(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    path = put(tmp_path / "a")
    assert find(Path("~/a")) == path


def test_what_is_named_is_not_a_folder(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    wanted = f"{RELATIVE} was looked for in {gone} (%s), which is not a folder; name one that has the file"
    assert message_of(FileNotFoundError, find, gone) == wanted % "root="
    monkeypatch.setenv("PROTOGRAPH_DATA", str(gone))
    assert message_of(FileNotFoundError, find) == wanted % "PROTOGRAPH_DATA"


@pytest.mark.parametrize("name", ["benzene", "mutagenicity"])
def test_data_sets_say_which_file_they_lack(tmp_path, name):
    with pytest.raises(FileNotFoundError, match=rf"^{name}/\S+ was looked for in {tmp_path} \(root=\), which has no"):
        datasets.load(name, tmp_path)


# --- getting ---


def test_downloaded_once_where_no_folder_is_named(server, source, downloads):
    calls = []
    path = DataFiles("some", None, lambda *call: calls.append(call)).get(source)
    assert path == downloads / RELATIVE
    assert path.read_bytes() == CONTENT
    assert calls[-1] == ("downloading file.txt", len(CONTENT), len(CONTENT))
    assert DataFiles("some").get(source) == path
    assert len(server.requests) == 1


@pytest.mark.parametrize("origin", ["root=", "PROTOGRAPH_DATA"])
def test_a_named_folder_is_never_written_to(server, source, tmp_path, monkeypatch, origin):
    folder = tmp_path / "a"
    folder.mkdir()
    monkeypatch.setenv("PROTOGRAPH_DATA", str(folder))
    files = DataFiles("some", folder if origin == "root=" else None)
    problem = f"{RELATIVE} was looked for in {folder} ({origin}), which has no such file; "
    wanted = f"{problem}`protograph datasets fetch some` gets it"
    assert message_of(FileNotFoundError, files.get, source) == wanted
    assert message_of(FileNotFoundError, files.read, source) == wanted
    assert message_of(FileNotFoundError, files.get, UNPUBLISHED) == problem + NO_SOURCE
    assert server.requests == []
    assert list(folder.iterdir()) == []


def test_no_public_source(downloads):
    wanted = (
        f"{downloads / RELATIVE} is missing or damaged; there is no public source to download it from: "
        f"name a folder that has it with PROTOGRAPH_DATA, root= or --data-root"
    )
    assert message_of(FileNotFoundError, DataFiles("some").get, UNPUBLISHED) == wanted
    put(downloads, b"wrong")
    assert message_of(FileNotFoundError, DataFiles("some").read, UNPUBLISHED) == wanted
    put(downloads)
    assert DataFiles("some").read(UNPUBLISHED) == CONTENT


def test_fetch_into_makes_the_folder_and_skips_what_is_right(server, source, tmp_path):
    path = fetch_into(source, tmp_path / "new", quiet)
    assert path == tmp_path / "new" / RELATIVE
    assert path.read_bytes() == CONTENT
    assert fetch_into(source, tmp_path / "new", quiet) == path
    assert len(server.requests) == 1


def test_fetch_into_skips_a_packed_file_that_is_right(server, source, tmp_path):
    packed = put(tmp_path, gzip.compress(CONTENT), f"{RELATIVE}.gz")
    assert fetch_into(source, tmp_path, quiet) == packed
    assert server.requests == []


@pytest.mark.parametrize("name", [RELATIVE, f"{RELATIVE}.gz"])
@pytest.mark.parametrize("wrong", [b"wrong", gzip.compress(CONTENT)[:-9]], ids=["other", "cut"])
def test_fetch_into_gets_what_is_wrong_again(source, tmp_path, name, wrong):
    put(tmp_path, wrong, name)
    path = fetch_into(source, tmp_path, quiet)
    assert path == tmp_path / RELATIVE
    assert path.read_bytes() == CONTENT


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "packed"])
def test_a_download_with_another_checksum_is_not_kept(server, tmp_path, pack):
    server.content = pack(CONTENT)
    file = SourceFile(RELATIVE, "0" * 64, server.url)
    assert message_of(ValueError, fetch_into, file, tmp_path, quiet) == (
        f"file.txt from {server.url} must have the SHA-256 checksum {'0' * 64} when unpacked, got {SHA256}; "
        f"try again later"
    )
    assert files_in(tmp_path / "folder") == {}


def test_without_a_checksum_a_packed_download_must_still_be_whole(server, tmp_path):
    server.content = gzip.compress(CONTENT)[:-9]
    message = message_of(ValueError, fetch_into, SourceFile(RELATIVE, None, server.url), tmp_path, quiet)
    assert message.startswith(f"file.txt from {server.url} cannot be read (EOFError: ")
    assert files_in(tmp_path / "folder") == {}


def test_a_download_that_is_no_archive_is_not_kept(server, tmp_path):
    """What a network that asks to log in gives in place of every file."""
    server.content = b"<html>log in</html>"
    file = SourceFile("tu/PROTEINS.zip", None, server.url)
    assert message_of(ValueError, fetch_into, file, tmp_path, quiet) == (
        f"PROTEINS.zip from {server.url} must be a zip archive, got something else; try again later"
    )
    assert files_in(tmp_path / "tu") == {}
    put(tmp_path, b"<html>from before</html>", name=file.relative)
    with io.BytesIO() as buffer:
        zipfile.ZipFile(buffer, "w").close()
        server.content = buffer.getvalue()
    assert zipfile.is_zipfile(fetch_into(file, tmp_path, quiet))


# --- reading ---


@pytest.mark.parametrize("name", [RELATIVE, f"{RELATIVE}.gz"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "packed"])
def test_content_is_unpacked_whatever_the_name(tmp_path, name, pack):
    put(tmp_path, pack(CONTENT), name)
    before = files_in(tmp_path)
    assert DataFiles("some", tmp_path).read(UNPUBLISHED) == CONTENT
    assert files_in(tmp_path) == before


def test_a_packed_download_is_unpacked(server, source):
    server.content = gzip.compress(CONTENT)
    assert DataFiles("some").read(source) == CONTENT


def test_without_a_checksum_any_content_will_do(tmp_path):
    put(tmp_path, b"anything")
    assert DataFiles("some", tmp_path).read(SourceFile(RELATIVE, None, None)) == b"anything"


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "packed"])
def test_another_checksum_in_a_named_folder(server, source, tmp_path, pack):
    path = put(tmp_path, pack(b"wrong"))
    got = hashlib.sha256(b"wrong").hexdigest()
    assert message_of(ValueError, DataFiles("some", tmp_path).read, source) == (
        f"{path} must have the SHA-256 checksum {SHA256} when unpacked, got {got}; "
        f"move it away and get it again with `protograph datasets fetch some --data-root {tmp_path}`"
    )
    assert server.requests == []


def flipped(content):
    return content[:-6] + bytes([content[-6] ^ 1]) + content[-5:]


@pytest.mark.parametrize(
    ("damage", "kind"),
    [(lambda packed: packed[:-9], "EOFError"), (flipped, "BadGzipFile"), (lambda packed: packed[:5], "EOFError")],
    ids=["cut", "flipped", "header"],
)
def test_a_damaged_packed_file(tmp_path, damage, kind):
    path = put(tmp_path, damage(gzip.compress(CONTENT)), f"{RELATIVE}.gz")
    message = message_of(ValueError, DataFiles("some", tmp_path).read, UNPUBLISHED)
    assert message.startswith(f"{path} cannot be read ({kind}: ")
    assert message.endswith("); it is damaged or another file, get it again")


@pytest.mark.parametrize("sha256", [SHA256, None])
def test_a_damaged_download_is_downloaded_again(server, downloads, sha256):
    path = put(downloads, gzip.compress(CONTENT)[:-9])
    assert DataFiles("some").read(SourceFile(RELATIVE, sha256, server.url)) == CONTENT
    assert path.read_bytes() == CONTENT
    assert len(server.requests) == 1


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


@pytest.fixture
def dataset():
    """Two joined nodes twice; the second has a self-loop too."""
    pair = torch.tensor([[0, 1], [1, 0]])
    edges = [pair, torch.cat([pair, torch.tensor([[0, 1], [0, 1]])], dim=1)]
    graphs = [Data(edge_index=edge_index, num_nodes=2, y=torch.tensor([0])) for edge_index in edges]
    splits = {"train": torch.tensor([1]), "test": torch.tensor([0])}
    return GraphDataset(graphs=graphs, name="mine", class_names=("a", "b"), splits=splits)


@pytest.mark.parametrize(
    ("counting", "edges"), [("directed", 6), ("undirected", 3), ("undirected, training graphs only", 2)]
)
def test_edges_as_the_paper_counts_them(dataset, counting, edges):
    assert PaperCounts(2, 4, edges, counting).count(dataset, quiet) == (2, 4, edges)


@pytest.mark.parametrize(
    ("paper", "wanted"),
    [
        (PaperCounts(2, 4, 6, "directed"), "equal"),
        (PaperCounts(2, 4, 7, "directed"), "different"),
        (PaperCounts(2, 4, 7, "directed", 0.2, "chance"), "explained"),
        (PaperCounts(2, 4, 7, "directed", 0.1, "chance"), "different"),
        (PaperCounts(3, 4, 6, "directed", 0.9, "chance"), "different"),
    ],
)
def test_verdicts(paper, wanted):
    assert paper.verdict((2, 4, 6)) == wanted


@pytest.mark.parametrize("name", ["ba-grid", "ba-house"])
def test_generated_sets_differ_by_what_is_explained(name):
    paper = SPECS[name].paper
    assert paper.verdict(paper.count(datasets.load(name), quiet)) == "explained"
