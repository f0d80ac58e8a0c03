from research.paper.fidelity.rule_patterns import pattern_key, rule_patterns, share_again
from research.paper.worlds.motifs import HOUSE, RING5, RING6, path
from tests.research.fidelity.sketched import explanation, pattern


def test_a_key_does_not_depend_on_the_numbers_of_nodes():
    assert pattern_key(pattern(path(0, 1, 2))) == pattern_key(pattern(path(2, 1, 0)))
    assert pattern_key(pattern(path(0, 1, 2), closed=(0,))) == pattern_key(pattern(path(2, 1, 0), closed=(2,)))


def test_other_patterns_have_other_keys():
    made = [pattern(one) for one in (path(0, 1, 2), path(1, 0, 2), path(length=3), HOUSE, RING5, RING6)]
    made += [pattern(RING5, kind="induced"), pattern(RING5, at_least=2), pattern(path(0, 1, 2), closed=(0,))]
    assert len({pattern_key(one) for one in made}) == len(made)


def test_patterns_of_all_classes_are_there_once():
    house, line, turned = pattern(HOUSE), pattern(path(0, 1, 2)), pattern(path(2, 1, 0))
    found = rule_patterns({0: explanation(house, line), 1: explanation(lacks=(turned,)), 2: explanation()})
    assert list(found.values()) == [house, line]
    assert list(found) == [pattern_key(house), pattern_key(turned)]


def test_stability_is_the_share_that_comes_out_again():
    rows = [{"patterns": patterns} for patterns in (["a", "b"], ["a"], ["a", "c"], ["d"])]
    assert share_again(rows) == (1 / 2 + 1 / 2 + 1 + 1 + 1 / 2 + 1 / 2) / 6
    assert share_again(rows[:2]) is None
    assert share_again([{"patterns": []}] * 3) is None
