from dataclasses import replace

import numpy as np
import torch

from protograph.report.sources import source_views


def test_nodes_that_correspond_have_the_same_number_and_place(explain, house, graph_of):
    other = torch.tensor([4, 3, 2, 1, 0])
    turned = graph_of(other[house.graph.edge_index[:, :6]].T.tolist(), x=house.graph.x[other])
    matched = replace(house, sources=[17, 4], matches=torch.stack([torch.arange(5), other], dim=1))
    one = explain(prototypes=[matched], source_graphs={17: explain().source_graphs[17], 4: turned})
    first, second = source_views(one, matched)
    assert (first.source, second.source) == (17, 4)
    assert first.numbers == {0: 1, 1: 2, 2: 3, 3: 4, 4: 5}
    assert second.numbers == {4: 1, 3: 2, 2: 3, 1: 4, 0: 5}
    assert sorted(first.view.part.edges.tolist()) == sorted(map(list, house.edges))
    places = [second.view.positions[node] for node in other.tolist()]
    wanted = first.view.positions[:5] - first.view.positions[:5].mean(axis=0)
    assert np.abs(np.array(places) - np.mean(places, axis=0) - wanted).max() < 0.35


def test_sources_that_are_not_kept_and_nodes_without_counterparts_are_left_out(explain, house):
    matches = torch.tensor([[0, 1], [1, -1], [-1, -1], [3, -1], [4, -1]])
    matched = replace(house, sources=[17, 4], matches=matches)
    (only,) = source_views(explain(prototypes=[matched]), matched)
    assert only.numbers == {0: 1, 1: 2, 3: 4, 4: 5}
    assert source_views(explain(), house) == []
