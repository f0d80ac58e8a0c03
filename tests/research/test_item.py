from research.paper.item import Need, Results
from research.paper.settings import Settings


def test_results_are_a_mapping_of_what_is_under_a_key():
    results = Results({("a", "x"): 1, ("a", "y"): 2, ("b", "x"): 3}, Settings(), {("a", "x"): 0.5}, 7.0)
    assert (len(results), results["a", "y"], list(results)) == (3, 2, [("a", "x"), ("a", "y"), ("b", "x")])
    assert results.under("a") == {("x",): 1, ("y",): 2}
    assert results.under("a", "x") == {(): 1}
    assert (results.seconds, results.training_seconds) == ({("a", "x"): 0.5}, 7.0)


def test_a_need_says_what_is_trained():
    assert str(Need("model", "ba-house", 3)) == "training, ba-house, seed 3"
    assert str(Need("wrong labels", "benzene", 0)) == "training a sweep of wrong labels, benzene, seed 0"
