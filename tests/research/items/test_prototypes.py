from types import SimpleNamespace

import pytest
from torch_geometric.data import Data

from protograph.metrics.judging import judge
from research.paper.items.prototypes import ITEM, purity
from research.paper.lab import Lab
from research.paper.settings import Settings

QUICK = Settings(is_quick=True)


def test_five_sets_with_ten_seeds():
    keys = [cell.key for cell in ITEM.cells(Settings())]
    assert len(keys) == 5 * 10
    assert ("solubility", "seed 9") in keys
    assert [cell.key for cell in ITEM.cells(QUICK)] == [("ba-house", "seed 0")]


@pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")
def test_a_prototype_stands_beside_its_truth_and_its_representatives(tmp_path):
    lab = Lab(tmp_path, QUICK)
    (cell,) = ITEM.cells(QUICK)
    found = cell.compute(lab)["classes"]
    data, kept = lab.data("ba-house", 0), lab.model("ba-house", 0)
    explanation = lab.explained("ba-house", "page", 0).explanations[1]
    assert list(found) == ["1"]
    assert [one["probability"] for one in found["1"]] == [one.probability for one in explanation.prototypes]
    first, prototype = found["1"][0], explanation.prototypes[0]
    truth = judge(kept.model, [data.ground_truths[1][first["truth"]]], 1)
    assert (first["truth_probability"], first["truth_margin"]) == (truth.probability, truth.margin)
    sources = judge(kept.model, [explanation.source_graphs[index] for index in prototype.sources], 1)
    assert (first["sources_probability"], first["sources_margin"]) == (sources.probability, sources.margin)
    assert first["cluster_share"] == prototype.cluster_size / explanation.num_predicted
    assert first["words"] == prototype.describe()
    assert first["contribution_share"] == prototype.evidence.contribution_share


def planted(num_nodes):
    return Data(num_nodes=20, motif=Data(num_nodes=num_nodes))


def test_a_cluster_is_as_pure_as_its_most_frequent_motif():
    graphs = [planted(5), planted(5), planted(10), planted(10), planted(10)]
    places = SimpleNamespace(indices=[0, 1, 2, 3, 4], clusters=[0, 0, 0, 1, 1])
    explanation, nowhere = SimpleNamespace(embedding_map=places), SimpleNamespace(embedding_map=None)
    assert [purity(SimpleNamespace(cluster=number), explanation, graphs) for number in (0, 1)] == [2 / 3, 1]
    assert purity(SimpleNamespace(cluster=None), explanation, graphs) is None
    assert purity(SimpleNamespace(cluster=0), nowhere, graphs) is None
    assert purity(SimpleNamespace(cluster=0), explanation, [Data(num_nodes=20)] * 5) is None
