import torch
from torch_geometric.data import Data

import protograph as pg
from protograph.summary import describe_composition


def prototype(**evidence):
    graph = Data(x=torch.eye(2)[[0, 1, 1]], edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]))
    return pg.Prototype(graph=graph, probability=0.98765, margin=4.3825, **evidence)


def explanation(prototypes, **facts):
    names = {"class_names": ("0", "mutagen"), **facts}
    return pg.Explanation(
        target=1, prototypes=prototypes, explainer="PAGE", options={}, num_graphs=10, num_predicted=4, **names
    )


def test_a_prototype_is_described_with_its_evidence():
    found = explanation(
        [prototype(cluster=0, cluster_size=3, source=7, sources=[7], nodes=[0, 1, 2])], feature_names=("C", "N")
    )
    assert found.summary() == (
        "Class 1 (mutagen): 4 of 10 graphs are predicted as it.\n"
        "  1. 3 nodes, 2 edges (2 N, 1 C); p = 0.9877, margin 4.38; cluster 0, 3 graphs; cut from graph 7"
    )


def test_a_generated_prototype_has_no_source():
    assert explanation([prototype()]).summary().splitlines()[1] == (
        "  1. 3 nodes, 2 edges (2 feature 1, 1 feature 0); p = 0.9877, margin 4.38"
    )


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
