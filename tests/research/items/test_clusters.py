import pytest
import torch
from torch_geometric.data import Data

from research.paper.item import Results
from research.paper.items.clusters import ITEM, num_houses
from research.paper.settings import Settings
from research.paper.sheet import Finding, Picture, Sheet
from research.paper.tables import Table


def test_houses_are_counted_by_what_was_planted():
    truths = [Data(num_nodes=5), Data(num_nodes=10)]

    def planted(label, size):
        return Data(y=torch.tensor([label]), motif=Data(num_nodes=size))

    assert [num_houses(planted(1, 5), truths), num_houses(planted(1, 10), truths)] == [1, 2]
    assert [num_houses(planted(0, 5), truths), num_houses(planted(0, 4), truths)] == [0, 0]


def test_the_map_is_of_the_first_seed_and_times_of_all():
    cells = ITEM.cells(Settings(seeds=(4, 5), without=("ba-grid", "solubility", "mutagenicity")))
    assert [cell.key for cell in cells] == [
        ("ba-house", "map"),
        *(("ba-house", "time", f"seed {seed}") for seed in (4, 5)),
        *(("benzene", "time", f"seed {seed}") for seed in (4, 5)),
    ]
    assert cells[0].made_from["seed"] == 4
    assert ("ba-house", "map") not in [cell.key for cell in ITEM.cells(Settings(without=("ba-house",)))]


@pytest.mark.parametrize(("alike", "wanted"), [(0.97, "agrees"), (0.6, "differs")])
def test_what_is_written(alike, wanted):
    mapped = {"places": [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]], "labels": [0, 1, 1], "houses": [0, 1, 2], "alike": alike}
    times = {"selection": 0.1, "search": 0.3}
    sheet = Sheet()
    ITEM.write(Results({("ba-house", "map"): mapped, ("ba-house", "time", "seed 0"): times}, Settings(), {}), sheet)
    apart, bottleneck = (part for part in sheet.parts if isinstance(part, Finding))
    assert (apart.ours, apart.verdict) == (f"{alike:.3f} of the 10 nearest graphs have as many houses", wanted)
    assert apart.note == "0.333 would by chance; the model was never told the number of houses"
    assert (bottleneck.ours, bottleneck.verdict) == ("at most 0.10 s a set; 25% to 25% of the time", "agrees")
    assert [part.name for part in sheet.parts if isinstance(part, Picture)] == ["embeddings"]


def test_seeds_whose_model_predicts_no_explained_class_have_no_time():
    none, some = {"selection": 0, "search": 0}, {"selection": 0.2, "search": 0.2}
    times = {("ba-house", "time", "seed 0"): none, ("ba-house", "time", "seed 1"): some}
    sheet = Sheet()
    ITEM.write(Results(times, Settings(), {}), sheet)
    (table,) = (part for part in sheet.parts if isinstance(part, Table))
    assert [estimate.mean for estimate in table.rows[0][1:]] == [0.2, 0.2, 0.5]
    sheet = Sheet()
    ITEM.write(Results({("ba-house", "time", "seed 0"): none}, Settings(), {}), sheet)
    assert not any(isinstance(part, Finding) for part in sheet.parts)
