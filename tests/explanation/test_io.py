"""Explanations as JSON: everything comes back exactly, and no file does any harm."""

import base64
import copy
import dataclasses
import json
import math
import zlib
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch_geometric.data import Data

import protograph as pg
from protograph.explanation import EmbeddingMap, Evidence, Explanations, Session, io
from protograph.explanation.io import Reader, pack
from protograph.graphs.conditions import Reading
from protograph.models.sensitivity import Effect, Sensitivity
from protograph.molecules.functional_groups import NamedPart
from tests.explanation.by_hand import HEIGHT, KIND, LENGTH, asking, reasons
from tests.explanation.told import told
from tests.made import made_explanation
from tests.metrics.small_graphs import path

EDGES = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])


def same(left, right):
    """Whether two values are equal in type and content, NaN equal to NaN, graphs by their attributes."""
    if type(left) is not type(right):
        return False
    if isinstance(left, Data):
        return same(left.to_dict(), right.to_dict())
    if isinstance(left, Tensor):
        return (left.dtype, left.shape) == (right.dtype, right.shape) and same(left.tolist(), right.tolist())
    if isinstance(left, np.ndarray):
        return left.dtype == right.dtype and np.array_equal(left, right, equal_nan=True)
    if isinstance(left, float):
        return left == right or (math.isnan(left) and math.isnan(right))
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict | Explanations):
        return list(left) == list(right) and all(same(left[key], right[key]) for key in left)
    if dataclasses.is_dataclass(left):
        return same(vars(left), vars(right))
    return left == right


FLOATS = st.floats(allow_nan=True, allow_infinity=True)
TEXT = st.text(st.characters(min_codepoint=32, exclude_categories=["Cc", "Cs"]), max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | FLOATS | TEXT,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(TEXT, inner, max_size=3)
        | st.builds(Data, x=st.just(torch.eye(2)), name=TEXT, motif=st.just(path(2)))
    ),
    max_leaves=6,
)


def prototype(**changes):
    """A prototype with every field filled."""
    facts = {
        "graph": Data(x=torch.eye(3), edge_index=EDGES),
        "probability": 0.9998,
        "margin": math.inf,
        "cluster": 0,
        "cluster_size": 312,
        "num_clusters": 2,
        "sources": [17, 4],
        "source": 17,
        "nodes": [0, 1, 3],
        "matches": torch.tensor([[0, 1], [1, -1], [3, 2]]),
        "sessions": [
            Session(start=(0, 1), probability=0.9, margin=2.2, size=3, source=17, stopped="full", num_iterations=2)
        ],
        "evidence": Evidence(
            num_in_class=3,
            num_class=4,
            num_elsewhere=1,
            num_others=5,
            num_in_cluster=2,
            information=0.625,
            node_graphs=(3, 2, 3),
            edge_graphs=(2, 2),
            num_looked_at=3,
            contributions=(0.5, -0.25, 1.0),
            steps=("matched 2 graphs",),
        ),
        "feature_names": ("a", "b", "c"),
        "named_parts": (NamedPart("ester group", (0, 1, 2)),),
        "feature_values": {0: {6: "C"}},
        "edge_rule": Reading(variables=(replace(LENGTH, of="edge"),)),
        "pattern": asking(Data(x=torch.eye(3), edge_index=EDGES), ("a", "b", "c")),
    }
    return pg.Prototype(**facts | changes)


def effect(variable, decisions):
    shares = {"decisions": decisions, "low": 0.0, "high": 0.5, "log_odds": 0.5, "log_odds_error": 0.125}
    return Effect(variable=variable, **shares, is_sufficient=variable is HEIGHT)


def one(**changes):
    """An explanation with most fields filled."""
    facts = {
        "prototypes": [prototype()],
        "options": {"budget": 5, "pair": (1, math.nan)},
        "source_graphs": {17: Data(num_nodes=4, edge_index=EDGES)},
        "embedding_map": EmbeddingMap((17, 4), np.array([[0.5, 1.0], [2.0, 3.0]]), (0, 0), (0.75, 0.25)),
        "timings": {"fit": 0.5},
        "num_graphs": 9,
        "num_predicted": 4,
        "node_rule": Reading(variables=(KIND, HEIGHT)),
        "sensitivity": Sensitivity(effects=(effect(HEIGHT, 0.25), effect(KIND, 0.125)), restored=0.75, num_graphs=8),
        "confusion": ((3, 1), (0, 5)),
    }
    return made_explanation(**facts | changes)


@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    options=st.dictionaries(TEXT, VALUES, max_size=3), margin=FLOATS, name=TEXT, some=st.lists(reasons(), max_size=2)
)
def test_everything_comes_back_exactly(tmp_path, options, margin, name, some):
    saved = one(options=options, prototypes=[prototype(margin=margin)], class_names=("no", name), reasons=some)
    saved.save(tmp_path / "e.json")
    assert same(pg.load(tmp_path / "e.json"), saved)
    several = Explanations({0: one(target=0), 1: saved}, not_explained={2: name})
    several.save(tmp_path / "e.json")
    again = pg.load(tmp_path / "e.json")
    assert same(again, several)
    assert again.not_explained == {2: name}


def test_rules_come_back_with_what_they_predict(tmp_path):
    told().save(tmp_path / "e.json")
    again = pg.load(tmp_path / "e.json")
    assert same(again, told())
    assert again.summary() == told().summary()
    again.save(tmp_path / "f.json")
    assert (tmp_path / "e.json").read_bytes() == (tmp_path / "f.json").read_bytes()
    # Options of other kinds are kept by name or as text.
    one(options={"by": math.hypot, "device": torch.device("cpu"), "seed": np.int64(3)}).save(tmp_path / "e.json")
    assert pg.load(tmp_path / "e.json").options == {"by": "math.hypot", "device": "cpu", "seed": 3}


@pytest.mark.parametrize("dtype", io._DTYPES.values(), ids=str)
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 2)])
def test_tensors_come_back_bit_for_bit(dtype, shape):
    tensor = (torch.rand(shape, generator=torch.Generator().manual_seed(0)) * 100).to(dtype)
    if dtype.is_floating_point and tensor.numel() > 2:
        tensor.view(-1)[:3] = torch.tensor([math.nan, -math.inf, 0.1])
    assert same(Reader(0).read(json.loads(json.dumps(pack(tensor, Tensor), allow_nan=False)), Tensor), tensor)


def test_graphs_keep_tensors_texts_numbers_and_graphs():
    graph = Data(x=torch.eye(2), edge_index=EDGES[:, :2], name="a", share=math.nan, motif=Data(num_nodes=1))
    graph.words, graph.adj, graph.f = ["left out"], torch.eye(2).to_sparse(), math.hypot
    again = Reader(0).read(pack(graph, Data), Data)
    assert list(again.to_dict()) == ["x", "edge_index", "name", "share", "motif"]
    assert again.motif.num_nodes == 1
    bare = Reader(0).read(pack(Data(edge_index=EDGES), Data), Data)
    assert bare.to_dict()["num_nodes"] == 3  # which PyG would guess
    x = torch.arange(6.0).reshape(2, 3).t().requires_grad_()
    assert Reader(0).read(pack(Data(x=x), Data), Data).x.tolist() == [[0, 3], [1, 4], [2, 5]]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([5] * 9, int),
        ([0, -(2**40), 2**40], int),
        ([0.5, 1 / 3, -0.0, math.nan, 1e300], float),
    ],
)
def test_long_lists_are_packed_and_come_back_to_the_last_bit(values, kind, monkeypatch):
    monkeypatch.setattr(io, "LONG", 2)
    written = json.loads(json.dumps(pack(tuple(values), tuple[kind, ...])))
    assert set(written) == {"numbers", "dtype", "size"}
    assert same(Reader(0).read(written, tuple[kind, ...]), tuple(values))


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"explainer": 3}, r"explanation.provenance.explainer must be text, got 3"),
        ({"timings": {"fit": "long"}}, r'explanation.provenance.timings.fit must be a number, got "long"'),
        ({"embedding_map": 5}, r"explanation.embedding_map must be of the type EmbeddingMap, got 5"),
    ],
)
def test_what_could_not_be_read_again_is_not_saved(changes, problem, tmp_path):
    (tmp_path / "e.json").write_text("earlier")
    with pytest.raises(ValueError, match=f"^{problem}$"):
        one(**changes).save(tmp_path / "e.json")
    assert (tmp_path / "e.json").read_text() == "earlier"


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    """A saved file, as JSON."""
    path = tmp_path_factory.mktemp("document") / "e.json"
    one(reasons=()).save(path)
    return json.loads(path.read_text())


@pytest.fixture
def problem_of(tmp_path):
    """The problem that load finds in a file, its frame checked and taken away."""

    def problem_of(content):
        path = tmp_path / "e.json"
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        with pytest.raises(ValueError, match=r"^path must be an explanation file that save wrote, got ") as caught:
            pg.load(path)
        assert str(caught.value).endswith("; save the explanation again")
        return str(caught.value)

    return problem_of


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "it is not JSON, or cut off"),
        (b"PK\x03\x04\xff", "it is not JSON, or cut off"),
        (b"[" * 100_000, "it is not JSON, or cut off"),
        (b"[1, 2]", "its content must be an object, got [1, 2]"),
        (b'{"format": "other"}', 'format must be "protograph-explanation", got "other"'),
        (b'{"format": "protograph-explanation", "version": true}', "version must be a whole number, got true"),
        (b'{"format": "protograph-explanation", "version": 4}', "an object with explanation, or a list of"),
    ],
)
def test_files_that_are_something_else(content, problem, problem_of):
    assert problem in problem_of(content)


@pytest.mark.parametrize(("version", "way_out"), [(99, "upgrade protograph"), (3, "save the explanation again")])
def test_files_of_other_versions_are_refused(version, way_out, tmp_path):
    (tmp_path / "e.json").write_text(f'{{"format": "protograph-explanation", "version": {version}}}')
    with pytest.raises(ValueError, match=rf"of version 4, got .*e\.json of version {version}; {way_out}"):
        pg.load(tmp_path / "e.json")
    with pytest.raises(FileNotFoundError, match=r"^there is no file .*no\.json; give the path of a file that save"):
        pg.load(tmp_path / "no.json")


GONE = object()


@pytest.mark.parametrize(
    ("where", "value", "problem"),
    [
        ("target", "1", 'explanation.target must be a whole number, got "1"'),
        ("target", GONE, "explanation must have target, got an object without it"),
        ("target", 2, "explanation.target must be in [0, 2)"),
        ("colour", 1, "explanation must have no entries but target, prototypes, rule"),
        ("names.classes", ["a", None], "explanation.names.classes[1] must be text, got null"),
        ("prototypes", {}, "explanation.prototypes must be a list, got an object"),
        ("prototypes.0.sessions.0.size", 1.5, "explanation.prototypes[0].sessions[0].size must be a whole number"),
        ("prototypes.0.evidence.num_in_class", 9, "explanation.prototypes[0].evidence.num_in_class must be in [0, 4]"),
        ("prototypes.0.matches.shape", [2, 3], "explanation.prototypes[0].matches must be whole numbers of shape [3, "),
        ("prototypes.0.graph.x.tensor.data.4", "one", 'x.tensor.data[4] must be a number, got "one"'),
        ("prototypes.0.graph.x.tensor.dtype", "object", "x.tensor.dtype must be one of bool, uint8"),
        ("prototypes.0.graph.x.tensor.shape", [-1], "x.tensor.data must be float32 values of the shape [-1]"),
        ("prototypes.0.graph.x.tensor", {"dtype": "uint8", "shape": [1], "data": [-1]}, "uint8 values of the shape"),
        ("prototypes.0.graph.x.tensor", {"dtype": "float32", "shape": [10**30, 0], "data": []}, "got 0 that are not"),
        ("prototypes.0.graph.x", GONE, "graph.num_nodes must be a whole number of at least 0"),
        ("prototypes.0.graph.edge_index.tensor.data.0", 3, "edge_index must join nodes 0 to 2, got node 3"),
        ("prototypes.0.graph.edge_index.tensor.dtype", "float32", "edge_index must be whole numbers of shape [2"),
        ("source_graphs", {"a": {}}, 'source_graphs must be an object with whole numbers for names, got "a"'),
        ("source_graphs.17.num_nodes", "four", "source_graphs.17.num_nodes must be a whole number of at least 0"),
        ("provenance.options.pair", {"set": [1]}, "must be an object with one entry of float, tuple, dict, tensor"),
        ("rule.parts", [0], "explanation.rule.parts must be empty or a list of 9"),
    ],
)
def test_every_damaged_field_is_named(where, value, problem, document, problem_of):
    damaged = copy.deepcopy(document)
    *parents, last = where.split(".")
    place = damaged["explanation"]
    for name in parents:
        place = place[int(name) if isinstance(place, list) else name]
    if value is GONE:
        del place[last]
    else:
        place[int(last) if isinstance(place, list) else last] = value
    assert problem in problem_of(damaged)


def places_of(value, path=()):
    """Every place of a JSON document but the document itself."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from places_of(item, (*path, key))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | FLOATS.filter(math.isfinite) | TEXT | st.just("nan"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(TEXT | st.sampled_from(["tuple", "dict", "tensor", "graph", "float"]), inner, max_size=2)
    ),
    max_leaves=4,
)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_other_value_at_any_place_is_read_or_refused_with_a_message(data, document, tmp_path):
    damaged = copy.deepcopy(document)
    *parents, last = data.draw(st.sampled_from([*places_of(document["explanation"])]))
    place = damaged["explanation"]
    for name in parents:
        place = place[name]
    place[last] = data.draw(JSON)
    (tmp_path / "e.json").write_text(json.dumps(damaged))
    try:
        pg.load(tmp_path / "e.json").save(tmp_path / "f.json")
    except ValueError as error:
        assert str(error).startswith("path must be an explanation file that save wrote, got ")  # noqa: PT017


def test_deep_nesting_is_refused(document, problem_of):
    content = json.dumps(document).replace('"budget": 5', '"deep": ' + "[" * 950 + "]" * 950).encode()
    assert "too deeply" in problem_of(content) or "recursion" in problem_of(content)


def test_several_of_a_class_are_refused(document, problem_of):
    several = {name: document[name] for name in ("format", "version")} | {"explanations": [document["explanation"]] * 2}
    assert "explanations must be of different classes, got [1, 1]" in problem_of(several)
    several["explanations"] = several["explanations"][:1]
    assert "of classes that have no explanation, got [1]" in problem_of(several | {"not_explained": {"1": "gone"}})


@pytest.mark.parametrize("copies", [1, 1000])
def test_graphs_of_more_nodes_than_a_file_can_have_are_refused(copies, document, problem_of):
    """80 KB could ask for gigabytes: without features and edges a graph of any size is a few bytes."""
    bomb = copy.deepcopy(document)
    graph = {"num_nodes": 10**9 // copies}
    bomb["explanation"]["source_graphs"] = {str(index): graph for index in range(copies)}
    assert "num_nodes must be one of the sizes that a file of this length can have" in problem_of(bomb)


def test_packed_numbers_that_would_fill_the_memory_are_refused(document, problem_of):
    bomb = copy.deepcopy(document)
    size = io.MAX_PACKED + 1
    text = base64.b64encode(zlib.compress(b"\0" * size)).decode()
    assert len(text) < 80_000
    bomb["explanation"]["survey"]["predictions"] = {"numbers": text, "dtype": "int8", "size": size}
    assert "must be part of at most 30,000,000 packed numbers in a file" in problem_of(bomb)
    # Neither by a size that is not that of the content, nor by many columns that are each below the limit.
    bomb["explanation"]["survey"]["predictions"]["size"] = 3
    assert "predictions must be 3 packed numbers, got others" in problem_of(bomb)
    few = base64.b64encode(zlib.compress(b"\0" * 2)).decode()
    bomb["explanation"]["survey"]["predictions"]["numbers"] = few
    assert "predictions must be 3 packed numbers, got others" in problem_of(bomb)
    column = {"numbers": text, "dtype": "int8", "size": size // 2}
    reader = Reader(0)
    with pytest.raises(ValueError, match=r"packed numbers"):
        reader.read([column] * 3, list[tuple[int, ...]])


def test_texts_of_a_file_do_not_steer_a_terminal(document, tmp_path):
    nasty = copy.deepcopy(document)
    nasty["explanation"]["names"]["classes"] = ["no", "\x1b[2J\x1b]0;title\x07yes\x9b31m\nof two lines"]
    nasty["explanation"]["provenance"]["options"] = {"\x1b[31mred": "\x1b[1mbold"}
    nasty["explanation"]["warnings"] = ["careful\x08\x00"]
    (tmp_path / "e.json").write_text(json.dumps(nasty))
    cleaned = pg.load(tmp_path / "e.json")
    assert cleaned.class_name == "yes31m\nof two lines"
    assert cleaned.options == {"red": "bold"}
    assert cleaned.warnings == ("careful",)


def test_an_entry_that_is_missing_gets_the_default_of_its_field(document, tmp_path):
    short = copy.deepcopy(document)
    for name in ("evidence", "num_clusters", "feature_names"):
        del short["explanation"]["prototypes"][0][name]
    (tmp_path / "e.json").write_text(json.dumps(short))
    (found,) = pg.load(tmp_path / "e.json").prototypes
    assert (found.evidence, found.num_clusters, found.feature_names, found.cluster_size) == (None, None, (), 312)
