import pytest

from protograph._utils.files import atomic_path


def test_a_file_is_there_only_once_it_is_whole(tmp_path):
    path = tmp_path / "report.html"
    with atomic_path(path) as temporary:
        temporary.write_text("half")
        assert not path.exists()
        assert temporary.parent == tmp_path
        assert temporary.suffix == ".html"
    assert path.read_text() == "half"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [ValueError("broken"), KeyboardInterrupt()], ids=repr)
def test_an_error_leaves_the_earlier_file_and_nothing_else(tmp_path, error):
    path = tmp_path / "report.html"
    path.write_text("earlier")

    def write():
        with atomic_path(path) as temporary:
            temporary.write_text("half")
            raise error

    with pytest.raises(type(error)):
        write()
    assert path.read_text() == "earlier"
    assert list(tmp_path.iterdir()) == [path]


def enter(path):
    with atomic_path(path):
        pytest.fail("the block must not run")


def test_a_place_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"^cannot write runs/report\.html: the folder runs does not exist$"):
        enter("runs/report.html")
    (tmp_path / "runs").mkdir()
    (tmp_path / "file").write_text("")
    with pytest.raises(FileNotFoundError, match=r"^cannot write file/report\.html: the folder file is not a folder$"):
        enter("file/report.html")
    with pytest.raises(IsADirectoryError, match=r"^cannot write runs: it is a folder$"):
        enter("runs")


def test_a_folder_that_takes_no_files_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def touch(path, exist_ok):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.touch", touch)
    with pytest.raises(PermissionError, match=r"^cannot write a\.html: Permission denied$"):
        enter("a.html")


def test_a_full_disk_is_reported_with_the_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write():
        with atomic_path("a.html"):
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match=r"^cannot write a\.html: No space left on device$"):
        write()
    assert list(tmp_path.iterdir()) == []


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    with atomic_path(tmp_path / "link") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_a_file_that_is_replaced_keeps_its_mode(tmp_path):
    path = tmp_path / "secret.pt"
    path.write_text("old")
    for mode in (0o600, 0o640, 0o664):
        path.chmod(mode)
        with atomic_path(path) as temporary:
            temporary.write_text("new")
        assert path.read_text() == "new"
        assert path.stat().st_mode & 0o777 == mode
