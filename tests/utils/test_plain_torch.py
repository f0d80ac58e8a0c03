import re
import zipfile

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


def message_of(path):
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))} cannot be read as a thing; ") as caught:
        load_plain(path, "a thing")
    return str(caught.value).partition("; ")[2]


def test_a_file_that_is_packed_is_not_unpacked(tmp_path):
    plain, packed = tmp_path / "plain.pt", tmp_path / "packed.pt"
    torch.save(torch.zeros(1 << 16), plain)
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            target.writestr(name, source.read(name))
    assert load_plain(plain, "a thing").shape == (1 << 16,)
    assert message_of(packed) == "it is packed, which torch.save does not do; load it and save it with torch.save"


@pytest.mark.parametrize("wrap", [lambda x: [x], lambda x: {"a": ({"b": x},)}])
def test_tensors_that_repeat_little(tmp_path, wrap):
    """A column of ones for every node is often saved as a view of a single one."""
    path = tmp_path / "view.pt"
    torch.save(wrap(torch.ones(1, 1).expand(1000, 3)), path)
    load_plain(path, "a thing")
    torch.save(wrap(torch.ones(1, 1).expand(10**9, 1000)), path)
    with pytest.raises(ValueError, match=r"\[1000000000, 1000\] of which little is stored; save what tensor"):
        load_plain(path, "a thing")
    torch.save([Data(x=torch.ones(1, 1).expand(10**9, 1000))], path)
    with pytest.raises(ValueError, match=r"\[1000000000, 1000\] of which little is stored; save what tensor"):
        read_graphs(path)
    torch.save([torch.sparse_coo_tensor([[0], [0]], [1.0], (10**9, 1000), check_invariants=True)], path)
    with pytest.raises(ValueError, match=r"\[1000000000, 1000\] of which little is stored; save what tensor"):
        load_plain(path, "a thing")
