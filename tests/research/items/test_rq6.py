import pytest

from research.paper.findings import Estimate
from research.paper.item import Need
from research.paper.items.rq6 import ITEM, above, draw_growth
from research.paper.settings import Settings
from research.paper.sheet import Finding
from research.paper.tables import Table
from tests.research.small import written


def outcome(accuracy, seconds):
    return {"accuracy": accuracy, "probability": 0.5, "num_nodes": 5.0, "num_prototypes": 2, "seconds": seconds}


def values():
    taken = {"s": [1e-6, 1e-6], "s_AM": [3e-6, 3e-6], "s_GM": [2e-6, 2e-6], "s_m": [5e-6, 5e-6]}
    scores = {"s": [1.0, 2.0, 3.0], "s_AM": [1.0, 2.0, 3.0], "s_GM": [1.0, 2.0, 3.0], "s_m": [3.0, 2.0, 1.0]}
    found = {("call", f"k {k}"): taken for k in (2, 3)} | {("tensor", "nodes 10"): taken}
    for seed, extra in ((0, 0.0), (1, 0.02)):
        correlations = {"s_AM": 0.77 + extra / 100, "s_GM": 0.7 + extra / 100, "s_m": 0.6}
        found["scores", f"seed {seed}"] = {"correlations": correlations, "scores": scores if not seed else None}
        variants = {"mask on": outcome(0.6 + extra, 0.1), "mask off": outcome(0.4 + extra, 0.3)}
        variants["mean vector"] = outcome(0.5 + 2 * extra, 0.1)
        found["walk", "ba-house", f"seed {seed}"] = {"variants": variants, "shares_left": [0.2, 0.2]}
    return found


@pytest.fixture(scope="module")
def parts():
    return written(ITEM, values(), Settings(seeds=(0, 1)))


def tables(parts):
    return {part.name: part for part in parts if isinstance(part, Table)}


def test_what_there_is_to_measure():
    keys = [cell.key for cell in ITEM.cells(Settings(seeds=(0, 4), without=("benzene",)))]
    assert keys[:2] == [("scores", "seed 0"), ("scores", "seed 4")]
    assert [key for key in keys if key[0] == "call"] == [("call", f"k {k}") for k in range(2, 9)]
    assert len([key for key in keys if key[0] == "walk"]) == 4 * 2
    walk = next(cell for cell in ITEM.cells(Settings()) if cell.key[0] == "walk")
    assert walk.needs == (Need("model", "ba-house", 0),)


def test_times_stand_beside_the_papers(parts):
    rows = tables(parts)["time-a-call"].rows
    assert rows[0] == ("s", 95, Estimate(1.0, 1.0, 1.0, 2), None, 14.42, 1.0)
    assert rows[1][3].mean == pytest.approx(3.0)
    assert rows[1][4:] == (38.34, 38.34 / 14.42)
    assert rows[3][4:] == (None, None)


def test_findings(parts):
    found = {part.claim: (part.ours, part.verdict) for part in parts if isinstance(part, Finding)}
    assert [verdict for _, verdict in found.values()] == [
        "agrees",  # the means take longer
        "agrees",
        "agrees",  # so they do in the whole tensor of this test
        "agrees",  # .77 is above .75 on both draws, .70 is not
        "differs",
        "agrees",  # the mask gains .2 on both seeds
        "agrees",  # and takes a third of the time, which is substantially less
        "not comparable",
    ]
    assert list(found.values())[5][0].mean == pytest.approx(0.2)
    assert list(found.values())[6][0].mean == pytest.approx(3.0)
    assert list(found.values())[7][0] == "on 1 of 1 data sets"


def changed(**changes):
    """Findings where the times of a mean over all tuples, or of walks without the mask, are others."""
    found = values()
    if "s_AM" in changes:
        found["tensor", "nodes 20"] = {**found["tensor", "nodes 10"], "s_AM": [changes["s_AM"]] * 2}
    for seed in range(2):
        found["walk", "ba-house", f"seed {seed}"]["variants"]["mask off"]["seconds"] *= changes.get("off", 1)
    parts = written(ITEM, found, Settings(seeds=(0, 1)))
    return {part.claim: part for part in parts if isinstance(part, Finding)}


@pytest.mark.parametrize(
    ("s_AM", "ours", "verdict", "note"),
    [
        (0.9e-6, "0.90", "differs", "s is cheaper beyond chance on 1 of 2 sizes, s_AM on 1"),
        (1.0e-6, "1.00", "undecided", "s is cheaper beyond chance on 1 of 2 sizes, s_AM on 0"),
    ],
)
def test_in_the_whole_tensor_a_mean_may_be_as_cheap(s_AM, ours, verdict, note):
    found = changed(s_AM=s_AM)["all tuples of three graphs at once: s_AM takes longer than s, so many times"]
    assert (found.ours, found.paper) == (f"3.00 at 10 nodes a graph; {ours} at 20 nodes a graph", 38.34 / 14.42)
    assert (found.verdict, found.note) == (verdict, f"the paper's is of single calls; {note}")


@pytest.mark.parametrize(("factor", "verdict"), [(0.4, "differs"), (0.6, "agrees")])
def test_substantially_is_half_as_long_again(factor, verdict):
    found = changed(off=factor)["BA-house: the search without the mask takes longer, so many times"]
    assert (found.paper, found.verdict) == ("substantially: 1.5", verdict)


def test_the_mask_in_numbers(parts):
    (row,) = tables(parts)["mask"].rows
    assert row[0] == "BA-house"
    assert [value.mean for value in row[1:]] == pytest.approx([0.61, 0.41, 0.2, 0.2, 3.0])


def test_a_claim_that_the_interval_does_not_decide():
    assert above(Estimate(0.8, None, None, 1), 0.75) == "undecided"
    assert above(Estimate(0.7, 0.65, 0.74, 9), 0.75) == "differs"


def test_times_are_drawn_as_multiples_of_s():
    taken = {2: {"s": [1.0], "s_AM": [2.0], "s_GM": [3.0], "s_m": [4.0]}}
    lines = draw_growth(taken | {3: taken[2]}).axes[0].lines
    assert [list(line.get_ydata()) for line in lines] == [[1, 1], [2, 2], [3, 3], [4, 4]]
