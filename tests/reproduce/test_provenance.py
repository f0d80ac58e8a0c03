import platform

from protograph.evaluation.keeping import versions
from protograph.reproduce import provenance as module
from protograph.reproduce.provenance import commit, provenance


def test_results_say_where_they_come_from():
    made = provenance("cuda")
    assert made["versions"] == {"python": platform.python_version(), **versions()}
    assert made["hardware"]["device"] == "cuda"
    assert made["commit"] == commit()


def test_outside_of_a_checkout_there_is_no_commit(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "__file__", str(tmp_path / "a" / "b" / "c" / "provenance.py"))
    assert commit() is None


def test_a_folder_that_git_does_not_know_has_no_commit(monkeypatch, tmp_path):
    (tmp_path / ".git").write_text("gitdir: nowhere\n")
    (tmp_path / "pyproject.toml").write_text("")
    monkeypatch.setattr(module, "__file__", str(tmp_path / "src" / "protograph" / "reproduce" / "provenance.py"))
    assert commit() is None
