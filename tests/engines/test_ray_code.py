import importlib
import sys
from contextlib import suppress

import cloudpickle
import pytest
import torch

from protograph.engines.ray_code import own_modules, sent_along
from protograph.training import GCN


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A module of the user's own, beside a script of his."""
    (tmp_path / "mine_alone.py").write_text("import torch\nclass Mine(torch.nn.Linear):\n    answer = 42\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("mine_alone")
    sys.modules.pop("mine_alone", None)


def test_code_is_the_users_own_unless_it_is_installed(mine):
    model = torch.nn.Sequential(mine.Mine(2, 2), mine.Mine(2, 2), GCN(2, 2, (3,)))
    assert own_modules(model.modules()) == [mine]
    assert own_modules([mine.Mine, torch.relu, len, 3, "auto"]) == [mine]


def test_own_code_goes_along_and_only_then(mine, monkeypatch):
    model = mine.Mine(2, 2)
    plain = cloudpickle.dumps(model)
    with sent_along(cloudpickle, [model]):
        along = cloudpickle.dumps(model)
    assert cloudpickle.dumps(model) == plain
    # Another process, which does not have the file.
    monkeypatch.setitem(sys.modules, "mine_alone", None)
    assert cloudpickle.loads(along).answer == 42
    with pytest.raises(ImportError):
        cloudpickle.loads(plain)


def test_modules_are_as_they_were_after_an_error(mine):
    with suppress(ValueError), sent_along(cloudpickle, [mine.Mine]):
        raise ValueError
    assert not cloudpickle.list_registry_pickle_by_value()
