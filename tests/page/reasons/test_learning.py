from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protograph.page.reasons.pool import Learner, Term


def learner_of(table, is_class, cost=1e-4, lack_cost=2.0, **options):
    table = np.array(table, dtype=np.float32)
    costs = np.full(len(table), cost)
    return Learner(
        table=table, is_class=np.array(is_class, dtype=bool), costs=costs, lack_costs=lack_cost * costs, **options
    )


def naive_holds(term, table, column):
    return all(table[row][column] for row in term.has) and not any(table[row][column] for row in term.lacks)


def naive_rule(terms, table):
    return [any(naive_holds(term, table, column) for term in terms) for column in range(len(table[0]))]


@st.composite
def tables(draw, max_rows=6, max_columns=14):
    rows, columns = draw(st.integers(1, max_rows)), draw(st.integers(2, max_columns))
    bits = draw(st.lists(st.integers(0, 1), min_size=rows * columns, max_size=rows * columns))
    return np.array(bits).reshape(rows, columns).tolist()


@st.composite
def terms(draw, num_rows, max_size=2):
    chosen = draw(st.lists(st.integers(0, num_rows - 1), min_size=1, max_size=max_size, unique=True))
    has = [row for row in chosen if draw(st.booleans())]
    return Term(tuple(sorted(has)), tuple(sorted(set(chosen) - set(has))))


@settings(max_examples=30, deadline=None)
@given(tables(), st.data())
def test_worths_and_costs_are_what_plain_loops_count(table, data):
    num_rows, num_columns = len(table), len(table[0])
    is_class = data.draw(st.lists(st.booleans(), min_size=num_columns, max_size=num_columns))
    some = data.draw(st.lists(terms(num_rows, max_size=3), max_size=3))
    covered = np.array(data.draw(st.lists(st.booleans(), min_size=num_columns, max_size=num_columns)))
    learner = learner_of(table, is_class, cost=0.01, lack_cost=3.0)
    inside, outside = max(sum(is_class), 1), max(num_columns - sum(is_class), 1)

    def gained(holds):
        value = sum(0.5 / inside for there, own in zip(holds, is_class, strict=True) if there and own)
        return value - sum(0.5 / outside for there, own in zip(holds, is_class, strict=True) if there and not own)

    def cost(term):
        return 0.01 * len(term.has) + 0.03 * len(term.lacks)

    for term in some:
        assert term.holds(learner.table).tolist() == naive_rule([term], table)
        assert learner.cost(term) == pytest.approx(cost(term))
        fresh = [there and not known for there, known in zip(naive_rule([term], table), covered, strict=True)]
        assert learner.worth(term, covered) == pytest.approx(gained(fresh) - cost(term))
    total = gained(naive_rule(some, table)) - sum(map(cost, some))
    assert learner.total_worth(some) == pytest.approx(total)


def literals(num_rows):
    return [Term((row,)) for row in range(num_rows)] + [Term((), (row,)) for row in range(num_rows)]


def small_terms(num_rows):
    """Every conjunction of one or two conditions."""
    yield from literals(num_rows)
    for one, other in combinations(literals(num_rows), 2):
        yield Term(tuple(sorted({*one.has, *other.has})), tuple(sorted({*one.lacks, *other.lacks})))


@settings(max_examples=30, deadline=None)
@given(tables(max_rows=5, max_columns=10), st.data())
def test_one_term_is_the_best_that_trying_everything_gives(table, data):
    is_class = data.draw(st.lists(st.booleans(), min_size=len(table[0]), max_size=len(table[0])))
    covered = np.array(data.draw(st.lists(st.booleans(), min_size=len(table[0]), max_size=len(table[0]))))
    learner = learner_of(table, is_class, max_conditions=2, width=100)
    term, worth = learner.best_term(covered)
    most = max(learner.worth(one, covered) for one in small_terms(len(table)))
    assert worth == pytest.approx(max(most, 0.0), abs=1e-7)
    assert term is None if most <= 1e-9 else learner.worth(term, covered) == pytest.approx(most, abs=1e-7)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(tables(), st.data())
def test_a_perfect_rule_is_found_where_there_is_one(table, data):
    """Any rule of at most two reasons of two conditions is planted; one that is as good must come out."""
    planted = data.draw(st.lists(terms(len(table)), min_size=1, max_size=2))
    is_class = naive_rule(planted, table)
    if all(is_class) or not any(is_class):
        return
    learned = learner_of(table, is_class).learn(8)
    assert naive_rule(learned, table) == is_class
    assert all(len(term) <= 4 for term in learned)


def test_two_reasons_are_two_terms():
    """Exactly those that were planted, where nothing else does: among all 64 rows of six conditions."""
    table = np.array(list(product([0, 1], repeat=6))).T
    planted = [Term((0, 1)), Term((2,), (3,))]
    learned = learner_of(table, naive_rule(planted, table.tolist())).learn(8)
    assert set(learned) == set(planted)
    planted = [Term((4,)), Term((0,), (5,))]
    assert set(learner_of(table, naive_rule(planted, table.tolist())).learn(2)) == set(planted)


def test_no_more_terms_than_asked_for():
    table = np.eye(4)
    is_class = [True, True, True, False]
    assert len(learner_of(table, is_class, lack_cost=np.inf).learn(8)) == 3
    assert len(learner_of(table, is_class, lack_cost=np.inf).learn(2)) == 2
    assert learner_of(table, is_class, lack_cost=np.inf).learn(0) == []


def test_presence_goes_before_lack_and_what_costs_too_much_is_not_bought():
    table = [[1, 1, 0, 0], [0, 0, 1, 1]]
    assert learner_of(table, [1, 1, 0, 0]).learn(8) == [Term((0,))]
    assert learner_of(table[1:], [1, 1, 0, 0]).learn(8) == [Term((), (0,))]
    assert learner_of(table[1:], [1, 1, 0, 0], lack_cost=np.inf).learn(8) == []
    assert learner_of(table, [1, 1, 0, 0], cost=0.6).learn(8) == []


def test_the_cheaper_of_two_rows_that_are_the_same():
    table = np.array([[1, 1, 0, 0]] * 3, dtype=np.float32)
    costs = np.array([0.02, 0.01, 0.02])
    is_class = np.array([True, True, False, False])
    learner = Learner(table=table, is_class=is_class, costs=costs, lack_costs=4 * costs)
    assert learner.learn(8) == [Term((1,))]


@settings(max_examples=20, deadline=None, derandomize=True)
@given(tables(), st.data())
def test_the_order_of_the_graphs_does_not_matter(table, data):
    is_class = data.draw(st.lists(st.booleans(), min_size=len(table[0]), max_size=len(table[0])))
    order = data.draw(st.permutations(range(len(table[0]))))
    again = learner_of(np.array(table)[:, order], np.array(is_class)[order])
    assert learner_of(table, is_class).learn(4) == again.learn(4)


def test_no_conditions_and_one_class_only():
    nothing = np.zeros((0, 4))
    assert learner_of(nothing, [1, 1, 0, 0]).learn(8) == []
    assert learner_of(nothing, [1, 1, 0, 0], max_conditions=1).learn(8) == []
    assert learner_of(np.eye(4), [0, 0, 0, 0]).learn(8) == []
