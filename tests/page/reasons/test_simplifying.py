from itertools import combinations

import pytest

from protograph.page.reasons.conditions import Condition, Draft, simplified
from protograph.patterns.pattern import Subgraph

PAIR, PATH = (Subgraph(frozenset(range(size)), frozenset((i, i + 1) for i in range(size - 1))) for size in (2, 3))
A, B, C = Condition(0, PAIR), Condition(0, PATH), Condition(1, PATH)
CLOSED = Condition(0, PATH, closed=frozenset([0]))
INDUCED = Condition(0, PATH, is_induced=True)
TWICE = Condition(0, PATH, at_least=2)


def worth(table, default=0.5):
    """The accuracy of rules by what they are made of."""
    known = {frozenset(rule): value for rule, value in table}
    return lambda rule: known.get(frozenset(rule), default)


def test_what_makes_no_difference_goes_and_what_does_stays():
    whole, right = Draft((A,), (B, C)), Draft((A,), (B,))
    accuracy = worth([([whole], 0.99), ([right], 0.988), ([Draft((A,))], 0.8)])
    assert simplified([whole], accuracy, 0.003) == [right]
    assert simplified([whole], accuracy, 0.001) == [whole]


@pytest.mark.parametrize("exact", [CLOSED, INDUCED, TWICE])
def test_patterns_are_as_plain_as_they_can_be(exact):
    accuracy = worth([([Draft((exact,))], 0.99), ([Draft((B,))], 0.989)])
    assert simplified([Draft((exact,))], accuracy, 0.003) == [Draft((B,))]
    accuracy = worth([([Draft((exact,))], 0.99), ([Draft((B,))], 0.98)])
    assert simplified([Draft((exact,))], accuracy, 0.003) == [Draft((exact,))]


def test_a_reason_that_adds_nothing_goes_but_never_the_last():
    rule = [Draft((A,)), Draft((CLOSED,)), Draft((INDUCED,))]
    accuracy = worth([(rule, 0.97), ([Draft((A,)), Draft((B,))], 0.97), ([Draft((B,))], 0.97)], default=0.97)
    assert simplified(rule, accuracy, 0.0) in ([Draft((A,))], [Draft((B,))])
    assert simplified([Draft((A,))], lambda rule: 1.0, 0.003) == [Draft((A,))]


def test_many_small_losses_do_not_add_up():
    rule = [Draft((Condition(number, PAIR),)) for number in range(6)]
    sizes = {frozenset(some): 0.9 + 0.002 * len(some) for n in range(7) for some in combinations(rule, n)}
    left = simplified(rule, lambda some: sizes[frozenset(some)], 0.0031)
    assert len(left) == 3  # 0.0062 in all


def test_of_simpler_rules_the_best_is_taken():
    whole = Draft((A, B, C))
    accuracy = worth([([whole], 0.99), ([Draft((A, B))], 0.988), ([Draft((A, C))], 0.989), ([Draft((C,))], 0.985)])
    assert simplified([whole], accuracy, 0.003) == [Draft((A, C))]
