from dataclasses import replace

import pytest

from protograph.explanation.difference import diff
from tests.explanation.told import FACTS, HAS_PATH, HAS_TRIANGLE, IS_SHORT, told
from tests.metrics.small_graphs import ring


def changes(difference, target, what="reason"):
    one = next(one for one in difference.classes if one.target == target)
    return {(change.status, change.words) for change in one.changes if change.what == what}


def test_an_explanation_does_not_differ_from_itself():
    difference = diff(told(), told())
    assert difference.is_empty
    assert (difference.num_common, difference.graphs, difference.notes) == (5, (), ())
    assert {change.status for one in difference.classes for change in one.changes} == {"same"}


def test_a_reason_goes_and_another_comes():
    after = told({0: (IS_SHORT, HAS_TRIANGLE), 1: (HAS_TRIANGLE,)})
    difference = diff(told(), after)
    assert changes(difference, 0) == {
        ("went", "a path of four nodes"),
        ("came", "a triangle"),
        ("same", "without a node with at least two neighbours"),
    }
    assert changes(difference, 1) == {("same", "a triangle")}
    same = next(change for change in difference.changes("same") if change.before.number == 2)
    assert (same.before.share, same.after.number) == (0.5, 1)
    # The path that was predicted as class 0 for being one has no reason any more.
    (graph,) = difference.graphs
    assert graph.label == "graph 11 (line 3, =b)"
    assert (graph.predictions, graph.reasons) == ((0, 0), ("a path of four nodes", ""))


def test_shares_and_predictions_change():
    after = told(predictions=[1, 0, 1, 1, 0])
    difference = diff(told(), after)
    statuses = {(one.target, change.words): change.status for one in difference.classes for change in one.changes}
    assert statuses[0, "a path of four nodes"] == "changed"
    path = next(change for change in difference.changes("changed") if change.words == "a path of four nodes")
    assert (path.before.share, path.after.share) == (0.5, 1.0)
    assert (path.before.share_elsewhere, path.after.share_elsewhere) == (1 / 3, 0.0)
    assert [(one.label, one.predictions) for one in difference.graphs] == [
        ("graph 13 (line 5, d)", (0, 1)),
        ("graph 14 (line 6, <e>)", (1, 0)),
    ]
    assert difference.classes[0].num_predicted == (2, 2)


def test_small_changes_are_none():
    after = told(predictions=[1, 0, 1, 1, 0])
    assert {one.status for one in diff(told(), after, least_change=1.0).changes("changed", "same")} == {"same"}
    with pytest.raises(ValueError, match=r"^least_change must be a finite number of at least 0, got -1$"):
        diff(told(), told(), least_change=-1)


def test_the_nearest_reason_is_named():
    before = told({0: (HAS_PATH,), 1: (HAS_TRIANGLE,)})
    wider = replace(HAS_PATH, has=(replace(HAS_PATH.has[0], kind="induced"),))
    (went,) = diff(before, told({0: (wider,), 1: (HAS_TRIANGLE,)})).changes("went")
    assert (went.nearest, went.overlap) == (wider.describe(), 1.0)


def test_graphs_are_the_same_by_where_they_came_from():
    moved = replace(FACTS, places=(10, 11, 12, 13, 99))
    difference = diff(told(), told(facts=moved))
    assert (difference.num_common, difference.num_graphs) == (4, (5, 5))
    assert difference.notes == (
        "only 4 graphs are in both explanations, which are of 5 and 5; shares are of each one's own",
    )


def test_other_graphs_at_the_same_places_are_refused():
    other = replace(FACTS, labels=(1, 0, 1, 0, 1))
    with pytest.raises(ValueError, match=r"^a and b must be of the same graphs, got graph 14 .* with another label; "):
        diff(told(), told(facts=other))
    few, many = (replace(FACTS, graphs={0: ring(size)}) for size in (3, 4))
    with pytest.raises(ValueError, match=r"got graph 10 .* with another number of nodes; explain both models on the "):
        diff(told(facts=few), told(facts=many))


def test_one_class_of_one_side():
    difference = diff(told(), told()[1])
    assert difference.classes[0].num_predicted == (2, None)
    assert {change.status for change in difference.classes[0].changes} == {"went"}


def test_other_classes_are_refused():
    with pytest.raises(
        ValueError, match=r"^a and b must be of the same classes, got plain, <b>three</b> and no, yes; "
    ):
        diff(told(), told(class_names=("no", "yes")))


def test_it_says_how_much_changed():
    assert repr(diff(told(), told())) == "Difference(0 came, 0 went, 0 changed, 4 same; 0 graphs changed)"
