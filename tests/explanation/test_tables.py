from protograph._base.intervals import wilson
from protograph.explanation.tables import graphs_table, prototypes_table, reasons_by_graph, reasons_table
from tests.explanation.told import told


def rows(table):
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


def test_a_row_a_graph():
    first, second, *_, last = rows(graphs_table([*told().values()]))
    assert first == {
        "graph": 10,
        "id": "a",
        "line": 2,
        "file": None,
        "smiles": None,
        "label": "<b>three</b>",
        "prediction": "<b>three</b>",
        "p": 0.9,
        "part": "searched",
        "cluster": 1,
        "reasons": "class1-reason1",
        "covered": True,
        "rule_agrees": True,
    }
    assert (second["id"], second["label"], second["reasons"], second["cluster"]) == (
        "=b",
        "plain",
        "class0-reason1",
        None,
    )
    # A path that the model takes for a triangle: only the other class's reason holds.
    assert (last["label"], last["prediction"], last["reasons"]) == ("plain", "<b>three</b>", "class0-reason1")
    assert (last["part"], last["cluster"], last["covered"], last["rule_agrees"]) == ("kept apart", None, False, False)


def test_graphs_of_an_explanation_without_reasons():
    first, *_ = rows(graphs_table([*told({1: ()}).values()]))
    assert (first["reasons"], first["covered"], first["p"]) == ("", False, 0.9)


def test_a_row_a_prototype():
    (row,) = rows(prototypes_table([*told().values()]))
    low, high = wilson(2, 3)
    assert row["description"] == "a ring of three nodes"
    assert (row["class"], row["prototype"], row["cluster"], row["taken_for"]) == (
        1,
        "class1-prototype1",
        1,
        "<b>three</b>",
    )
    assert (row["num_in_class"], row["num_class"], row["support"]) == (2, 3, 2 / 3)
    assert (row["support_low"], row["support_high"], row["support_elsewhere"]) == (low, high, 0.0)
    assert (row["source"], row["source_id"], row["sources"]) == (10, "a", "10 12")
    assert (row["smiles"], row["smarts"]) == (None, None)


def test_a_row_a_reason():
    first, second, third = rows(reasons_table([*told().values()]))
    assert [one["reason"] for one in (first, second, third)] == ["class0-reason1", "class0-reason2", "class1-reason1"]
    assert third["description"] == "a triangle"
    assert (third["num_in_class"], third["num_class"], third["share"], third["share_elsewhere"]) == (2, 3, 2 / 3, 0.0)
    assert (third["kept_apart_share"], third["example"]) == (0.0, None)
    assert (first["num_elsewhere"], first["num_others"]) == (1, 3)


def test_reasons_by_graph():
    assert reasons_by_graph(told()[0]) == [[], [1], [], [2], [1]]
