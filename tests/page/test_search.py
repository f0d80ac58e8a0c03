from hypothesis import given, settings
from hypothesis import strategies as st
from tests import oracle
from tests.strategies import matching_problems, neighbour_lists

from protograph.page.features import Agreement
from protograph.page.matching import Matching
from protograph.page.scoring import SCORINGS, Scorer
from protograph.page.search import SearchOptions, search, search_lazily
from protograph.page.structure import build_structure

OPTIONS = st.builds(
    SearchOptions,
    budget=st.integers(1, 4),
    decay=st.sampled_from([1.0, 2.0, 10.0]),
    max_iterations=st.sampled_from([1, 3, 40]),
    max_nodes=st.integers(1, 6),
    scoring=st.sampled_from(SCORINGS),
    match_features=st.booleans(),
    distinct_starts=st.booleans(),
)


def expected_sessions(graphs, embeddings, options, tolerance):
    features = [g.x.argmax(1).tolist() if options.match_features else [0] * g.num_nodes for g in graphs]
    return oracle.search(
        [h.tolist() for h in embeddings],
        [neighbour_lists(g) for g in graphs],
        features,
        budget=options.budget,
        decay=options.decay,
        max_nodes=options.max_nodes,
        max_iterations=options.max_iterations,
        scoring=options.scoring,
        tolerance=tolerance,
        distinct=options.distinct_starts,
    )


def assert_same_walks(walks, expected):
    assert [walk.start for walk in walks] == [start for start, _, _ in expected]
    for walk, (_, lists, partners) in zip(walks, expected, strict=True):
        assert [list(nodes) for nodes in walk.nodes] == lists
        assert [[tuple(row) for row in part.tolist()] for part in walk.partners] == partners


@settings(max_examples=200, deadline=None)
@given(matching_problems(), OPTIONS)
def test_walks_are_the_oracles_node_for_node(problem, options):
    graphs, embeddings = problem
    if len(graphs) == 1 and options.scoring != "product":
        return
    tolerance = Matching(Scorer(embeddings, options.scoring), Agreement(graphs)).tolerance
    assert_same_walks(search(graphs, embeddings, options), expected_sessions(graphs, embeddings, options, tolerance))


@settings(max_examples=150, deadline=None)
@given(matching_problems(), OPTIONS)
def test_lazy_walks_are_the_oracles_too(problem, options):
    graphs, embeddings = problem
    if len(graphs) == 1 and options.scoring != "product":
        return
    matching = Matching(Scorer(embeddings, options.scoring), Agreement(graphs, options.match_features))
    walks = search_lazily(matching, build_structure(graphs), options)
    assert all(walk.is_exact for walk in walks)
    assert_same_walks(walks, expected_sessions(graphs, embeddings, options, matching.tolerance))
