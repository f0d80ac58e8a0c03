import pytest

from research.paper.items.fidelity_limits import by_kind, values_of, write_limits
from research.paper.sheet import Sheet
from tests.research.items.fidelity_by_hand import real, truth, unlearned, world


def limits(of_real, of_truths, worlds):
    sheet = Sheet()
    write_limits(of_real, of_truths, worlds, sheet)
    return sheet.parts


def test_limits_of_parts_that_are_there():
    of_real = {("bbbp", "gcn"): [real(0.9), real(0.8)], ("bbbp", "gin"): [real(0.81)]}
    of_truths = {("solubility",): [truth(0.7, truth=0.72)], ("ba-house",): [truth(0.99, truth=1.0)]}
    found = limits(of_real, of_truths, [])
    assert [(one.claim, one.paper, one.verdict, one.note) for one in found] == [
        ("BBBP, GCN: mean fidelity", "at least 0.87", "missed", ""),
        ("BBBP, GCN: lowest test accuracy", "at least 0.81", "holds", "that of LogicXGNN's models"),
        ("BBBP, GIN: mean fidelity", "at least 0.8075", "holds", "95% of the GCN's"),
        ("Solubility: mean fidelity", "at least 0.71", "missed", "the truth as a rule, less 0.01"),
        ("BA-house: mean fidelity", "at least 0.98", "holds", ""),
    ]
    assert found[0].ours.mean == pytest.approx(0.85)


def test_worlds_are_put_together_by_kind():
    worlds = [
        world("lack", 0.8, [True, False]),
        world("lack", 1.0, [True, True]),
        unlearned("lack"),
        world("count", 0.9, [True], accuracy=None),
    ]
    assert values_of(by_kind(worlds)["lack"], "found") == [0.5, 1.0]
    assert values_of(by_kind(worlds)["count"], "accuracy") == []
    found = {one.claim: one for one in limits({}, {}, worlds)}
    assert found["planted worlds: mean of fidelity"].ours.mean == pytest.approx(0.9)
    lowest = found["planted worlds: reasons found of the lowest kind"]
    assert (lowest.ours, lowest.verdict, lowest.note) == (0.75, "missed", "lack")
    assert found["planted worlds: mean of prototypes right"].verdict == "holds"


def test_a_kind_that_no_model_has_learned_has_no_limit():
    assert limits({}, {}, [unlearned("lack")]) == []
