from protograph.explanation.changes import GraphChange
from protograph.explanation.describing.difference_words import alike, difference_text, graph_words
from protograph.explanation.difference import diff
from tests.explanation.told import HAS_PATH, HAS_TRIANGLE, told


def test_nothing_changed():
    assert difference_text(diff(told(), told())).split("\n") == [
        "Class 0 (plain): 2 -> 2 graphs predicted as it; fidelity 0.500 [0.103, 0.897] -> 0.500 [0.103, 0.897]",
        "  same     2 reasons",
        "",
        "Class 1 (<b>three</b>): 3 -> 3 graphs predicted as it; fidelity 0.500 [0.103, 0.897] -> 0.500 [0.103, 0.897]",
        "  same     1 reason, 1 prototype",
        "",
        "Every one of the 5 graphs has the same prediction and the same reason.",
    ]


def test_what_went_and_which_graphs():
    lines = diff(told(), told({0: (HAS_PATH,), 1: (HAS_TRIANGLE,)})).summary().split("\n")
    assert lines[1] == (
        "  went     reason 2: without a node with at least two neighbours; 50% of the class, 0% elsewhere"
    )
    assert lines[-2:] == [
        "1 of the 5 graphs has the same prediction for another reason:",
        "  1  class 0 (plain): without a node with at least two neighbours -> no reason; graph 13 (line 5, d)",
    ]


def test_graphs_that_changed_in_the_same_way_are_told_together():
    graphs = [GraphChange(label=f"graph {at}", predictions=(0, at % 2), reasons=("a", "b")) for at in range(9)]
    several = alike(graphs)
    assert [len(some) for some in several] == [4, 5]  # another prediction goes first
    assert graph_words(several[0], ("x", "y")) == (
        "4  class 0 (x) -> class 1 (y): a -> b; graph 1, graph 3, graph 5, ..."
    )
