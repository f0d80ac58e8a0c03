from protograph.models.advice import AdviceError


def test_ways_out_are_said_in_python_and_for_the_command():
    error = AdviceError("two fit", [("graph_embeddings", "head"), ("task", 3)], [("return_type", "raw")])
    assert str(error) == (
        "two fit: GraphClassifier(model, return_type='raw', graph_embeddings='head') or "
        "GraphClassifier(model, return_type='raw', task=3)"
    )
    assert error.for_command == "two fit: --graph-embeddings head or --task 3"


def test_without_a_way_out_there_is_only_the_problem():
    error = AdviceError("nothing fits")
    assert (str(error), error.for_command) == ("nothing fits", "nothing fits")
