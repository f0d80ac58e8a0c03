"""Explanations made by hand, of facts given one by one."""

from dataclasses import replace

from protograph.explanation import Explanation, Names, Provenance, Rule, Survey
from protograph.explanation.survey import origin_columns
from protograph.graphs.names import ColumnNames


def with_reasons(explanation, reasons):
    """The same explanation with other reasons."""
    return replace(explanation, rule=replace(explanation.rule, reasons=tuple(reasons)))


def made_explanation(
    *,
    target=1,
    prototypes=(),
    class_names=("0", "1"),
    num_graphs=2,
    num_predicted=1,
    graph_predictions=None,
    feature_names=(),
    feature_values=None,
    feature_colors=(),
    edge_names=(),
    edge_values=None,
    explainer="PAGE",
    options=None,
    timings=None,
    versions=None,
    about=None,
    reasons=None,
    graph_parts=(),
    typical_uncovered=(),
    fidelity_note="",
    confusion=None,
    survey=None,
    origins=None,
    **parts,
):
    """An explanation of so many graphs, the first of them predicted as its class; with a rule if reasons are given."""
    other = next((number for number in range(len(class_names)) if number != target), 0)
    predictions = graph_predictions or (target,) * num_predicted + (other,) * (num_graphs - num_predicted)
    names = Names(
        classes=tuple(class_names),
        features=ColumnNames(tuple(feature_names), feature_values or {}),
        edges=ColumnNames(tuple(edge_names), edge_values or {}),
        colors=tuple(feature_colors),
    )
    rule = Rule(
        reasons=tuple(reasons or ()),
        parts=tuple(graph_parts),
        typical_uncovered=tuple(typical_uncovered),
        fidelity_note=fidelity_note,
    )
    columns = {}
    if origins:
        others = replace(next(iter(origins.values())), name="", smiles="")
        known = [origins.get(index, replace(others, position=index)) for index in range(len(predictions))]
        columns = origin_columns(known)
    if survey is not None and confusion is not None:
        survey = replace(survey, confusion=confusion)
    return Explanation(
        target=target,
        prototypes=list(prototypes),
        rule=None if reasons is None else rule,
        survey=survey or Survey(predictions=tuple(predictions), confusion=confusion, **columns),
        names=names,
        provenance=Provenance(
            explainer=explainer,
            options=options or {},
            timings=timings or {},
            versions=versions or {},
            about=about or {},
        ),
        **parts,
    )
