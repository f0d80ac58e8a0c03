import torch
from torch_geometric.data import Data

import protograph as pg
from protograph.explanation.summary import describe_composition


def prototype(**evidence):
    graph = Data(x=torch.eye(2)[[0, 1, 1]], edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]))
    return pg.Prototype(graph=graph, probability=0.98765, margin=4.3825, **evidence)


def explanation(prototypes, **facts):
    names = {"class_names": ("0", "mutagen"), **facts}
    return pg.Explanation(
        target=1, prototypes=prototypes, explainer="PAGE", options={}, num_graphs=10, num_predicted=4, **names
    )


def test_a_prototype_is_described_with_its_evidence():
    evidence = pg.explanation.Evidence(
        num_in_class=3, num_class=4, num_elsewhere=0, num_others=6, num_in_cluster=3, information=1.0
    )
    facts = {"cluster": 0, "num_clusters": 2, "cluster_size": 3, "source": 7, "sources": [7], "nodes": [0, 1, 2]}
    found = explanation([prototype(evidence=evidence, **facts)], feature_names=("C", "N"))
    assert found.summary() == (
        "Class 1 (mutagen): 4 of 10 graphs are predicted as it.\n"
        "  1. two nitrogens and one carbon in a path; found in 75% of the graphs predicted as mutagen and in none of "
        "the others; p = 0.988; cluster 1 of 2, 3 graphs\n"
        "     3 nodes, 2 edges (2 N, 1 C); p = 0.9877, margin 4.38; cut from graph 7"
    )


def test_a_generated_prototype_has_no_source():
    assert explanation([prototype()]).summary().splitlines()[1:] == [
        "  1. a path of three nodes; p = 0.988",
        "     3 nodes, 2 edges (2 feature 1, 1 feature 0); p = 0.9877, margin 4.38",
    ]


def test_a_class_without_a_name_has_a_number():
    evidence = pg.explanation.Evidence(
        num_in_class=1, num_class=1, num_elsewhere=1, num_others=3, num_in_cluster=1, information=1.0
    )
    words = explanation([prototype(evidence=evidence)], class_names=("0", "1")).summary().splitlines()[1]
    assert words.split("; ")[1] == "found in all of the graphs predicted as class 1 and in 33% of the others"


def test_columns_without_a_colour_do_not_count():
    found = explanation(
        [prototype()], feature_names=("dark", "bright", "place"), feature_colors=("#000000", "#FFFFFF", "")
    )
    places = torch.tensor([[0.1], [0.2], [0.3]])
    found.prototypes[0].graph.x = torch.cat([torch.eye(2)[[0, 1, 1]], places], dim=1)
    assert found.summary().splitlines()[1:] == [
        "  1. two bright nodes and one dark node in a path; p = 0.988",
        "     3 nodes, 2 edges (2 bright, 1 dark); p = 0.9877, margin 4.38",
    ]


def test_no_prototype_and_warnings_are_said():
    assert explanation([], warnings=("it was changed",)).summary() == (
        "Class 1 (mutagen): 4 of 10 graphs are predicted as it.\n  No prototype was found.\n  Note: it was changed."
    )


def test_features_that_are_not_one_hot_have_no_composition():
    assert describe_composition(Data(x=torch.rand(3, 2)), ()) == ""
    assert describe_composition(Data(num_nodes=3), ()) == ""


def test_several_classes_stand_one_below_the_other():
    one = explanation([])
    text = pg.Explanations({1: one, 0: one}).summary()
    assert text == f"{one.summary()}\n\n{one.summary()}"
