import pytest

from protograph.explanation.graph_facts import GraphFacts
from protograph.graphs.origins import Origin


def test_an_origin_comes_back_as_it_was():
    origins = [
        Origin(position=7, line=9, name="aspirin", smiles="CCO"),
        Origin(position=3, line=4, name="", smiles="C"),
    ]
    facts = GraphFacts.of(origins, [1, 0], [0.75, 0.5], [1, 1])
    assert [facts.origin(0), facts.origin(1)] == origins
    assert (facts.files, facts.file_positions) == ((), ())  # nothing is known of files
    assert len(facts) == 2


def test_columns_of_files():
    origins = [Origin(position=0, file="a.pt", file_position=0), Origin(position=1, file="b.pt", file_position=0)]
    facts = GraphFacts.of(origins, [0, 0], [1.0, 1.0])
    assert (facts.files, facts.file_positions, facts.lines, facts.names) == (("a.pt", "b.pt"), (0, 0), (), ())
    assert facts.origin(1) == origins[1]


def test_columns_must_have_an_entry_a_graph():
    with pytest.raises(ValueError, match=r"^labels must be a list of 2, one for each of positions, got \[1\]$"):
        GraphFacts(positions=(0, 1), predictions=(0, 0), probabilities=(1.0, 1.0), labels=(1,))
    with pytest.raises(ValueError, match=r"^predictions must be a list of 1, one for each of positions, got \[\]$"):
        GraphFacts(positions=(0,), predictions=(), probabilities=(1.0,))
    with pytest.raises(ValueError, match=r"^probabilities must be in \[0, 1\], got others$"):
        GraphFacts(positions=(0,), predictions=(0,), probabilities=(1.5,))
