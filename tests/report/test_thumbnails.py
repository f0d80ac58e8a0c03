import pytest
import torch

from protograph.report import thumbnails
from protograph.report.palette import palette_of
from protograph.report.thumbnails import Thumbnails
from tests.metrics.small_graphs import path, ring
from tests.report.test_depicting import SMILES, esters

__all__ = ["esters"]


def test_plain_graphs_are_kinds_and_edges(explain):
    first, second = ring(3), path(2)
    first.x, second.x = torch.eye(2)[[0, 0, 1]], torch.eye(2)[[1, 0]]
    made = Thumbnails(explain(feature_names=()), palette_of([first]), [(7, first), (3, second), (7, second)])
    assert made.graphs == {7: {"k": [0, 0, 1], "e": [0, 1, 0, 2, 1, 2]}, 3: {"k": [1, 0], "e": [0, 1]}}
    assert [look[0] for look in made.looks] == ["#0072B2", "#E69F00"]


def test_molecules_are_drawn_and_say_where_their_atoms_are(esters):
    made = Thumbnails(esters, palette_of([]), esters.source_graphs.items())
    assert len(made.graphs) == len(SMILES)
    assert made.graphs[1]["m"].startswith("<svg ")
    nodes, numbers = made.graphs[1]["n"][::3], made.graphs[1]["n"]
    assert (nodes, len(numbers)) == ([0, 1, 2, 3, 4, 5], 18)
    assert made.looks == []


@pytest.mark.parametrize(
    "limits",
    [{"MOST_DRAWN": 2}, {"MOST_LETTERS": 3000, "LEAST_LETTERS": 0}, {"LETTERS_A_POINT": 10**6, "LEAST_LETTERS": 3000}],
)
def test_no_more_are_drawn_than_a_page_can_hold(esters, monkeypatch, limits):
    for name, limit in limits.items():
        monkeypatch.setattr(thumbnails, name, limit)
    assert list(Thumbnails(esters, palette_of([]), esters.source_graphs.items()).graphs) == [0, 1]
