from protograph.graphs.column_names import ColumnNames


def test_kinds_are_columns_where_no_values_have_names():
    names = ColumnNames(("carbon", "oxygen"))
    assert names.column is None
    assert names.kinds == ("carbon", "oxygen")


def test_kinds_are_the_named_values_of_the_first_such_column_in_ascending_order():
    names = ColumnNames(("weight", "atom", "charge"), {2: {0: "plain"}, 1: {8: "oxygen", 6: "carbon"}})
    assert names.column == 1
    assert names.kinds == ("carbon", "oxygen")
