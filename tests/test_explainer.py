"""What the base of all explainers says of models that have learned nothing; the rest is in ``test_contract.py``."""

import pytest
import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import global_mean_pool

import protograph as pg

PAIR = torch.tensor([[0, 1], [1, 0]])


class Mean(nn.Module):
    """The class is the column of ``x`` with the highest mean."""

    def forward(self, x, edge_index, batch):
        return global_mean_pool(x, batch)


def graphs(*counts, labels=None):
    """So many graphs of each prediction; the labels of all of them in turn, the predictions by default."""
    predictions = [kind for kind, count in enumerate(counts) for _ in range(count)]
    rows = torch.eye(len(counts))
    return [
        Data(x=rows[[kind, kind]], edge_index=PAIR, **({} if labels == () else {"y": label}))
        for kind, label in zip(predictions, labels or predictions, strict=True)
    ]


def fitted(data):
    return pg.baselines.RandomSubgraph(num_candidates=2).fit(Mean(), data)


def test_a_model_that_tells_the_classes_apart_is_not_doubted():
    explanations = fitted(graphs(20, 20)).explain_all()
    assert [one.doubts for one in explanations.values()] == [(), ()]
    assert explanations.not_explained == {}
    assert explanations.summary().splitlines()[0] == (
        "Accuracy 1.000, balanced accuracy 1.000; always guessing the largest class would be right for 50.0% of 40 "
        "graphs."
    )


def test_seconds_of_what_is_done_once_are_told_with_every_class():
    ring = torch.tensor([[0, 1, 2, 1, 2, 0], [1, 2, 0, 0, 1, 2]])
    data = [Data(x=torch.eye(2)[[kind] * 3], edge_index=ring, y=kind) for kind in [0, 1] * 6]
    first, second = pg.PAGE(num_clusters=1, num_graphs=1, budget=1).fit(Mean(), data).explain_all().values()
    for stage in ("fit", "cleaning", "encoding"):
        assert first.timings[stage] == second.timings[stage] > 0


def test_a_model_that_knows_one_class_is_doubted_and_the_classes_are_named():
    labels = [0] * 30 + [1] * 10 + [2]
    with pytest.warns(pg.ProtographWarning) as of_fit:
        explainer = fitted(graphs(40, 1, 0, labels=labels))
    with pytest.warns(pg.ProtographWarning) as of_explain:
        explanations = explainer.explain_all()
    doubts = (
        "on 41 graphs its balanced accuracy is 0.333, which is no better than guessing (0.333, and up to 0.365 by "
        "chance)",
        "on 41 graphs its accuracy is 0.732; always guessing the largest class, class 0, would have 0.732",
    )
    notes = {
        0: "all graphs but 1 are predicted as it: there are too few others to tell it from",
        1: "only 1 graph is predicted as it, fewer than 5: what is said of it may be an accident",
    }
    assert [str(one.message) for one in (*of_fit, *of_explain)] == [
        *(f"the model may have learned nothing: {doubt}" for doubt in doubts),
        "no graph is predicted as class 2, so there is no explanation of it",
    ]
    assert explainer.doubts_ == doubts
    assert {target: (one.doubts, one.warnings) for target, one in explanations.items()} == {
        target: (doubts, (note,)) for target, note in notes.items()
    }
    assert explanations.not_explained == {2: "no graph is predicted as it"}
    text = explanations.summary()
    assert text.startswith(f"!! The model may have learned nothing:\n!!   {doubts[0]}.\n!!   {doubts[1]}.\n\nAccuracy ")
    assert text.count("!!") == 3
    assert text.endswith("\n\nClass 2: not explained: no graph is predicted as it.")


def test_without_labels_only_the_predictions_are_judged():
    with pytest.warns(pg.ProtographWarning, match=r"^the model may have learned nothing: 200 of 201 graphs are pred"):
        explainer = fitted(graphs(200, 1, labels=()))
    assert explainer.doubts_ == ("200 of 201 graphs are predicted as class 0",)
    assert fitted(graphs(20, 20, labels=())).doubts_ == ()


RAW = pg.GraphClassifier(Mean(), return_type="raw")  # two columns that add up to 1 look like probabilities


class Given(pg.Explainer):
    """Finds what it was given."""

    def __init__(self, found=()):
        self.found = found

    def find(self, target):
        return self.found


def test_what_is_found_is_cut_out_judged_and_put_in_order():
    data = graphs(3, 3)
    made = Data(x=torch.tensor([[2.0, 0.0]]), edge_index=torch.zeros(2, 0, dtype=torch.long))
    explanation = Given([(4, [1]), made, (0, [0, 1])]).fit(RAW, data).explain(0)
    # The mean of the rows of x is the score: 2 and 0 for the one that was made, 1 and 0, then 0 and 1.
    assert [one.margin for one in explanation.prototypes] == pytest.approx([2.0, 1.0, -1.0])
    assert [(one.source, one.nodes) for one in explanation.prototypes] == [(None, None), (0, [0, 1]), (4, [1])]
    assert [one.predicted for one in explanation.prototypes] == [0, 0, 1]
    assert sorted(explanation.source_graphs) == [0, 4]
    assert torch.equal(explanation.prototypes[1].graph.edge_index, PAIR)
    assert len(explanation.options["found"]) == 3


def test_nothing_found_is_an_explanation_without_prototypes():
    assert Given().fit(Mean(), graphs(3, 3)).explain(1).prototypes == []


def test_an_explainer_that_finds_nowhere_says_what_is_missing():
    class Empty(pg.Explainer):
        pass

    with pytest.raises(NotImplementedError, match=r"^Empty must say how prototypes are found: define find\(self, targ"):
        Empty().fit(Mean(), graphs(3, 3)).explain(0)


def test_what_an_explainer_of_ones_own_may_ask():
    told = []
    explainer = Given().fit(RAW, graphs(2, 3), progress=lambda *step: told.append(step))
    assert explainer.members(1).tolist() == [2, 3, 4]
    assert len(explainer.graphs_) == 5
    assert explainer.judge([explainer.graphs_[0]], 0).margins.tolist() == pytest.approx([1.0])
    explainer.tell("looking", 1, 2)
    assert told[-1] == ("looking", 1, 2)
    with pytest.raises(pg.NotFittedError, match=r"^this Given has no model yet; call fit"):
        Given().graphs_  # noqa: B018
