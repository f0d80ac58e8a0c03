"""Files of data sets: where they are looked for, downloads that are whole or not there, and limits of unpacking."""

import gzip
import hashlib
import os
import random
import zipfile
from pathlib import Path

import pytest

from protograph import datasets
from protograph.datasets import files as module
from protograph.datasets.files import CHUNK, DataFiles, SourceFile, fetch_into, read_members, read_unpacked
from tests.datasets.file_server import serving

RELATIVE = "folder/file.txt"
CONTENT = random.Random(0).randbytes(3 * CHUNK + 17)
SHA256 = hashlib.sha256(CONTENT).hexdigest()
UNPUBLISHED = SourceFile(RELATIVE, SHA256)


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


# --- finding ---


def test_root_goes_before_the_variable_and_that_before_the_downloads(tmp_path, monkeypatch, downloads):
    def find(root=None):
        return DataFiles("some", root).find(RELATIVE)

    third = put(downloads)
    monkeypatch.setenv("PROTOGRAPH_DATA", "")
    assert find() == third
    (tmp_path / "b").mkdir()
    monkeypatch.setenv("PROTOGRAPH_DATA", str(tmp_path / "b"))
    assert find() == third  # what the folder lacks is looked for among the downloads
    packed = put(tmp_path / "b", name=f"{RELATIVE}.gz")
    assert find() == packed
    second = put(tmp_path / "b")
    assert find() == second
    first = put(tmp_path / "a")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find(tmp_path / "a") == find(Path("~/a")) == first


def test_what_is_named_must_be_a_folder_that_has_the_file(tmp_path, monkeypatch, server, source):
    gone, folder = tmp_path / "gone", tmp_path / "a"
    folder.mkdir()
    with pytest.raises(FileNotFoundError, match=rf"files of some .*{gone}, which is not a folder; .* root= or"):
        DataFiles("some", gone).find(RELATIVE)
    for root in (folder, None):
        monkeypatch.setenv("PROTOGRAPH_DATA", str(folder))
        files = DataFiles("some", root)
        with pytest.raises(FileNotFoundError, match=rf"in {folder}, .*no such file; `protograph datasets fetch some`"):
            files.read(source)
        with pytest.raises(FileNotFoundError, match=r"no public source .* PROTOGRAPH_DATA, root= or --data-root"):
            files.get(UNPUBLISHED)
    assert server.requests == []
    assert list(folder.iterdir()) == []
    with pytest.raises(FileNotFoundError, match=rf"benzene/\S+ was looked for in {folder}, which has"):
        datasets.load("benzene", folder)


# --- getting ---


def test_downloaded_once_where_no_folder_is_named(server, source, downloads):
    calls = []
    path = DataFiles("some", None, lambda *call: calls.append(call)).get(source)
    assert path == downloads / RELATIVE
    assert path.read_bytes() == CONTENT
    assert [done for _, done, _ in calls] == [CHUNK, 2 * CHUNK, 3 * CHUNK, len(CONTENT)]
    assert {(stage, total) for stage, _, total in calls} == {("downloading file.txt", len(CONTENT))}
    assert DataFiles("some").get(source) == path
    assert len(server.requests) == 1


def test_without_a_source_what_is_there_must_be_right(downloads):
    for content in (None, b"wrong"):
        if content is not None:
            put(downloads, content)
        with pytest.raises(FileNotFoundError, match=r"missing or damaged; there is no public source"):
            DataFiles("some").read(UNPUBLISHED)
    put(downloads)
    assert DataFiles("some").read(UNPUBLISHED) == CONTENT


@pytest.mark.parametrize("name", [RELATIVE, f"{RELATIVE}.gz"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "packed"])
def test_what_is_right_stays_and_what_is_wrong_is_got_again(server, source, tmp_path, name, pack):
    path = put(tmp_path, pack(CONTENT), name)
    assert fetch_into(source, tmp_path, quiet) == path
    assert server.requests == []
    for wrong in (b"wrong", gzip.compress(CONTENT)[:-9]):
        put(tmp_path, wrong, name)
        with pytest.raises(ValueError, match=r"not replaced, so move it away|cannot be read"):
            fetch_into(source, tmp_path, quiet, may_replace=False)
        assert fetch_into(source, tmp_path, quiet).read_bytes() == CONTENT
        (tmp_path / RELATIVE).unlink()


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "packed"])
def test_a_download_with_another_checksum_is_not_kept(server, tmp_path, pack):
    server.content = pack(CONTENT)
    with pytest.raises(ValueError, match=rf"file.txt from {server.url}.* {'0' * 64} .* got {SHA256}; try again later"):
        fetch_into(SourceFile(RELATIVE, "0" * 64, server.url), tmp_path, quiet)
    server.content = gzip.compress(CONTENT)[:-9]
    with pytest.raises(ValueError, match=rf"file.txt from {server.url} cannot be read \(EOFError"):
        fetch_into(SourceFile(RELATIVE, None, server.url), tmp_path, quiet)
    server.content = b"<html>log in</html>"
    with pytest.raises(ValueError, match=r"PROTEINS.zip from .* must be a zip archive"):
        fetch_into(SourceFile("tu/PROTEINS.zip", None, server.url), tmp_path, quiet)
    assert files_in(tmp_path) == {}


def test_content_is_unpacked_and_checked_where_a_folder_is_named(server, source, tmp_path):
    for content in (CONTENT, gzip.compress(CONTENT)):
        put(tmp_path, content)
        assert DataFiles("some", tmp_path).read(UNPUBLISHED) == CONTENT
    path = put(tmp_path, gzip.compress(b"wrong"))
    with pytest.raises(
        ValueError, match=rf"{path}.* {SHA256} .*`protograph datasets fetch some --data-root {tmp_path}`"
    ):
        DataFiles("some", tmp_path).read(source)
    assert server.requests == []


# --- downloads ---


@pytest.mark.parametrize(
    ("behave", "reason"),
    [
        (lambda handler, number: handler.refuse(404), "404 Client Error: Not Found"),
        (lambda handler, number: handler.give(limit=1000), r"IncompleteRead\(1000 bytes read"),
        (lambda handler, number: True, "Remote end closed connection"),
    ],
)
def test_what_fails_leaves_nothing(server, tmp_path, behave, reason):
    path = tmp_path / "deep" / "file.bin"
    server.behave = behave
    with pytest.raises(
        ConnectionError, match=rf"{server.url} could not be downloaded \(.*{reason}.*put the file at {path} by hand"
    ):
        fetch_into(SourceFile("deep/file.bin", None, server.url), tmp_path, quiet)
    assert list(path.parent.iterdir()) == []


def test_an_interrupt_leaves_nothing_and_an_earlier_file_stays(server, tmp_path):
    def interrupt(stage, done, total):
        raise KeyboardInterrupt

    path, wanted = put(tmp_path, b"before", "file.bin"), SourceFile("file.bin", SHA256, server.url)
    with pytest.raises(KeyboardInterrupt):
        fetch_into(wanted, tmp_path, interrupt)
    assert files_in(tmp_path) == {path: b"before"}
    # A redirect, and an answer that does not tell its length.
    server.behave = lambda handler, number: (
        handler.send(302, {"Location": "/elsewhere", "Content-Length": 0}, b"")
        if handler.path != "/elsewhere"
        else handler.send(200, {}, CONTENT)
    )
    totals = set()
    fetch_into(wanted, tmp_path, lambda stage, done, total: totals.add(total))
    assert files_in(tmp_path) == {path: CONTENT}
    assert totals == {None}


# --- unpacking ---


def test_a_small_file_does_not_become_a_large_one(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST", 1 << 20)
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(bytes(1 << 20)))
    assert read_unpacked(path) == bytes(1 << 20)
    for packed in (gzip.compress(bytes((1 << 20) + 1)), gzip.compress(bytes(1 << 20)) * 2):
        path.write_bytes(packed)
        with pytest.raises(ValueError, match=rf"{path} .* more than 1,048,576 bytes when unpacked; unpack it by hand"):
            read_unpacked(path)
    path.write_bytes(bytes((1 << 20) + 1))  # what is not packed has the size that it seems to have
    assert len(read_unpacked(path)) == (1 << 20) + 1


def test_only_what_is_asked_for_is_taken_from_an_archive(tmp_path, monkeypatch):
    path = tmp_path / "some.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x/a.txt", b"first")
        archive.writestr("../../outside.txt", b"second")
        archive.writestr("bomb.txt", bytes(3 << 20))
    monkeypatch.setattr(module, "MOST", 1 << 20)
    assert read_members(path, {"x/a.txt": "a", "../../outside.txt": "b"}.get) == {"a": b"first", "b": b"second"}
    assert os.listdir(tmp_path) == ["some.zip"]  # nothing is written
    with pytest.raises(ValueError, match=rf"{path} .* more than 1,048,576 bytes when unpacked"):
        read_members(path, {"bomb.txt": "c"}.get)


@pytest.mark.parametrize("change", ["cut", "password", "size"])
def test_archives_that_cannot_be_read(tmp_path, change):
    path = tmp_path / "some.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", bytes(range(256)) * 40)
    content = bytearray(path.read_bytes())
    if change == "cut":
        content = content[: len(content) // 2]
    else:  # says that a password is needed, or that it has ten bytes
        for mark, flag, size in ((b"PK\x03\x04", 6, 22), (b"PK\x01\x02", 8, 24)):
            start = content.index(mark)
            if change == "password":
                content[start + flag] |= 1
            else:
                content[start + size : start + size + 4] = (10).to_bytes(4, "little")
    path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"{path} cannot be read \(.*damaged or another file, get it again"):
        read_members(path, {"a.txt": "a"}.get)
