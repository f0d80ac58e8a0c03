import pytest
import torch
from torch_geometric.data import Data

from protograph._utils.plain_torch import load_plain
from protograph.graphs.files import read_graphs


class Mine:
    """A class of the user's own."""


def test_what_others_allow_stays_allowed(tmp_path):
    """PyG allows its own classes for good, and reads its processed files by that."""
    torch.save([Data(x=torch.ones(1, 1))], tmp_path / "graphs.pt")
    before = set(torch.serialization.get_safe_globals())
    with torch.serialization.safe_globals([Data]):
        read_graphs(tmp_path / "graphs.pt")
        assert Data in torch.serialization.get_safe_globals()
    torch.serialization.add_safe_globals([one for one in before if isinstance(one, type)])
    read_graphs(tmp_path / "graphs.pt")
    assert set(torch.serialization.get_safe_globals()) == before


def test_classes_are_allowed_for_one_file_only(tmp_path):
    torch.save(Mine(), tmp_path / "mine.pt")
    with pytest.raises(ValueError, match=r"mine\.pt cannot be read as a thing; it holds a \S+Mine$"):
        load_plain(tmp_path / "mine.pt", "a thing")
    assert isinstance(load_plain(tmp_path / "mine.pt", "a thing", [Mine]), Mine)
    with pytest.raises(ValueError, match=r"mine\.pt cannot be read as a thing; it holds a \S+Mine$"):
        load_plain(tmp_path / "mine.pt", "a thing")
