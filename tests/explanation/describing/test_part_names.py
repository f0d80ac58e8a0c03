import torch
from torch_geometric.data import Data

from protograph.explanation import Pattern, Prototype
from protograph.explanation.describing.part_names import everywhere
from protograph.molecules.named_parts import NamedPart

ESTER = NamedPart("ester group", (0, 1, 2))
STAR = Data(x=torch.eye(2)[[0, 1, 1]], edge_index=torch.tensor([[0, 0, 1, 2], [1, 2, 0, 0]]))


def test_equal_names_are_counted():
    assert everywhere([ESTER, ESTER, NamedPart("oxime group", (3,))]) == (
        " (in every molecule: two ester groups and an oxime group)"
    )


def test_a_pattern_and_a_prototype_say_what_they_are_in_every_molecule():
    pattern = Pattern(graph=STAR, feature_names=("C", "O"), named_parts=(ESTER,))
    assert pattern.describe() == "a carbon joined to two oxygens (in every molecule: an ester group)"
    prototype = Prototype(graph=STAR, probability=0.5, margin=0.0, feature_names=("C", "O"), named_parts=(ESTER,))
    assert prototype.describe().startswith("one carbon and two oxygens") is False
    assert "(in every molecule: an ester group)" in prototype.describe()
