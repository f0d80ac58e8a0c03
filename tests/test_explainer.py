"""What the base of all explainers owes beyond ``test_contract.py``: doubts, precision, threads, pickles."""

import pickle
import re
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import global_mean_pool

import protograph as pg
from tests import zoo

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
    assert explanations.summary().splitlines()[:2] == [
        "Task: 2 classes.",
        "Accuracy 1.000, balanced accuracy 1.000; always guessing the largest class would be right for 50.0% of 40 "
        "graphs.",
    ]


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
        "on 41 graphs its balanced accuracy is 0.333, no more than guessing may give (0.333, and up to 0.365 by "
        "chance)",
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
    assert text.startswith(f"!! The model may have learned nothing:\n!!   {doubts[0]}.\n\nTask: 3 classes.\nAccuracy ")
    assert text.count("!!") == 2
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


class Named(list):
    """Graphs with a name."""

    name = "mine"


def test_what_was_explained_when_and_with_which_versions_is_told():
    told = Given().fit(RAW, Named(graphs(3, 3))).explain(0).provenance
    assert (told.about["data"], told.about["model"]) == ("mine", "Mean")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", told.about["date"])
    assert (told.versions["protograph"], told.versions["torch"]) == (pg.__version__, torch.__version__)
    of_task = Given().fit(pg.GraphClassifier(Mean(), return_type="raw", task=1), graphs(3, 3)).explain(1).provenance
    assert "data" not in of_task.about
    assert of_task.about["model"] == "Mean, task 1"


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


def test_a_fitted_explainer_can_be_pickled_and_the_copy_explains_the_same():
    explainer = pg.PAGE(budget=2, num_clusters=1).fit(zoo.make(seed=1), zoo.random_graphs(30), progress=lambda *_: None)
    before, twin = explainer.explain(1), pickle.loads(pickle.dumps(explainer))
    after = twin.explain(1)
    assert [(p.sources, p.nodes, p.margin) for p in after.prototypes] == [
        (p.sources, p.nodes, p.margin) for p in before.prototypes
    ]
    assert str(after.rule) == str(before.rule)
    assert twin.predictions_.tolist() == explainer.predictions_.tolist()
    assert pickle.loads(pickle.dumps(pg.PAGE(budget=7))).budget == 7


def test_a_task_comes_later_and_a_precision_is_one_of_two():
    with pytest.raises(ValueError, match=r"task must be None.*got 3.*GraphClassifier\(model, task=3\)"):
        pg.PAGE().fit(zoo.make(), zoo.random_graphs(4), task=3)
    with pytest.raises(ValueError, match=r"precision must be 'double' or 'model', got 'half'"):
        pg.PAGE().fit(zoo.make(), zoo.random_graphs(4), precision="half")


@pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")
def test_the_precision_of_the_model_is_its_own():
    graphs, model = zoo.random_graphs(12), zoo.make(seed=1)
    double, own = (pg.PAGE().fit(model, graphs, precision=precision) for precision in ("double", "model"))
    assert (double._running.is_double, own._running.is_double) == (True, False)
    assert next(own._running.model.parameters()).dtype is torch.float32
    np.testing.assert_allclose(own.embeddings_, double.embeddings_, rtol=1e-4, atol=1e-5)
    assert own.predictions_.tolist() == double.predictions_.tolist()


class Slow(zoo.Net):
    """Gives other threads a chance to run in the midst of a call, and makes tensors of default precision."""

    def forward(self, x, edge_index, batch):
        time.sleep(0.01)
        thirds = torch.ones(len(x), 1) / 3 + torch.tensor([1.0]) * (torch.arange(1) + 1) / 3
        return self.classify(x * thirds, edge_index, batch)


@pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")
def test_four_threads_fit_at_once_and_nothing_of_the_process_is_changed():
    graphs, model = zoo.random_graphs(12), zoo.make(kind=Slow, seed=1)
    wanted = pg.baselines.RandomSubgraph().fit(model, graphs).embeddings_

    def fitted(_):
        return [
            pg.baselines.RandomSubgraph().fit(model, graphs).embeddings_ for _ in range(4)
        ], torch.get_default_dtype()

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(fitted, range(4)))
    assert {dtype for _, dtype in found} == {torch.float32}
    assert torch.get_default_dtype() is torch.float32
    for embeddings, _ in found:
        for one in embeddings:
            np.testing.assert_array_equal(one, wanted)


class OneColumn(torch.nn.Module):
    """The mean of a column less what a graph of few nodes lacks: in [0, 1] for whole graphs, below for small parts."""

    def forward(self, x, edge_index, batch):
        sizes = torch.bincount(batch)
        return (global_mean_pool(x, batch)[:, :1] + 1 - 3 / sizes.unsqueeze(1)) / 2


@pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")
def test_a_single_score_in_0_to_1_for_all_graphs_is_raw_where_parts_of_graphs_are_outside():
    graphs = zoo.random_graphs(30)
    explainer = pg.PAGE(max_reasons=0).fit(OneColumn(), graphs)
    assert explainer.embedded_.return_type == "raw"
    assert explainer.explain(1).prototypes
    probabilities = pg.PAGE(max_reasons=0).fit(zoo.make(num_classes=1, output="probs"), graphs)
    assert probabilities.embedded_.return_type == "probs"


@pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")
def test_a_class_is_named_by_its_index_or_by_its_name():
    explainer = pg.PAGE(max_reasons=0, budget=1).fit(zoo.make(seed=1), zoo.random_graphs(12), class_names=["no", "yes"])
    assert explainer.explain("yes").target == 1
    assert explainer.representatives("yes").clusters == explainer.representatives(1).clusters
    assert explainer.members("no").tolist() == explainer.members(0).tolist()
    with pytest.raises(ValueError, match=r"target must be an index in.*names 'no', 'yes', got 'y'.*class_names"):
        explainer.explain("y")
