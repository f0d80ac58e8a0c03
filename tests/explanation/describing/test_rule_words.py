from dataclasses import replace

from protograph.explanation import Example, Explanations, Pattern, Rule
from protograph.explanation.describing.rule_words import example_words, rule_lines, support_words
from protograph.explanation.rule import Support
from tests.explanation.by_hand import NOWHERE, both, explained, house, reason
from tests.metrics.small_graphs import path, ring

TRIANGLE, HOUSE = Pattern(graph=ring(3)), Pattern(graph=house())
ONE_TRIANGLE = reason(has=(TRIANGLE,), lacks=(Pattern(graph=ring(3), at_least=2),))
WHOLE = [*[house()] * 40, *[ring(3)] * 5, *[path(4)] * 45, *[both(ring(3), ring(3))] * 5]
PREDICTIONS = [*[0] * 45, *[1] * 50]
PARTS = [number % 3 for number in range(95)]


def first(*some, **facts):
    return explained(0, some, WHOLE, PREDICTIONS, PARTS, **facts)


def test_a_class_is_told_with_its_rule_reasons_and_fidelity():
    assert rule_lines(first(reason(has=(HOUSE,)), ONE_TRIANGLE)) == [
        "Rule: a house; or a triangle, with fewer than two triangles.",
        "Reason 1: a house; holds in 13 of 15 graphs kept apart that are predicted as class 0 (95%: 62% to 96%) and in "
        "none of the 16 others kept apart (95%: 0% to 19%)",
        "Reason 2: a triangle, with fewer than two triangles; holds in all of the 15 graphs kept apart that are "
        "predicted as class 0 (95%: 80% to 100%) and in none of the 16 others kept apart (95%: 0% to 19%)",
        "Fidelity of this class against the rest: 1.000 (95%: 0.859 to 1.000) on 31 graphs kept apart; with 1 reason "
        "0.933, with 2 reasons 1.000.",
        "Rule and model agree on every graph given.",
    ]


def test_what_is_not_explained_is_told():
    found = first(reason(has=(HOUSE,)), typical_uncovered=(44, 40))
    assert rule_lines(found)[-1] == (
        "Not explained: no reason holds in 11% of its graphs (5 of 45, such as graph 44 and graph 40)."
    )
    assert rule_lines(first(reason(has=(TRIANGLE,))))[-1] == (
        "Not explained: one holds in 10% of the others (5 of 50)."
    )
    assert rule_lines(first())[0] == "No reason was found."


def test_why_there_is_no_fidelity_is_told():
    found = explained(0, [reason(has=(HOUSE,))], WHOLE, PREDICTIONS, [0] * 95)
    reasons = tuple(replace(one, kept_apart=None) for one in found.reasons)
    few = replace(found, rule=Rule(reasons=reasons, fidelity_note="95 graphs are\ntoo few"))
    assert rule_lines(few)[1:3] == [
        "Reason 1: a house; holds in 89% of the graphs predicted as class 0 and in none of the others",
        "No fidelity: 95 graphs are too few.",
    ]


def test_what_is_left_is_told_with_and_without_it():
    one = first(reason(has=(HOUSE,)), ONE_TRIANGLE)
    rest = explained(1, [reason(unless=one.reasons)], WHOLE, PREDICTIONS, PARTS)
    assert rule_lines(rest)[2] == (
        "Fidelity of this class against the rest: 1.000 (95%: 0.859 to 1.000) on 31 graphs kept apart; without what "
        "marks the others 0.500."
    )
    assert Explanations({0: one, 1: rest}).summary().splitlines()[-1] == (
        "Fidelity of all rules together: 1.000 (95%: 0.859 to 1.000) on 31 graphs kept apart; without the reason of "
        "what marks the others 0.500."
    )


def test_a_part_without_graphs_of_the_class_is_told():
    outside = Support(num_in_class=0, num_class=0, num_elsewhere=1, num_others=2)
    one = reason(has=(HOUSE,), kept_apart=outside, holds_in_indices=(3,))
    assert support_words(one, "mutagen") == (
        "holds in 1 of 2 graphs kept apart that are not predicted as mutagen (95%: 9% to 91%)"
    )
    assert support_words(reason(has=(HOUSE,), kept_apart=NOWHERE), "1") == "holds in no graph, as there is none"


def test_an_example_is_told_by_its_graph():
    facts = {"source": 7, "nodes": (4, 5), "graph": path(2), "marked": (), "probability": 0.9931}
    assert example_words(Example(**facts), "graph 7 (aspirin)") == "example: 2 nodes of graph 7 (aspirin) (p = 0.993)"
    assert example_words(Example(**facts, is_whole=True), "graph 7") == (
        "example: the whole of graph 7, since the model needs its context (p = 0.993)"
    )
