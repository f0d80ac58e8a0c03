import pytest

from protograph.cli.comparing import KIND, QUICK_GRAPHS, Request, _files
from protograph.cli.runs import Run


def test_a_file_is_read_once_whatever_the_seed_and_a_quick_run_takes_some_of_it(folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setattr("protograph.cli.comparing.QUICK_GRAPHS", 50)
    request = Request(run=Run(data="graphs.pt", seed=0), data_root=None, is_quick=False)
    quick = Request(run=Run(data="graphs.pt", seed=0), data_root=None, is_quick=True)
    assert request.loaded(0) is request.loaded(1)
    assert (len(request.data(0)), len(quick.data(0))) == (120, 50)
    first, again, other = ([id(graph) for graph in quick.data(seed)] for seed in (0, 0, 1))
    assert first == again != other
    assert QUICK_GRAPHS == 300


def test_a_named_data_set_is_another_for_each_seed():
    request = Request(run=Run(data="ba-house", seed=0), data_root=None, is_quick=True)
    assert [id(graph) for graph in request.data(0)] != [id(graph) for graph in request.data(1)]
    assert request.data(0).ground_truths.keys() == {1}


@pytest.mark.parametrize("name", ["page", "mine.deep:Mine_2"])
def test_every_file_of_a_comparison_is_known_as_ours(name):
    files = _files([name], 2)
    assert len(files) == 6
    assert all(KIND.names.fullmatch(file) for file in files)
