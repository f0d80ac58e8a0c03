import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protograph.page.reasons.conditions import Draft, any_holds, balanced
from tests.explanation.by_hand import naive_pattern
from tests.page.naive_patterns import groups_of_graphs
from tests.page.reasons.by_hand import reader_of
from tests.page.reasons.test_conditions import as_pattern, conditions_of


@settings(max_examples=30, deadline=None)
@given(groups_of_graphs(max_nodes=4, min_graphs=2), st.data())
def test_drafts_hold_where_their_conditions_say_so(graphs, data):
    few = st.lists(conditions_of(graphs), max_size=2).map(tuple)
    drafts = [Draft(data.draw(few), data.draw(few)) for _ in range(data.draw(st.integers(0, 3)))]
    indices = np.array(data.draw(st.lists(st.integers(0, len(graphs) - 1), max_size=4, unique=True)), dtype=np.int64)
    reader = reader_of(graphs)
    expected = [
        [
            all(naive_pattern(as_pattern(one, graphs), graphs[index]) for one in draft.has)
            and not any(naive_pattern(as_pattern(one, graphs), graphs[index]) for one in draft.lacks)
            for index in indices
        ]
        for draft in drafts
    ]
    assert [draft.holds(reader, indices).tolist() for draft in drafts] == expected
    either = [any(row[place] for row in expected) for place in range(indices.size)]
    assert any_holds(drafts, reader, indices).tolist() == either


@pytest.mark.parametrize(
    ("holds", "is_class", "expected"),
    [
        ([1, 1, 0, 0], [1, 1, 0, 0], 1.0),
        ([1, 0, 0, 0], [1, 1, 0, 0], 0.75),
        ([1, 1, 1, 1], [1, 0, 0, 0], 0.5),
        ([0, 0, 1, 1], [1, 1, 0, 0], 0.0),
        ([1, 0], [1, 1], 0.25),  # nothing else is there to be told from
        ([0, 0], [0, 0], 0.5),
        ([], [], 0.0),
    ],
)
def test_balanced(holds, is_class, expected):
    assert balanced(np.array(holds, dtype=bool), np.array(is_class, dtype=bool)) == expected
