from dataclasses import replace

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from protograph.explanation import EmbeddingMap, Evidence, Prototype, Session
from tests.made import made_explanation

HOUSE = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 4), (3, 4)]
# A house, nodes 0 to 4, on a ring of backbone nodes, 5 to 8.
WHOLE = [*HOUSE, (4, 5), (5, 6), (6, 7), (7, 8), (8, 5)]
ROLES = [0, 1, 1, 1, 1, 2, 2, 2, 2]


def _graph(edges, **attributes):
    edge_index = torch.tensor(edges, dtype=torch.long).reshape(-1, 2).t()
    return Data(edge_index=torch.cat([edge_index, edge_index.flip(0)], dim=1), **attributes)


@pytest.fixture(scope="session")
def graph_of():
    """A graph from each of its edges once, and its attributes."""
    return _graph


@pytest.fixture(scope="session")
def house():
    """A prototype: a house, cut from graph 17."""
    session = Session(start=(0, 3), probability=0.98, margin=3.9, size=5, source=17, stopped="full", num_iterations=7)
    return Prototype(
        graph=_graph(HOUSE, x=torch.eye(3)[ROLES[:5]]),
        probability=0.99984,
        margin=8.517,
        cluster=0,
        cluster_size=312,
        sources=[17, 4, 9],
        source=17,
        nodes=[0, 1, 2, 3, 4],
        sessions=[session],
        feature_names=("head", "body", "backbone"),
    )


@pytest.fixture(scope="session")
def evidence():
    """Evidence for the house: its head is missing in a quarter of the graphs looked at."""
    return Evidence(
        num_in_class=400,
        num_class=455,
        num_elsewhere=4,
        num_others=1545,
        num_in_cluster=300,
        information=0.8125,
        node_sources=(2, 3, 3, 3, 3),
        edge_sources=(2, 1, 3, 3, 3, 3),
        node_graphs=(30, 40, 40, 40, 40),
        edge_graphs=(30, 20, 40, 40, 40, 40),
        num_looked_at=40,
        contributions=(1.5, -0.25, 0.5, 0.5, 0.5),
        contribution_share=0.625,
        steps=("3 graphs have 7 nodes in common", "left out 2 nodes that the other classes have too"),
    )


@pytest.fixture(scope="session")
def explain(house):
    """An explanation with one house, but for what is given."""

    def explain(**changes):
        fields = {
            "target": 1,
            "prototypes": [house],
            "explainer": "PAGE",
            "options": {"num_clusters": 2, "search": "walk"},
            "source_graphs": {17: _graph(WHOLE, x=torch.eye(3)[ROLES])},
            "num_graphs": 2000,
            "num_predicted": 455,
            "class_names": ("no house", "house"),
            "feature_names": ("head", "body", "backbone"),
            "feature_colors": ("#D55E00", "#56B4E9", "#BBBBBB"),
            "confusion": ((1190, 15), (3, 592)),
            "embedding_map": EmbeddingMap((17, 4), np.array([[0.0, 1.0], [2.0, 3.0]]), (0, -1), (0.62, 0.21)),
            "timings": {"fit": 12.3456},
            "versions": {"torch": "2.13.0"},
        }
        fields |= changes
        if fields["feature_names"] != house.feature_names and "prototypes" not in changes:
            fields["prototypes"] = [replace(house, feature_names=fields["feature_names"])]
        return made_explanation(**fields)

    return explain
