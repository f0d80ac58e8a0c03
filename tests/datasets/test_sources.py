import gzip
import hashlib
import io
import zipfile
from pathlib import Path

import pytest

from protograph import datasets
from protograph.datasets import download
from protograph.datasets.sources import SourceFile, fetch, fetch_into, find, find_file, read
from tests.datasets.file_server import serving

NAME = "some"
RELATIVE = f"{NAME}/file.txt"
CONTENT = b"what the file says"
SHA256 = hashlib.sha256(CONTENT).hexdigest()
WAYS_OUT = (
    "; set PROTOGRAPH_DATA to a folder that has it, pass root= or --data-root, "
    f"or get it with `protograph datasets fetch {NAME}`"
)
NO_SOURCE = (
    ", and there is no public source to download it from; "
    "name a folder that has it with PROTOGRAPH_DATA, root= or --data-root"
)


@pytest.fixture(autouse=True)
def downloads(tmp_path, monkeypatch):
    monkeypatch.delenv("PROTOGRAPH_DATA", raising=False)
    monkeypatch.setenv("PROTOGRAPH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr(download, "BACK_OFF", ())
    return tmp_path / "cache" / "downloads"


@pytest.fixture
def server():
    with serving(CONTENT) as running:
        yield running


@pytest.fixture
def source(server):
    return SourceFile(RELATIVE, SHA256, server.url)


UNPUBLISHED = SourceFile(RELATIVE, SHA256, None)


def put(folder, content=CONTENT, name=RELATIVE):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def files_in(folder):
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def message_of(kind, function, *arguments):
    with pytest.raises(kind) as caught:
        function(*arguments)
    return str(caught.value)


# --- finding ---


@pytest.mark.parametrize("kind", [str, Path])
def test_root_is_looked_in(tmp_path, kind):
    path = put(tmp_path / "a")
    assert find(kind(tmp_path / "a"), RELATIVE) == find_file(kind(tmp_path / "a"), RELATIVE) == path


def test_root_goes_before_the_variable_and_that_before_the_downloads(tmp_path, monkeypatch, downloads):
    third = put(downloads)
    assert find(None, RELATIVE) == find("", RELATIVE) == third
    monkeypatch.setenv("PROTOGRAPH_DATA", "")
    assert find(None, RELATIVE) == third
    second = put(tmp_path / "b")
    monkeypatch.setenv("PROTOGRAPH_DATA", str(tmp_path / "b"))
    assert find(None, RELATIVE) == second
    first = put(tmp_path / "a")
    assert find(tmp_path / "a", RELATIVE) == first


def test_a_named_folder_goes_before_what_was_downloaded(tmp_path, monkeypatch, downloads):
    downloaded = put(downloads)
    (tmp_path / "a").mkdir()
    monkeypatch.setenv("PROTOGRAPH_DATA", str(tmp_path / "a"))
    assert find(tmp_path / "a", RELATIVE) == find(None, RELATIVE) == downloaded
    own = put(tmp_path / "a")
    assert find(tmp_path / "a", RELATIVE) == find(None, RELATIVE) == own


def test_an_archive_that_is_none_is_not_kept(server, tmp_path):
    """What a network that asks to log in gives in place of every file."""
    server.content = b"<html>log in</html>"
    file = SourceFile("tu/PROTEINS.zip", None, server.url)
    assert message_of(ValueError, fetch_into, file, tmp_path) == (
        "PROTEINS.zip must be a zip archive, got something else; try again later"
    )
    assert [path.name for path in (tmp_path / "tu").iterdir() if not path.name.startswith(".")] == []
    put(tmp_path, b"<html>from before</html>", name=file.relative)
    with io.BytesIO() as buffer:
        zipfile.ZipFile(buffer, "w").close()
        server.content = buffer.getvalue()
    assert zipfile.is_zipfile(fetch_into(file, tmp_path))


def test_packed_files_are_found_after_plain_ones(tmp_path):
    packed = put(tmp_path, name=f"{RELATIVE}.gz")
    assert find(tmp_path, RELATIVE) == packed
    plain = put(tmp_path)
    assert find(tmp_path, RELATIVE) == plain


def test_the_home_folder_is_known(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    path = put(tmp_path / "a")
    assert find("~/a", RELATIVE) == path


@pytest.mark.parametrize("function", [find, find_file])
def test_a_folder_that_is_none(tmp_path, monkeypatch, function):
    gone = tmp_path / "gone"
    wanted = f"{RELATIVE} was looked for in {gone} (%s), which is not a folder; name one that has the file"
    assert message_of(FileNotFoundError, function, gone, RELATIVE) == wanted % "root="
    monkeypatch.setenv("PROTOGRAPH_DATA", str(gone))
    assert message_of(FileNotFoundError, function, None, RELATIVE) == wanted % "PROTOGRAPH_DATA"


def test_a_missing_file(tmp_path, monkeypatch, downloads):
    wanted = f"{RELATIVE} was looked for in %s (%s), which has no such file{WAYS_OUT}"
    message = message_of(FileNotFoundError, find_file, None, RELATIVE)
    assert message == wanted % (downloads, "the cache, as no folder is named")
    (tmp_path / RELATIVE).mkdir(parents=True)  # a folder of that name is no file
    assert message_of(FileNotFoundError, find_file, tmp_path, RELATIVE) == wanted % (tmp_path, "root=")
    monkeypatch.setenv("PROTOGRAPH_DATA", str(tmp_path))
    assert message_of(FileNotFoundError, find_file, None, RELATIVE) == wanted % (tmp_path, "PROTOGRAPH_DATA")


@pytest.mark.parametrize("name", ["benzene", "mutagenicity"])
def test_data_sets_say_which_file_they_lack(tmp_path, name):
    with pytest.raises(FileNotFoundError, match=rf"^{name}/\S+ was looked for in {tmp_path} \(root=\), which has no"):
        datasets.load(name, tmp_path)


# --- fetching ---


def test_downloaded_once_where_no_folder_is_named(server, source, downloads):
    calls = []
    path = fetch(source, None, lambda *call: calls.append(call))
    assert path == downloads / RELATIVE
    assert path.read_bytes() == CONTENT
    assert calls[-1] == ("downloading file.txt", len(CONTENT), len(CONTENT))
    assert fetch(source, None) == path
    assert len(server.requests) == 1


@pytest.mark.parametrize("origin", ["root=", "PROTOGRAPH_DATA"])
def test_a_named_folder_is_never_written_to(server, source, tmp_path, monkeypatch, origin):
    folder = tmp_path / "a"
    folder.mkdir()
    monkeypatch.setenv("PROTOGRAPH_DATA", str(folder))
    root = folder if origin == "root=" else None
    problem = f"{RELATIVE} was looked for in {folder} ({origin}), which has no such file"
    wanted = f"{problem}; `protograph datasets fetch {NAME}` gets it"
    assert message_of(FileNotFoundError, fetch, source, root) == wanted
    assert message_of(FileNotFoundError, read, source, root) == wanted
    assert message_of(FileNotFoundError, fetch, UNPUBLISHED, root) == problem + NO_SOURCE
    assert server.requests == []
    assert list(folder.iterdir()) == []


def test_no_public_source(downloads):
    message = message_of(FileNotFoundError, fetch, UNPUBLISHED, None)
    assert message == f"{RELATIVE} is not in {downloads}{NO_SOURCE}"


def test_fetch_into_makes_the_folder_and_skips_what_is_right(server, source, tmp_path):
    path = fetch_into(source, str(tmp_path / "new"))
    assert path == tmp_path / "new" / RELATIVE
    assert path.read_bytes() == CONTENT
    assert fetch_into(source, tmp_path / "new") == path
    assert len(server.requests) == 1


def test_fetch_into_skips_a_packed_file_that_is_right(server, source, tmp_path):
    packed = put(tmp_path, gzip.compress(CONTENT), f"{RELATIVE}.gz")
    assert fetch_into(source, tmp_path) == packed
    assert server.requests == []


@pytest.mark.parametrize("name", [RELATIVE, f"{RELATIVE}.gz"])
def test_fetch_into_gets_what_is_wrong_again(source, tmp_path, name):
    put(tmp_path, b"wrong", name)
    path = fetch_into(source, tmp_path)
    assert path == tmp_path / RELATIVE
    assert path.read_bytes() == CONTENT


def test_fetch_into_without_a_source_says_what_is_damaged(tmp_path):
    path = put(tmp_path, b"wrong")
    assert message_of(FileNotFoundError, fetch_into, UNPUBLISHED, tmp_path) == f"{path} is damaged{NO_SOURCE}"


# --- reading ---


@pytest.mark.parametrize("name", [RELATIVE, f"{RELATIVE}.gz"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "packed"])
def test_content_is_unpacked_whatever_the_name(tmp_path, name, pack):
    put(tmp_path, pack(CONTENT), name)
    before = files_in(tmp_path)
    assert read(UNPUBLISHED, tmp_path) == CONTENT
    assert files_in(tmp_path) == before


def test_a_packed_download_is_unpacked(server, source):
    server.content = gzip.compress(CONTENT)
    assert read(source, None) == CONTENT


def test_without_a_checksum_any_content_will_do(tmp_path):
    put(tmp_path, b"anything")
    assert read(SourceFile(RELATIVE, None, None), tmp_path) == b"anything"


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "packed"])
def test_another_checksum_in_a_named_folder(server, source, tmp_path, pack):
    path = put(tmp_path, pack(b"wrong"))
    got = hashlib.sha256(b"wrong").hexdigest()
    assert message_of(ValueError, read, source, tmp_path) == (
        f"{path} must have the SHA-256 checksum {SHA256} when unpacked, got {got}; "
        f"get it again with `protograph datasets fetch {NAME} --data-root {tmp_path}`"
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
    message = message_of(ValueError, read, UNPUBLISHED, tmp_path)
    assert message.startswith(f"{path} cannot be read ({kind}: ")
    assert message.endswith("); it is damaged or another file, get it again")


@pytest.mark.parametrize("sha256", [SHA256, None])
def test_a_damaged_download_is_downloaded_again(server, downloads, sha256):
    path = put(downloads, gzip.compress(CONTENT)[:-9])
    assert read(SourceFile(RELATIVE, sha256, server.url), None) == CONTENT
    assert path.read_bytes() == CONTENT
    assert len(server.requests) == 1


def test_a_damaged_file_without_a_source_stays_in_the_downloads(downloads):
    path = put(downloads, b"wrong")
    assert message_of(ValueError, read, UNPUBLISHED, None).startswith(f"{path} must have the SHA-256 checksum")
    assert path.read_bytes() == b"wrong"
