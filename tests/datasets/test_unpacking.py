import gzip
import zipfile

import pytest

from protograph.datasets.unpacking import extract, most_unpacked, open_unpacked, read_members, read_unpacked

LIMITS = "(100 times as many are allowed, but 1,048,576 in any case and never more than 1,073,741,824)"
LOUD = bytes(range(256)) * 40


def too_large(path, what=None):
    size = path.stat().st_size
    return (
        f"{what or path} has {size:,} bytes and becomes more than {most_unpacked(size):,} when unpacked {LIMITS}; "
        f"unpack it by hand if you trust it"
    )


def message_of(call, *arguments):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        call(*arguments)
    return str(caught.value)


def opened(path):
    with open_unpacked(path) as content:
        return content.read()


@pytest.mark.parametrize("read", [read_unpacked, opened])
def test_what_is_packed_is_unpacked_and_what_is_not_is_read(tmp_path, read):
    path = tmp_path / "any.name"
    for content in (b"", b"x", LOUD):
        path.write_bytes(content)
        assert read(path) == content
        path.write_bytes(gzip.compress(content))
        assert read(path) == content


@pytest.mark.parametrize("read", [read_unpacked, opened])
def test_a_small_file_does_not_become_a_large_one(tmp_path, read):
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(bytes(1 << 20)))
    assert read(path) == bytes(1 << 20)
    path.write_bytes(gzip.compress(bytes((1 << 20) + 1)))
    assert message_of(read, path) == too_large(path)
    # Two of them end to end, each of them small enough.
    path.write_bytes(gzip.compress(bytes(1 << 20)) * 2)
    assert message_of(read, path) == too_large(path)
    path.write_bytes(bytes((1 << 20) + 1))  # what is not packed has the size that it seems to have
    assert len(read(path)) == (1 << 20) + 1
    assert message_of(read_unpacked, _cut(path), "x.gz from afar").startswith(
        "x.gz from afar cannot be read (EOFError: "
    )


def _cut(path):
    path.write_bytes(gzip.compress(LOUD)[:-9])
    return path


def test_only_what_is_asked_for_is_taken_from_an_archive(tmp_path):
    path = tmp_path / "some.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", b"first")
        archive.writestr("../../outside.txt", b"second")
        archive.writestr("bomb.txt", bytes(3 << 20))
    names = {"a.txt": "a", "../../outside.txt": "b"}
    assert read_members(path, names.get) == {"a": b"first", "b": b"second"}
    assert sorted(file.name for file in tmp_path.rglob("*")) == ["some.zip"]  # nothing is written
    assert message_of(read_members, path, {"bomb.txt": "c"}.get) == too_large(path)


def test_archives_that_cannot_be_read(tmp_path):
    path = tmp_path / "some.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x/a.txt", b"first")
        archive.writestr("y/a.txt", b"second")
    wanted = {"x/a.txt": "a", "y/a.txt": "a"}
    assert message_of(read_members, path, wanted.get) == (
        f"{path} must have one file a.txt, got x/a.txt and y/a.txt; leave one in it"
    )
    content = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + offset] |= 1  # says that a password is needed
    path.write_bytes(content)
    assert "is encrypted, password required for extraction); " in message_of(read_members, path, {"x/a.txt": "a"}.get)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", LOUD)
    content = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        place = content.index(mark) + offset
        content[place : place + 4] = (10).to_bytes(4, "little")  # says that it has ten bytes
    path.write_bytes(content)
    assert message_of(read_members, path, {"a.txt": "a"}.get) == (
        f"{path} cannot be read (BadZipFile: Bad CRC-32 for file 'a.txt'); it is damaged or another file, get it again"
    )


def test_one_file_is_unpacked_to_a_folder(tmp_path):
    path = tmp_path / "some.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", LOUD)
    (tmp_path / "to").mkdir()
    assert extract(path, "a.txt", tmp_path / "to", len(LOUD)).read_bytes() == LOUD
    assert message_of(extract, path, "a.txt", tmp_path / "to", len(LOUD) - 1) == (
        f"{path}: a.txt must have at most 10,239 bytes when unpacked, got 10,240; get it again"
    )
    assert message_of(extract, path, "b.txt", tmp_path, 9).startswith(f"{path} cannot be read (KeyError: ")
