import pytest

from protograph.models.readout import (
    LEFT_OUT_NOTE,
    OUTPUT_NOTE,
    POOLED_NOTE,
    AmbiguousReadoutError,
    Place,
    Readout,
)


@pytest.mark.parametrize(
    ("readout", "note"),
    [
        (Readout((Place(0),)), ""),
        (Readout((Place(0),), graph_module="head"), ""),
        (Readout((Place(0), Place(2)), is_pooled=True), POOLED_NOTE),
        (Readout(graph_module="head"), LEFT_OUT_NOTE),
        (Readout(node_module="conv", graph_module="head"), LEFT_OUT_NOTE),
        (Readout(is_output=True), f"{OUTPUT_NOTE}; {LEFT_OUT_NOTE}"),
    ],
)
def test_the_way_that_was_taken_is_said(readout, note):
    assert readout.note == note


def test_the_error_has_a_line_for_each_module_that_fits():
    error = AmbiguousReadoutError("nobody saw it", ["lin1", "lin2"], "Net", [("task", 2)])
    assert str(error) == (
        "cannot tell the readout of Net: nobody saw it; say which module takes one vector a graph, the first is "
        "nearest to the nodes: GraphClassifier(model, task=2, graph_embeddings='lin1') or "
        "GraphClassifier(model, task=2, graph_embeddings='lin2')"
    )
