import sys

import pytest
from rdkit import Chem

from protograph.molecules.toolkit import import_chem


def test_rdkit_is_given_where_it_is_installed():
    assert import_chem("counting atoms") is Chem


def test_without_rdkit_the_message_says_what_for_and_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "rdkit.Chem", None)
    with pytest.raises(ImportError) as caught:
        import_chem("counting atoms")
    assert str(caught.value) == "counting atoms needs RDKit; pip install 'protograph[molecules]'"
