import pytest

from protograph.cli.folder import whole_folder


def write(folder, *names, keep=None):
    with whole_folder(folder, keep) as partial:
        for name in names:
            (partial / name).write_text("new")


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_files_appear_at_the_end(tmp_path):
    with whole_folder(tmp_path / "new" / "one") as partial:
        (partial / "report.html").write_text("new")
        assert files(tmp_path / "new") == [partial.name]
    assert files(tmp_path / "new") == ["one"]
    assert files(tmp_path / "new" / "one") == ["report.html"]


def test_nothing_of_an_earlier_run_stays_beside_the_next(tmp_path):
    folder = tmp_path / "mixed"
    write(folder, "model.pt", "split.json", "class7-prototype1.png", "notes.txt")
    write(folder, "class0-prototype1.png")
    assert files(folder) == ["class0-prototype1.png", "notes.txt"]


def test_the_model_that_is_explained_stays(tmp_path):
    folder = tmp_path / "mixed"
    write(folder, "model.pt", "split.json")
    write(folder, "report.html", keep=str(folder / "model.pt"))
    assert files(folder) == ["model.pt", "report.html"]


def test_an_error_leaves_nothing(tmp_path):
    with pytest.raises(TypeError):
        write(tmp_path / "new" / "one", "report.html", 3)
    assert files(tmp_path) == []


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "taken").write_text("mine")
    for path, reason in ((tmp_path / "taken", "it is a file, not a folder"), (tmp_path / "taken" / "in", "")):
        with pytest.raises(OSError, match=rf"^cannot write to {path}: {reason}.*; choose another --out$"):
            write(path, "report.html")
    assert (tmp_path / "taken").read_text() == "mine"


def test_a_folder_without_permission(tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(OSError, match=rf"^cannot write to {tmp_path}/a: no permission; choose another --out$"):
        write(tmp_path / "a", "report.html")
    assert files(tmp_path) == []
