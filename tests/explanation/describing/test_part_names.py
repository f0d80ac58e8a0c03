import pytest
import torch
from torch_geometric.data import Data

from protograph.explanation import Pattern, Prototype
from protograph.molecules.functional_groups import NamedPart
from tests.explanation.by_hand import asking

ESTER = NamedPart("ester group", (0, 1, 2))
STAR = Data(x=torch.eye(2)[[0, 1, 1]], edge_index=torch.tensor([[0, 0, 1, 2], [1, 2, 0, 0]]))


def test_a_pattern_and_a_prototype_say_what_they_are_in_every_molecule():
    pattern = asking(STAR, ("C", "O"), named_parts=(ESTER,))
    assert pattern.describe() == "a carbon joined to two oxygens (in every molecule: an ester group)"
    prototype = Prototype(graph=STAR, probability=0.5, margin=0.0, feature_names=("C", "O"), named_parts=(ESTER,))
    assert prototype.describe() == "two oxygens and one carbon in a path (in every molecule: an ester group); p = 0.500"


def test_names_of_nodes_that_are_not_there_are_refused():
    with pytest.raises(ValueError, match=r"^named_parts\[0\]\.nodes must be nodes of graph, from 0 to 2, got "):
        Pattern(graph=STAR, named_parts=(NamedPart("ester group", (0, 3)),))
