from functools import partial

import pytest

from protograph.testing.subject import Subject, difference, of_most
from tests.testing.broken import Sound

pytestmark = pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")


def test_only_options_that_it_has_are_changed():
    made = Subject(partial(Sound, max_nodes=3)).made(random_state=4, num_epochs=2)
    assert (made.max_nodes, made.random_state) == (3, 4)
    assert Subject(partial(Sound)).name == "Sound"


def test_explanations_differ_by_their_number_their_graphs_or_their_margins():
    two, same, one, other = (
        of_most(Subject(Sound).fitted(**options)) for options in ({}, {}, {"num_prototypes": 1}, {"max_nodes": 3})
    )
    assert difference(two, same) == ""
    assert difference(two, one) == "2 prototypes and 1"
    assert difference(two, other).startswith("as prototype 0 4 nodes, ")
