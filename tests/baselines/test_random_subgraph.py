import networkx as nx
import numpy as np
import pytest

import protograph as pg
from protograph.baselines.random_subgraph import random_part
from tests import zoo


def test_parts_are_connected_and_of_the_size_asked_for():
    rng = np.random.default_rng(0)
    for graph in zoo.random_graphs(20):
        for size in (1, 3, 50):
            nodes = random_part(graph, size, rng)
            assert len(nodes) == len(set(nodes)) == min(size, graph.num_nodes)
            assert nx.is_connected(nx.Graph(graph.edge_index.T.tolist()).subgraph(nodes))


def test_the_best_candidate_comes_first_and_sources_differ():
    graphs = zoo.random_graphs(40)
    explainer = pg.baselines.RandomSubgraph(num_prototypes=3, max_nodes=4, num_candidates=30).fit(zoo.make(), graphs)
    target = int(explainer.predictions_[0])
    found = explainer.explain(target)
    margins = [prototype.margin for prototype in found.prototypes]
    assert margins == sorted(margins, reverse=True)
    assert len({prototype.source for prototype in found.prototypes}) == 3
    assert all(explainer.predictions_[prototype.source] == target for prototype in found.prototypes)
    assert found.provenance.model_calls == explainer.explain(target).provenance.model_calls
    fewer = (
        pg.baselines.RandomSubgraph(num_prototypes=3, max_nodes=4, num_candidates=5)
        .fit(zoo.make(), graphs)
        .explain(target)
    )
    assert found.provenance.model_calls - fewer.provenance.model_calls == 25
    assert fewer.prototypes[0].margin <= margins[0]


def test_fewer_candidates_than_prototypes():
    explainer = pg.baselines.RandomSubgraph(num_prototypes=3, num_candidates=2).fit(zoo.make(), zoo.random_graphs(40))
    with pytest.warns(pg.ProtographWarning, match=r"only 2 subgraphs were drawn, 3 were asked for"):
        explainer.explain(int(explainer.predictions_[0]))
