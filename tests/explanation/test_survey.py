import json
from dataclasses import replace

import numpy as np
import pytest

from protograph.explanation import Explanation, Explanations
from protograph.explanation.storage import load
from protograph.explanation.survey import Survey, TakenOut
from protograph.graphs.origins import Origin
from tests.metrics.small_graphs import path, ring


def survey(**changes):
    fields = {
        "places": (4, 7),
        "names": ("a", "b"),
        "labels": (0, 1),
        "predictions": (0, 0),
        "probabilities": (0.75, 1.0),
        "positions": np.array([[0.0, 1.0], [2.0, 3.0]]),
        "explained": (0.5, 0.25),
        "graphs": {1: ring(3)},
    }
    return Survey(**(fields | changes))


def explanation(target=0, **changes):
    fields = {"num_graphs": 2, "num_predicted": 2 - 2 * target, "class_names": ("no", "yes"), "survey": survey()}
    return Explanation(target=target, prototypes=[], explainer="PAGE", options={}, **(fields | changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"labels": (0,)}, "labels must be empty or a list of 2, one for each of places, got [0]"),
        ({"predictions": ()}, "predictions must be a list of 2, one for each of places, got []"),
        ({"positions": np.zeros((2, 3))}, "positions.shape must be [2, 2], one row for each of places, got [2, 3]"),
        ({"graphs": {2: path(2)}}, "graphs must be by indices below 2, got others"),
    ],
)
def test_what_does_not_fit_is_refused(changes, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole message is compared
        survey(**changes)
    assert str(caught.value) == message


def test_it_is_of_the_graphs_of_the_explanation():
    with pytest.raises(ValueError, match=r"^survey\.places must be a list of 3, one for each graph, got \[4, 7\]$"):
        explanation(num_graphs=3)
    out = (TakenOut(index=0, nodes=(1,), margin=2.0, margin_without=-1.0),)
    with pytest.raises(ValueError, match=r"^prototypes_taken_out must be empty or a list of 0, one for each, got "):
        explanation(prototypes_taken_out=(out,))


def test_classes_share_it_in_a_file_and_after_loading(tmp_path):
    shared = survey()
    both = Explanations({0: explanation(survey=shared), 1: explanation(1, survey=shared)})
    both.save(tmp_path / "both.json")
    document = json.loads((tmp_path / "both.json").read_text())
    assert document["survey"]["places"] == [4, 7]
    assert [one["survey"] for one in document["explanations"]] == [None, None]
    again = load(tmp_path / "both.json")
    assert again[0].survey is again[1].survey
    assert (again[0].survey.names, again[0].survey.graphs[1].num_nodes) == (("a", "b"), 3)
    assert again[0].survey.positions.tolist() == shared.positions.tolist()


def test_a_file_of_the_first_version_is_read(tmp_path):
    explanation(survey=None).save(tmp_path / "one.json")
    document = json.loads((tmp_path / "one.json").read_text())
    for name in ("survey", "prototypes_taken_out", "reasons_taken_out", "about", "truths"):
        del document["explanation"][name]
    (tmp_path / "one.json").write_text(json.dumps({**document, "version": 1}))
    again = load(tmp_path / "one.json")
    assert again.survey is None
    again.report(tmp_path / "one.html")
    assert "What the model has learned" in (tmp_path / "one.html").read_text()


def test_a_file_whose_survey_is_of_other_graphs_is_refused(tmp_path):
    Explanations({0: explanation()}).save(tmp_path / "one.json")
    document = json.loads((tmp_path / "one.json").read_text())
    document["explanations"][0]["num_graphs"] = 3
    (tmp_path / "one.json").write_text(json.dumps(document))
    with pytest.raises(ValueError, match=r"survey\.places must be a list of 3, one for each graph, got \[4, 7\]"):
        load(tmp_path / "one.json")


def test_what_was_explained_is_told_of_all_classes():
    told = Explanations({0: replace(explanation(), about={"date": "today"})}).told({"data": "mine"})
    assert told[0].about == {"date": "today", "data": "mine"}


def test_an_origin_comes_back_as_it_was():
    origins = [
        Origin(position=7, line=9, name="aspirin", smiles="CCO"),
        Origin(position=3, line=4, name="", smiles="C"),
    ]
    rows = Survey.of(origins, [1, 0], [0.75, 0.5], [1, 1])
    assert [rows.origin(0), rows.origin(1)] == origins
    assert (rows.files, rows.file_positions) == ((), ())  # nothing is known of files
    assert len(rows) == 2


def test_columns_of_files():
    origins = [Origin(position=0, file="a.pt", file_position=0), Origin(position=1, file="b.pt", file_position=0)]
    rows = Survey.of(origins, [0, 0], [1.0, 1.0])
    assert (rows.files, rows.file_positions, rows.lines, rows.names) == (("a.pt", "b.pt"), (0, 0), (), ())
    assert rows.origin(1) == origins[1]


def test_columns_must_have_an_entry_a_graph():
    with pytest.raises(ValueError, match=r"^labels must be empty or a list of 2, one for each of places, got \[1\]$"):
        Survey(places=(0, 1), predictions=(0, 0), probabilities=(1.0, 1.0), labels=(1,))
    with pytest.raises(ValueError, match=r"^predictions must be a list of 1, one for each of places, got \[\]$"):
        Survey(places=(0,), predictions=(), probabilities=(1.0,))
    with pytest.raises(ValueError, match=r"^probabilities must be in \[0, 1\], got others$"):
        Survey(places=(0,), predictions=(0,), probabilities=(1.5,))
