from dataclasses import replace

from protograph.graphs.encoding import EncodedGraphs
from protograph.page.next_best import next_best
from tests.page.test_merging import OTHER, PATH, TRIANGLE, TURNED, result_of


def test_other_patterns_come_once_each_by_their_margin():
    def candidate(graph, margin):
        one = result_of(graph, [0]).candidate
        return replace(one, session=replace(one.session, margin=margin))

    others = (candidate(PATH, 0.5), candidate(TURNED, 9.0), candidate(OTHER, 2.0), candidate(PATH, 1.0))
    result = replace(result_of(TRIANGLE, [0]), others=others)
    kept = next_best(result, EncodedGraphs([TRIANGLE, PATH, OTHER], match_features=True))
    assert [(one.graph is graph, one.margin) for one, graph in zip(kept, (OTHER, PATH), strict=True)] == [
        (True, 2.0),
        (True, 1.0),
    ]
