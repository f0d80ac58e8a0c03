from tests.page.naive_patterns import undirected
from tests.page.reasons.by_hand import TRIANGLE, scope_of


def test_what_rules_are_searched_in():
    graphs = [undirected(3, TRIANGLE, [0] * 3)] * 6
    scope = scope_of(graphs, [0, 1] * 3, searched=[0, 2, 5], confirming=[1, 4])
    assert scope.known.tolist() == [0, 1, 2, 4, 5]
    assert scope.min_graphs == 3  # a hundredth of the graphs, but no fewer
    assert scope_of(graphs * 100, [0, 1] * 300, min_share=0.05).min_graphs == 30
