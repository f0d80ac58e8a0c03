from collections import Counter

from protograph import datasets
from protograph.evaluation.sweeps import width_specs, wrong_label_specs


def test_every_combination_of_the_papers_widths_comes_once():
    for depth, widths in ((2, {4, 8, 16, 32, 64}), (3, {4, 8, 16, 32})):
        specs = width_specs(depth, random_state=3)
        assert len({spec.hidden for spec in specs}) == len(specs) == len(widths) ** depth
        assert {width for spec in specs for width in spec.hidden} == widths
        assert Counter(spec.random_state for spec in specs) == {3: len(specs)}


def test_wrong_labels_are_those_of_training_graphs_only():
    data = datasets.load("ba-house", num_graphs=120)
    chosen = list(range(0, 120, 2))
    specs = wrong_label_specs(data, chosen, random_state=0)
    assert len(specs) == 11
    before = set()
    for number, spec in enumerate(specs):
        changed = {i for i, (old, new) in enumerate(zip(data.labels.tolist(), spec.labels, strict=True)) if old != new}
        assert spec.hidden == data.hidden
        assert len(changed) == round(0.05 * number * 60)
        assert before <= changed <= set(chosen)
        before = changed
