import pytest

from protograph import datasets
from protograph.evaluation.sweeps import PAPER_WIDTHS
from research.paper.paper import paper
from research.paper.sets import (
    SETS,
    WRONG_PERCENT,
    seeds_of,
    stride_of,
    sweep_seeds_of,
    what_is_cut,
    widths_of,
    wrong_percent_of,
)
from research.paper.settings import Settings


def test_the_sweeps_are_the_papers():
    assert {name: list(PAPER_WIDTHS[one.num_layers]) for name, one in SETS.items()} == paper("sweeps", "widths")
    assert {n: len(PAPER_WIDTHS[one.num_layers]) ** one.num_layers for n, one in SETS.items()} == paper(
        "sweeps", "num_models"
    )
    assert list(WRONG_PERCENT) == paper("sweeps", "wrong_percent")


def test_every_set_is_known_and_has_the_papers_layers():
    assert set(SETS) == set(paper("table1")) <= set(datasets.names())
    assert {name: one.num_layers for name, one in SETS.items() if not one.is_large} == paper("settings", "layers")


@pytest.mark.parametrize("name", ["ba-house", "ba-grid"])
def test_the_classes_explained_are_those_with_a_truth(name):
    assert SETS[name].targets == tuple(datasets.load(name, num_graphs=10).ground_truths)


def test_a_large_set_is_cut_on_a_cpu_and_whole_on_a_gpu():
    cpu, gpu, quick = Settings(), Settings(device="cuda"), Settings(is_quick=True)
    name = "mnist-sp"
    assert (stride_of(name, cpu), stride_of(name, gpu), stride_of(name, quick)) == (35, 1, 1)
    assert (seeds_of(name, cpu), seeds_of(name, gpu)) == ((0, 1), (0, 1, 2, 3, 4))
    assert (widths_of(name, cpu), widths_of(name, gpu)) == ((8, 32), (4, 8, 16, 32))
    assert (wrong_percent_of(name, cpu), wrong_percent_of(name, gpu)) == ((0, 10, 20, 30, 40, 50), WRONG_PERCENT)
    assert what_is_cut(name, cpu) == "on a CPU every 35th graph, few seeds and models"
    assert what_is_cut(name, gpu) == what_is_cut("benzene", cpu) == ""


def test_sweeps_are_of_seeds_that_are_measured():
    assert sweep_seeds_of("ba-house", Settings()) == (0, 1, 2, 3, 4)
    assert sweep_seeds_of("ba-house", Settings(seeds=(3, 4, 5))) == (3, 4)
    assert sweep_seeds_of("ba-house", Settings(is_quick=True)) == (0,)
    assert wrong_percent_of("ba-house", Settings(is_quick=True)) == (0, 25, 50)
