from dataclasses import replace

import pytest
import torch
from torch_geometric.data import Data

import protograph as pg
from protograph.explanation import Evidence, Support, Survey
from protograph.explanation.survey import origin_columns
from protograph.graphs.origins import Origin
from tests.explanation.by_hand import asking, reason
from tests.made import made_explanation

ONE = Support(num_in_class=1, num_class=4, num_elsewhere=1, num_others=6)
EVERYWHERE = reason(has=(pg.Pattern(graph=Data(num_nodes=1)),), searched=ONE, holds_in_indices=(0, 9))


def prototype(**evidence):
    graph = Data(x=torch.eye(2)[[0, 1, 1]], edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]))
    return pg.Prototype(graph=graph, probability=0.98765, margin=4.3825, **evidence)


def explanation(prototypes, **facts):
    names = {"class_names": ("0", "mutagen"), **facts}
    return made_explanation(
        target=1, prototypes=prototypes, explainer="PAGE", options={}, num_graphs=10, num_predicted=4, **names
    )


def test_a_prototype_is_described_with_its_evidence():
    evidence = Evidence(num_in_class=3, num_class=4, num_elsewhere=0, num_others=6, num_in_cluster=3, information=1.0)
    facts = {"cluster": 0, "num_clusters": 2, "cluster_size": 3, "source": 7, "sources": [7], "nodes": [0, 1, 2]}
    asked = asking(prototype().graph, ("C", "N"))
    named = prototype(evidence=evidence, feature_names=("C", "N"), pattern=asked, **facts)
    found = explanation([named], feature_names=("C", "N"))
    assert found.summary() == (
        "Class 1 (mutagen): 4 of 10 graphs are predicted as it.\n"
        "  1. a nitrogen joined to a carbon and a nitrogen; found in 3 of 4 graphs predicted as mutagen (95%: 30% to "
        "95%) and in none of the 6 others (95%: 0% to 39%); p = 0.988; cluster 1 of 2, 3 graphs\n"
        "     3 nodes, 2 edges (2 N, 1 C); p = 0.9877, margin 4.38; cut from graph 7; SMARTS [#6]~[#7]~[#7]"
    )


def test_graphs_are_called_by_where_they_came_from():
    origin = Origin(position=875, line=888, name="aspirin", smiles="CC")
    survey = Survey(predictions=(1,) * 8, **origin_columns([Origin(position=n, line=n) for n in range(7)] + [origin]))
    found = explanation([prototype(source=7)], survey=survey)
    assert "; cut from graph 875 (line 888, aspirin, CC)" in found.summary()
    assert (found.graph_label(7), found.graph_label(3)) == ("graph 875 (line 888, aspirin, CC)", "graph 3 (line 3)")


def test_what_is_known_of_the_model_stands_above():
    doubted = explanation([], confusion=((6, 0), (4, 0)), doubts=("all 10 graphs\nare predicted as class 0",))
    above = (
        "!! The model may have learned nothing:\n"
        "!!   all 10 graphs are predicted as class 0.\n\n"
        "Accuracy 0.600, balanced accuracy 0.500; always guessing the largest class would be right for 60.0% of "
        "10 graphs.\n\n"
    )
    own = "Class 1 (mutagen): 4 of 10 graphs are predicted as it.\n  No prototype was found."
    assert doubted.summary() == above + own
    both = pg.Explanations({1: doubted, 0: doubted}, not_explained={1: "no graph is\x1b predicted as it"})
    assert both.summary() == (
        f"{above}{own}\n\n{own}\n\nClass 1 (mutagen): not explained: no graph is predicted as it."
    )


def test_what_is_known_besides_is_told_of_all_classes():
    known = pg.Explanations({1: explanation([], doubts=("a",), about={"date": "now"})}, not_explained={0: "gone"})
    told = known.told(about={"data": "mine"}, doubts=["b", "c"])
    assert (told[1].doubts, told.not_explained, known[1].doubts) == (("b", "c"), {0: "gone"}, ("a",))
    assert told[1].provenance.about == {"date": "now", "data": "mine"}


def test_names_from_the_data_stay_on_their_lines():
    names = ("C\n", "N\x1b[2J")
    found = explanation(
        [prototype(feature_names=names)],
        feature_names=names,
        class_names=("0", "muta\ngen\u202e"),
        warnings=("it was\n  2. changed",),
    )
    assert found.summary().splitlines() == [
        "Class 1 (muta gen): 4 of 10 graphs are predicted as it.",
        "  1. two N [2J nodes and one C node in a path; p = 0.988",
        "     3 nodes, 2 edges (2 N [2J, 1 C); p = 0.9877, margin 4.38",
        "  Note: it was 2. changed.",
    ]


CUT = {"source": 7, "nodes": [0, 1, 3]}


@pytest.mark.parametrize(
    ("facts", "problem"),
    [
        ({"class_names": ("0",)}, r"target must be in \[0, 1\), the number of classes, got 1"),
        ({"graph_predictions": (0, 1, 2)}, r"survey.predictions must be below 2, the number of classes, got 2"),
        (
            {"prototypes": [prototype(), prototype(**CUT)], "source_graphs": {7: Data(num_nodes=3)}},
            r"prototypes\[1\].nodes must be nodes of graph 7",
        ),
        ({"prototypes": [prototype(predicted=2)]}, r"prototypes\[0\].predicted must be in \[0, 2\), got 2"),
        ({"prototypes_taken_out": ((),)}, r"prototypes_taken_out must be empty or a list of 0, one for each"),
        ({"reasons": (), "graph_parts": (0, 1)}, r"rule.parts must be empty or a list of 10, .*, got \[0, 1\]"),
        ({"reasons": (), "graph_parts": (3,) * 10}, r"parts must be 0 \(searched\), 1 .*, 2|or 2 \(kept apart\)"),
        ({"reasons": (replace(EVERYWHERE, holds_in_indices=(9, 10)),)}, r"rule.reasons\[0\].holds_in_indices .* 10"),
    ],
)
def test_parts_that_contradict_each_other_are_refused(facts, problem):
    with pytest.raises(ValueError, match=problem):
        explanation(**{"prototypes": []} | facts)


def test_one_is_singular():
    one = explanation([prototype()])
    assert repr(one) == "Explanation(target=1, 1 prototype)"
    assert repr(pg.Explanations({1: one, 0: explanation([])})) == "Explanations({0: 0 prototypes, 1: 1 prototype})"
    alone = made_explanation(target=0, num_graphs=9, num_predicted=1)
    assert alone.summary().splitlines()[0] == "Class 0: 1 of 9 graphs is predicted as it."
