import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.data import Data

from protograph.explanation.codec import pack, read, shown


@dataclass(frozen=True)
class Inner:
    size: int
    note: str | None = None

    def __post_init__(self):
        if self.size > 9:
            raise ValueError(f"size must be at most 9, got {self.size}")


@dataclass(frozen=True, kw_only=True)
class Outer:
    """A field of every kind."""

    flag: bool
    number: int
    share: float
    text: str
    maybe: float | None
    pair: tuple[int, float]
    counts: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]
    inners: list[Inner]
    named: Mapping[str, float]
    numbered: Mapping[int, str]
    anything: Any
    options: Mapping[str, Any] = field(default_factory=dict)
    tensor: Tensor | None = None
    array: NDArray[np.float64] | None = None
    graph: Data | None = None


DTYPES = (
    *("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"),
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
)
FLOATS = st.floats(allow_nan=True, allow_infinity=True)
TEXT = st.text(max_size=4)
INTS = st.integers()
VALUES = st.recursive(
    st.none() | st.booleans() | INTS | FLOATS | TEXT,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(TEXT | INTS | st.tuples(INTS, TEXT), inner, max_size=3)
    ),
    max_leaves=6,
)


def wrapped(values, **options):
    return st.lists(values, max_size=3, **options).map(tuple)


OUTERS = st.builds(
    Outer,
    flag=st.booleans(),
    number=INTS,
    share=FLOATS,
    text=TEXT,
    maybe=st.none() | FLOATS,
    pair=st.tuples(INTS, FLOATS),
    counts=wrapped(INTS),
    rows=wrapped(wrapped(INTS)),
    inners=st.lists(st.builds(Inner, size=st.integers(-9, 9), note=st.none() | TEXT), max_size=2),
    named=st.dictionaries(TEXT, FLOATS, max_size=2),
    numbered=st.dictionaries(INTS, TEXT, max_size=2),
    anything=VALUES,
    options=st.dictionaries(TEXT, VALUES, max_size=2),
)


def same(left, right):
    """Whether two values are equal in type and content, NaN equal to NaN."""
    if type(left) is not type(right):
        return False
    if isinstance(left, Outer | Inner):
        return same(vars(left), vars(right))
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        return list(left) == list(right) and all(same(left[key], right[key]) for key in left)
    if isinstance(left, float):
        return left == right or (math.isnan(left) and math.isnan(right))
    return left == right


@settings(max_examples=100, deadline=None)
@given(OUTERS)
def test_a_record_comes_back_exactly(record):
    text = json.dumps(pack(record, Outer), allow_nan=False)
    assert same(read(json.loads(text), Outer), record)


ONE = Outer(
    flag=True,
    number=1,
    share=math.inf,
    text="a",
    maybe=None,
    pair=(2, 0.5),
    counts=(3,),
    rows=((4,), ()),
    inners=[Inner(5)],
    named={"x": 1.5},
    numbered={-6: "six"},
    anything=(7, [8.0, {9: math.nan}]),
)


def test_the_document_says_what_python_has_and_json_lacks():
    assert pack(ONE, Outer) == {
        "flag": True,
        "number": 1,
        "share": "inf",
        "text": "a",
        "maybe": None,
        "pair": [2, 0.5],
        "counts": [3],
        "rows": [[4], []],
        "inners": [{"size": 5, "note": None}],
        "named": {"x": 1.5},
        "numbered": [[-6, "six"]],
        "anything": {"tuple": [7, [8.0, {"dict": [[9, {"float": "nan"}]]}]]},
        "options": {},
        "tensor": None,
        "array": None,
        "graph": None,
    }


def test_every_field_without_a_default_is_asked_for_and_no_other_is_taken():
    whole = pack(ONE, Outer)
    assert read({name: whole[name] for name in list(whole)[:12]}, Outer).options == {}
    for name in list(whole)[:12]:
        with pytest.raises(ValueError, match=rf"^it must have {name}, got an object without it$"):
            read({key: value for key, value in whole.items() if key != name}, Outer, "it")
    names = ", ".join(part.name for part in fields(Outer))
    with pytest.raises(ValueError, match=rf'^it must have no entries but {names}, got "further"$'):
        read({**whole, "further": 1}, Outer, "it")


@pytest.mark.parametrize(
    ("value", "kind", "problem"),
    [
        (1, bool, "it must be true or false, got 1"),
        (True, int, "it must be a whole number, got true"),
        (1.0, int, "it must be a whole number, got 1.0"),
        (True, float, "it must be a number, got true"),
        ("NaN", float, 'it must be a number, got "NaN"'),
        (10**400, float, f"it must be a number of 64 bits, got 1{'0' * 36}..."),
        (None, str, "it must be text, got null"),
        ([], int | None, "it must be a whole number, got []"),
        ({}, list[int], "it must be a list, got an object"),
        ([1, "2"], list[int], 'it[1] must be a whole number, got "2"'),
        ([1], tuple[int, int], "it must be a list of 2, got [1]"),
        ([], Mapping[str, int], "it must be an object, got []"),
        ({"a": None}, Mapping[str, int], "it.a must be a whole number, got null"),
        ({}, Mapping[int, int], "it must be a list, got an object"),
        ([[1, 2], [3]], Mapping[int, int], "it[1] must be a list of 2, got [3]"),
        ([["1", 2]], Mapping[int, int], 'it[0][0] must be a whole number, got "1"'),
        ({"size": 10}, Inner, "it.size must be at most 9, got 10"),
        ([{"size": 1}, {"size": 10}], list[Inner], "it[1].size must be at most 9, got 10"),
        (7, Inner, "it must be an object, got 7"),
        ({"set": []}, Any, 'it must be an object with one entry of float, tuple, dict, tensor, graph, got ["set"]'),
        ({"dict": [[[1], 2]]}, Any, "it.dict must be pairs of a name and its value, got [[[1], 2]]"),
        ({"tuple": {}}, Any, "it.tuple must be a list, got an object"),
        ([{"graph": 1}], Any, "it[0].graph must be an object, got 1"),
    ],
)
def test_what_is_of_another_type_is_refused(value, kind, problem):
    with pytest.raises(ValueError, match=f"^{re.escape(problem)}$"):
        read(value, kind, "it")


@pytest.mark.parametrize(
    ("value", "kind", "problem"),
    [
        (True, int, "it must be a whole number, got true"),
        (np.float64(1), int, "it must be a whole number, got 1.0"),
        (3, str, "it must be text, got 3"),
        ("ab", tuple[str, ...], 'it must be a list, got "ab"'),
        ((1, 2, 3), tuple[int, int], "it must be a list of 2, got [1, 2, 3]"),
        (Inner(1), Outer, 'it must be of the type Outer, got "Inner(size=1, note=None)"'),
        (5, Tensor, "it must be of the type Tensor, got 5"),
        (5, Data, "it must be of the type Data, got 5"),
        (5, Mapping[str, int], "it must be of the type Mapping, got 5"),
    ],
)
def test_what_is_of_another_type_is_not_packed(value, kind, problem):
    with pytest.raises(ValueError, match=f"^{re.escape(problem)}$"):
        pack(value, kind, "it")


def test_numbers_and_texts_of_other_classes_become_plain():
    class Version(str):
        pass

    packed = pack([np.int8(3), np.float32(0.5), np.bool_(True), np.str_("a"), Version("b")], list[Any])
    assert packed == [3, 0.5, True, "a", "b"]
    assert [type(value) for value in packed] == [int, float, bool, str, str]
    assert pack(3, float) == 3.0


def test_functions_go_by_their_names_and_odd_things_by_their_text():
    options = {"by": math.hypot, "device": torch.device("cpu"), "adjacency": torch.eye(1).to_sparse()}
    packed = pack(options, Mapping[str, Any])
    assert packed.pop("adjacency").startswith("tensor(indices=")
    assert packed == {"by": "math.hypot", "device": "cpu"}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 2), (3, 0, 2)])
def test_tensors_come_back_bit_for_bit(dtype, shape):
    dtype = getattr(torch, dtype)
    tensor = (torch.rand(shape, generator=torch.Generator().manual_seed(0)) * 100).to(dtype)
    if dtype.is_floating_point and tensor.numel() > 2:
        tensor.view(-1)[:3] = torch.tensor([math.nan, -math.inf, 0.1])
    again = read(json.loads(json.dumps(pack(tensor, Tensor), allow_nan=False)), Tensor)
    assert (again.dtype, again.shape) == (tensor.dtype, tensor.shape)
    assert torch.equal(torch.nan_to_num(again.to(torch.complex128)), torch.nan_to_num(tensor.to(torch.complex128)))


@pytest.mark.parametrize(
    ("dtype", "shape", "data", "problem"),
    [
        (
            "object",
            [0],
            [],
            "it.dtype must be one of bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, "
            'bfloat16, float32, float64, complex64, complex128, got "object"',
        ),
        ("int8", [1], [128], "it.data must be int8 values of the shape [1], got 1 that are not"),
        ("uint8", [1], [-1], "it.data must be uint8 values of the shape [1], got 1 that are not"),
        ("uint64", [1], [2**64], "it.data must be uint64 values of the shape [1], got 1 that are not"),
        ("int64", [2], [1, True], "it.data[1] must be a whole number, got true"),
        ("bool", [1], [1], "it.data[0] must be true or false, got 1"),
        ("float32", [1], ["1"], 'it.data[0] must be a number, got "1"'),
        ("float32", [-1], [1.0], "it.data must be float32 values of the shape [-1], got 1 that are not"),
        ("float32", [2, 2], [1.0] * 3, "it.data must be float32 values of the shape [2, 2], got 3 that are not"),
        (
            "float32",
            [2**40, 2**40, 0],
            [],
            "it.data must be float32 values of the shape [1099511627776, 1099511627776, 0], got 0 that are not",
        ),
        ("complex64", [1], [1.0], "it.data must be complex64 values of the shape [1], got 1 that are not"),
        ("float32", [1.0], [1.0], "it.shape[0] must be a whole number, got 1.0"),
        ("float32", [1], 1.0, "it.data must be a list, got 1.0"),
    ],
)
def test_tensors_that_cannot_be_are_refused(dtype, shape, data, problem):
    with pytest.raises(ValueError, match=f"^{re.escape(problem)}$"):
        read({"dtype": dtype, "shape": shape, "data": data}, Tensor, "it")


def test_an_array_has_the_type_of_its_field():
    packed = pack(np.array([[1, math.nan]]), NDArray[np.float64])
    assert packed == {"dtype": "float64", "shape": [1, 2], "data": [1.0, "nan"]}
    assert read(packed, NDArray[np.float64]).shape == (1, 2)
    with pytest.raises(ValueError, match=r'^it\.dtype must be one of float64, got "bfloat16"$'):
        read(packed | {"dtype": "bfloat16"}, NDArray[np.float64], "it")


def test_graphs_keep_tensors_texts_numbers_and_graphs():
    inner = Data(num_nodes=1)
    graph = Data(x=torch.eye(1), edge_index=torch.zeros(2, 1, dtype=torch.long), name="a", share=math.nan, motif=inner)
    graph.words = ["left out"]
    packed = pack(graph, Data)
    assert packed["motif"] == {"graph": {"num_nodes": 1}}
    assert (packed["name"], packed["share"]) == ("a", {"float": "nan"})
    again = read(packed, Data)
    assert list(again.to_dict()) == ["x", "edge_index", "name", "share", "motif"]
    assert again.motif.num_nodes == 1


def test_names_of_attributes_reach_no_method_and_no_private_part():
    graph = read({"num_nodes": 2, "keys": "a", "_store": "b", "__class__": "c"}, Data)
    assert type(graph) is Data
    assert callable(graph.keys)
    assert graph.to_dict() == {"num_nodes": 2, "keys": "a", "_store": "b", "__class__": "c"}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        ((1.0, math.nan), '[1.0, "nan"]'),
        (np.int64(3), "3"),
        ("x" * 50, f'"{"x" * 36}...'),
        (list(range(9)), "a list of 9"),
        (["x" * 50], "a list of 1"),
        ({"a": 1}, "an object"),
        (Inner(1), '"Inner(size=1, note=None)"'),
    ],
)
def test_values_are_shown_briefly(value, text):
    assert shown(value) == text
