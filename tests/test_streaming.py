"""Whatever graphs come in, and wherever they are kept meanwhile, the answers are those of a list."""

from dataclasses import replace
from functools import partial
from importlib import import_module

import numpy as np
import pytest
import torch

import protograph as pg
from protograph.page import clustering
from protograph.page.reasons.reasons import find_reasons
from protograph.page.reasons.scope import ReasonOptions
from tests import zoo

GRAPHS = zoo.random_graphs(60)


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(3)
    return zoo.make(seed=3)


def answers(explanations):
    """All that is found and counted, but for what took how long, and floats."""
    found = []
    for target, one in explanations.items():
        for prototype in one.prototypes:
            found.append(
                (
                    target,
                    prototype.graph.x.tolist(),
                    prototype.graph.edge_index.tolist(),
                    prototype.cluster_size,
                    prototype.sources,
                    prototype.source,
                    prototype.nodes,
                    prototype.matches.tolist(),
                    prototype.evidence.num_in_class,
                    prototype.evidence.num_elsewhere,
                    prototype.evidence.node_graphs,
                )
            )
        found.append((str(one.rule), [reason.holds_in_indices for reason in one.reasons], one.rule.parts))
        found.append((one.survey.predictions, one.survey.labels, one.embedding_map.clusters))
    return found


def floats(explanations):
    numbers = [p.margin for one in explanations.values() for p in one.prototypes]
    return [*numbers, *explanations[0].survey.positions.ravel()]


@pytest.fixture(scope="module")
def wanted(model):
    return pg.PAGE(num_clusters=2, budget=2).fit(model, GRAPHS).explain_all()


@pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")
def test_the_answers_of_a_generator_are_those_of_a_list(model, wanted):
    """That every other source has the same graphs is seen in tests/graphs/test_dataset.py."""
    explainer = pg.PAGE(num_clusters=2, budget=2).fit(model, iter(GRAPHS), batch_size=32)
    found = explainer.explain_all()
    assert answers(found) == answers(wanted)
    np.testing.assert_allclose(floats(found), floats(wanted), rtol=1e-9, atol=1e-9)
    assert len(explainer.graphs_) == len(GRAPHS)


@pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")
def test_past_a_size_a_sample_decides_all_are_counted_and_it_is_said(model, monkeypatch):
    monkeypatch.setattr(clustering, "MAX_FITTED", 20)
    few = ReasonOptions(max_searched=30, max_confirming=10, min_kept_apart=2)
    monkeypatch.setattr(
        "protograph.page.explainer.find_reasons", lambda facts: find_reasons(replace(facts, options=few))
    )
    explainer = pg.PAGE(num_clusters=2, budget=2)
    found = explainer.fit(model, iter(GRAPHS)).explain_all()
    for target, one in found.items():
        sizes = [prototype.cluster_size for prototype in one.prototypes]
        assert sum(sizes) == one.num_predicted == sum(one.survey.predictions[i] == target for i in range(len(GRAPHS)))
        assert any(note.startswith("rules were searched in ") for note in one.warnings)
        assert one.rule.parts.count(0) <= 40
        for prototype in one.prototypes:
            assert prototype.evidence.num_class + prototype.evidence.num_others == len(GRAPHS)
        for reason in one.reasons:
            assert reason.holds(GRAPHS).nonzero()[0].tolist() == list(reason.holds_in_indices)
    again = pg.PAGE(**explainer._options()).fit(model, GRAPHS).explain_all()
    assert answers(again) == answers(found)


@pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")
def test_each_graph_is_validated_once_from_fit_to_report(model, tmp_path, monkeypatch):
    validated = []
    for name in ("graphs.dataset", "explanation.pattern"):
        module = import_module(f"protograph.{name}")
        monkeypatch.setattr(module, "validate", partial(_counted, validated, module.validate))
    explanations = pg.PAGE(num_clusters=2, budget=2, max_reasons=2).fit(model, iter(GRAPHS)).explain_all()
    explanations.report(tmp_path / "report.html")
    of_fit, others = validated[: len(GRAPHS)], validated[len(GRAPHS) :]
    assert all(one is other for one, other in zip(of_fit, GRAPHS, strict=True))
    assert len(others) < 20  # parts that the rule search cuts out to ask a pattern of


def _counted(validated, real, graph, *args, **options):
    validated.append(graph)
    real(graph, *args, **options)
