import copy
import dataclasses
import json
import math
import re

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch_geometric.data import Data

from protograph.explanation import (
    EmbeddingMap,
    Evidence,
    Example,
    Explanation,
    Explanations,
    Pattern,
    Prototype,
    Reason,
    Session,
    Support,
)
from protograph.explanation.storage import load

DTYPES = "bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128"


def same(left, right):
    """Whether two values are equal in type and content, NaN equal to NaN, graphs by their attributes."""
    if type(left) is not type(right):
        return False
    if isinstance(left, Data):
        return same(left.to_dict(), right.to_dict())
    if isinstance(left, torch.Tensor):
        if left.dtype != right.dtype or left.shape != right.shape:
            return False
        wide = torch.complex128 if left.is_complex() else torch.float64 if left.is_floating_point() else left.dtype
        return torch.allclose(left.to(wide), right.to(wide), rtol=0, atol=0, equal_nan=True) if left.numel() else True
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
COUNTS = st.integers(0, 9)
TEXT = st.text(max_size=6)
SCALARS = st.none() | st.booleans() | st.integers() | FLOATS | TEXT
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(TEXT | st.integers(), inner, max_size=3)
    ),
    max_leaves=6,
)


@st.composite
def tensors(draw, rows=None):
    dtype = getattr(torch, draw(st.sampled_from(DTYPES.split())))
    shape = draw(st.lists(st.integers(0, 3), max_size=2))
    shape = shape if rows is None else [rows, *shape]
    generator = torch.Generator().manual_seed(draw(st.integers(0, 99)))
    tensor = torch.randn(shape, generator=generator, dtype=torch.float64) * draw(st.sampled_from([1.0, 50.0]))
    if tensor.numel() and draw(st.booleans()):
        tensor.view(-1)[0] = math.nan if dtype.is_floating_point or dtype.is_complex else 1
        tensor.view(-1)[-1] = math.inf if dtype.is_floating_point or dtype.is_complex else 0
    return (tensor if dtype.is_floating_point or dtype.is_complex else tensor.abs().clamp(max=99)).to(dtype)


@st.composite
def graphs(draw, depth=1):
    size = draw(st.integers(1, 5))
    graph = Data(num_nodes=size) if draw(st.booleans()) else Data(x=draw(tensors(rows=size)))
    edges = draw(st.lists(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)), max_size=6))
    graph.edge_index = torch.tensor(edges, dtype=torch.long).reshape(-1, 2).t()
    for key in draw(st.lists(st.sampled_from(["edge_attr", "y", "name", "weight_of", "keys"]), unique=True)):
        graph[key] = draw(tensors() | st.text(max_size=4) | st.integers() | FLOATS | st.booleans())
    if depth and draw(st.booleans()):
        graph.motif = draw(graphs(depth=depth - 1))
    return graph


@st.composite
def evidences(draw, num_nodes, num_edges):
    def figures(size, values):
        return tuple(draw(st.just([]) | st.lists(values, min_size=size, max_size=size)))

    finite = st.floats(allow_nan=False, allow_infinity=False)
    return Evidence(
        num_in_class=draw(COUNTS),
        num_class=draw(st.integers(9, 10**12)),
        num_elsewhere=draw(COUNTS),
        num_others=9,
        num_in_cluster=draw(COUNTS),
        information=draw(finite),
        node_sources=figures(num_nodes, COUNTS),
        edge_sources=figures(num_edges, COUNTS),
        node_graphs=figures(num_nodes, COUNTS),
        edge_graphs=figures(num_edges, COUNTS),
        num_looked_at=draw(st.integers(9, 99)),
        contributions=figures(num_nodes, finite),
        contribution_share=draw(st.none() | finite),
        steps=figures(draw(st.integers(0, 2)), TEXT),
    )


@st.composite
def prototypes(draw, sources, names):
    graph = draw(graphs())
    if not sources or draw(st.booleans()):
        return Prototype(graph=graph, probability=draw(FLOATS), margin=draw(FLOATS))
    source = draw(st.sampled_from(sorted(sources)))
    whole = st.integers(0, sources[source].num_nodes - 1)
    columns = draw(st.integers(1, 3))
    session = st.builds(
        Session,
        start=st.lists(COUNTS, max_size=3).map(tuple),
        probability=FLOATS,
        margin=FLOATS,
        size=COUNTS,
        source=COUNTS,
        stopped=st.sampled_from(["full", "dead end"]),
        num_iterations=COUNTS,
        is_exact=st.booleans(),
    )
    return Prototype(
        graph=graph,
        probability=draw(FLOATS),
        margin=draw(FLOATS),
        cluster=draw(COUNTS),
        cluster_size=draw(COUNTS),
        sources=draw(st.lists(COUNTS, min_size=columns, max_size=columns)),
        source=source,
        nodes=draw(st.lists(whole, min_size=graph.num_nodes, max_size=graph.num_nodes)),
        matches=torch.randint(-1, 5, (graph.num_nodes, columns), generator=torch.Generator().manual_seed(0)),
        sessions=draw(st.lists(session, max_size=2)),
        evidence=draw(st.none() | evidences(graph.num_nodes, num_edges_of(graph))),
        num_clusters=draw(st.none() | COUNTS),
        feature_names=draw(st.just(()) | st.just(names)),
    )


def num_edges_of(graph):
    """Pairs of different nodes that are joined."""
    return len({frozenset(edge) for edge in graph.edge_index.T.tolist() if edge[0] != edge[1]})


@st.composite
def embedding_maps(draw):
    size = draw(st.integers(0, 4))
    numbers = draw(st.lists(FLOATS, min_size=2 * size, max_size=2 * size))
    return EmbeddingMap(
        tuple(range(size)), np.array(numbers).reshape(size, 2), (0,) * size, (draw(FLOATS), draw(FLOATS))
    )


@st.composite
def explanations(draw, target=0):
    sources = draw(st.dictionaries(st.integers(0, 99), graphs(), max_size=2))
    names = draw(st.just(()) | st.tuples(TEXT))
    return Explanation(
        target=target,
        prototypes=draw(st.lists(prototypes(sources, names), max_size=2)),
        explainer=draw(TEXT),
        options=draw(st.dictionaries(TEXT, VALUES, max_size=3)),
        source_graphs=sources,
        num_graphs=draw(COUNTS),
        num_predicted=draw(COUNTS),
        class_names=draw(st.tuples(TEXT, TEXT)),
        feature_names=names,
        feature_colors=draw(st.just(()) | st.just(("#D55E00",))),
        confusion=draw(st.none() | st.just(((1, 2), (3, 4)))),
        embedding_map=draw(st.none() | embedding_maps()),
        timings=draw(st.dictionaries(TEXT, FLOATS, max_size=2)),
        versions=draw(st.dictionaries(TEXT, TEXT, max_size=2)),
        warnings=tuple(draw(st.lists(TEXT, max_size=2))),
        doubts=tuple(draw(st.lists(TEXT, max_size=2))),
    )


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.tuples(explanations(0), explanations(1)), st.integers(0, 3))
def test_everything_comes_back_exactly(tmp_path, pair, kind):
    saved = [pair[0], *(Explanations(dict(enumerate(pair[:size]))) for size in range(3))][kind]
    saved.save(tmp_path / "explanation.json")
    assert same(load(tmp_path / "explanation.json"), saved)


EDGES = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
EVIDENCE = Evidence(
    num_in_class=3,
    num_class=4,
    num_elsewhere=1,
    num_others=5,
    num_in_cluster=2,
    information=0.625,
    node_sources=(2, 1, 2),
    edge_sources=(1, 1),
    node_graphs=(3, 2, 3),
    edge_graphs=(2, 2),
    num_looked_at=3,
    contributions=(0.5, -0.25, 1.0),
    contribution_share=0.75,
    steps=("matched 2 graphs", "left out 1 node"),
)


def reasons():
    """A reason, and what is left without it, of nine graphs: four of the class, three parts of three."""
    pattern = Pattern(graph=Data(edge_index=EDGES, num_nodes=3), kind="induced", closed=(1,), at_least=2)
    figures = ("num_in_class", "num_class", "num_elsewhere", "num_others")

    def support(*counts):
        return Support(**dict(zip(figures, counts, strict=True)))

    example = Example(
        source=17,
        nodes=(0, 1, 3, 2),
        graph=Data(num_nodes=4, edge_index=EDGES),
        marked=((0, 1, 2), (1, 2, 3)),
        probability=0.875,
        is_whole=True,
    )
    first = Reason(
        has=(pattern,),
        example=example,
        searched=support(1, 2, 0, 1),
        confirming=support(1, 1, 0, 2),
        kept_apart=support(0, 1, 1, 2),
        holds_in_indices=(0, 3, 7),
    )
    none = support(0, 0, 0, 0)
    other = Reason(has=(pattern,), lacks=(dataclasses.replace(pattern, kind="part"),), searched=none, confirming=none)
    rest = Reason(
        unless=(other,),
        searched=support(1, 2, 0, 1),
        confirming=support(0, 1, 0, 2),
        kept_apart=support(0, 1, 0, 2),
        holds_in_indices=(1,),
    )
    return {
        "reasons": (first, rest),
        "graph_predictions": (1, 1, 0, 1, 0, 0, 1, 0, 0),
        "graph_parts": (0, 0, 0, 1, 1, 1, 2, 2, 2),
        "typical_uncovered": (6,),
        "fidelity_note": "",
    }


def one(**changes):
    """An explanation with every field filled."""
    prototype = Prototype(
        graph=Data(x=torch.eye(3), edge_index=EDGES),
        probability=0.9998,
        margin=8.5,
        cluster=0,
        cluster_size=312,
        sources=[17, 4],
        source=17,
        nodes=[0, 1, 3],
        matches=torch.tensor([[0, 1], [1, -1], [3, 2]]),
        sessions=[
            Session(start=(0, 1), probability=0.9, margin=2.2, size=3, source=17, stopped="full", num_iterations=2)
        ],
        evidence=EVIDENCE,
        num_clusters=2,
    )
    fields = {
        "target": 1,
        "prototypes": [prototype],
        "explainer": "PAGE",
        "options": {"budget": 5},
        "source_graphs": {17: Data(num_nodes=4, edge_index=EDGES)},
        "num_graphs": 9,
        "num_predicted": 4,
        "class_names": ("no", "yes"),
        "confusion": ((3, 1), (0, 5)),
        "embedding_map": EmbeddingMap((17, 4), np.array([[0.5, 1.0], [2.0, 3.0]]), (0, 0), (0.75, 0.25)),
        "timings": {"fit": 0.5},
        "versions": {"torch": "2.4"},
    }
    return Explanation(**(fields | reasons() | changes))


def test_a_function_is_kept_by_name_and_odd_values_as_text(tmp_path):
    options = {"match_features": math.hypot, "device": torch.device("cpu"), "seed": np.int64(3), "of": {(1, 2): 1}}
    one(options=options).save(tmp_path / "e.json")
    assert load(tmp_path / "e.json").options == {
        "match_features": "math.hypot",
        "device": "cpu",
        "seed": 3,
        "of": {(1, 2): 1},
    }


def test_attributes_that_are_no_data_are_dropped(tmp_path):
    graph = Data(x=torch.eye(2), edge_index=EDGES[:, :2], bonds=["a"], adj=torch.eye(2).to_sparse(), f=lambda: 1)
    one(source_graphs={5: graph}, prototypes=[]).save(tmp_path / "e.json")
    assert sorted(load(tmp_path / "e.json").source_graphs[5].keys()) == ["edge_index", "x"]


def test_the_number_of_nodes_is_written_where_pyg_would_guess(tmp_path):
    one(source_graphs={5: Data(edge_index=EDGES)}, prototypes=[]).save(tmp_path / "e.json")
    assert load(tmp_path / "e.json").source_graphs[5].to_dict()["num_nodes"] == 3


def test_tensors_that_need_gradients_or_are_views_are_kept(tmp_path):
    x = torch.arange(6.0).reshape(2, 3).t().requires_grad_()
    one(source_graphs={5: Data(x=x, edge_index=EDGES)}, prototypes=[]).save(tmp_path / "e.json")
    assert load(tmp_path / "e.json").source_graphs[5].x.tolist() == [[0, 3], [1, 4], [2, 5]]


def test_the_file_is_plain_json_with_format_and_version(tmp_path):
    one(timings={"fit": math.inf}).save(tmp_path / "e.json")
    document = json.loads((tmp_path / "e.json").read_text(), parse_constant=pytest.fail)
    assert {key: document[key] for key in ("format", "version", "kind")} == {
        "format": "protograph-explanation",
        "version": 3,
        "kind": "explanation",
    }


def test_saving_twice_gives_the_same_bytes(tmp_path):
    one().save(tmp_path / "a.json")
    load(tmp_path / "a.json").save(tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_saving_into_a_missing_folder_is_an_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OSError, match=r"^cannot write no/e\.json: the folder no does not exist$"):
        one().save("no/e.json")


NO_REASONS = {"reasons": (), "graph_predictions": (), "graph_parts": (), "typical_uncovered": ()}


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"explainer": 3}, "explanation.explainer must be text, got 3"),
        ({"num_graphs": True} | NO_REASONS, "explanation.num_graphs must be a whole number, got true"),
        ({"num_graphs": 9.0}, "explanation.num_graphs must be a whole number, got 9.0"),
        ({"class_names": "ab"}, 'explanation.class_names must be a list, got "ab"'),
        ({"timings": {"fit": "long"}}, 'explanation.timings.fit must be a number, got "long"'),
        ({"embedding_map": 5}, "explanation.embedding_map must be of the type EmbeddingMap, got 5"),
    ],
)
def test_what_could_not_be_read_again_is_not_saved(changes, problem, tmp_path):
    (tmp_path / "e.json").write_text("earlier")
    with pytest.raises(ValueError, match=f"^{re.escape(problem)}$"):
        one(**changes).save(tmp_path / "e.json")
    assert (tmp_path / "e.json").read_text() == "earlier"


def test_a_missing_file_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        FileNotFoundError, match=r"^there is no file no\.json; give the path of a file that save wrote$"
    ):
        load("no.json")


def message_of(content, tmp_path, monkeypatch):
    """The problem that load finds in a file with this content, its frame checked and taken away."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "e.json").write_bytes(content)
    with pytest.raises(ValueError, match="save the explanation again") as caught:
        load("e.json")
    frame = r"path must be an explanation file that save wrote, got e\.json: (.*); save the explanation again"
    return re.fullmatch(frame, str(caught.value)).group(1)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "it is not JSON, or cut off (Expecting value: line 1 column 1 (char 0))"),
        (b"PK\x03\x04\xff", "it is not JSON, or cut off ('utf-8' codec can't decode byte 0xff in position 4: "),
        (b'{"format": "proto', "it is not JSON, or cut off (Unterminated string starting at: line 1 column 12"),
        (b'{"format": NaN}', "it is not JSON, or cut off (it holds NaN, which is not a number in JSON)"),
        (b"[" * 100_000, "it is not JSON, or cut off (maximum recursion depth exceeded"),
        (b"9" * 5000, "it is not JSON, or cut off (Exceeds the limit (4300 digits)"),
        (b"[1, 2]", "its content must be an object, got [1, 2]"),
        (b"{}", 'format must be "protograph-explanation", got null'),
        (b'{"format": "other"}', 'format must be "protograph-explanation", got "other"'),
        (b'{"format": "protograph-explanation"}', "version must be a whole number, got null"),
        (b'{"format": "protograph-explanation", "version": true}', "version must be a whole number, got true"),
        (b'{"format": "protograph-explanation", "version": 0}', "version must be from 1 to 3, got 0"),
        (
            b'{"format": "protograph-explanation", "version": 1, "kind": []}',
            'kind must be "explanation" or "explanations", got []',
        ),
    ],
)
def test_files_that_are_something_else(content, problem, tmp_path, monkeypatch):
    assert message_of(content, tmp_path, monkeypatch).startswith(problem)


def test_a_newer_version_says_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "e.json").write_text('{"format": "protograph-explanation", "version": 4}')
    wanted = (
        r"^path must be an explanation file of version 3 or lower, got e\.json of version 4; "
        r"upgrade protograph, or save the explanation again with this release$"
    )
    with pytest.raises(ValueError, match=wanted):
        load("e.json")


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    path = tmp_path_factory.mktemp("good") / "e.json"
    one(options={"pair": (1,), "of": {1: 2}}).save(path)
    return json.loads(path.read_text())


GONE = object()
LONG = "x" * 50


def damaged_copy(document, where, value):
    """The document with another value at a place such as "prototypes.0.nodes", below its explanation."""
    damaged = copy.deepcopy(document)
    *parents, last = (int(name) if name.isdigit() else name for name in f"explanation.{where}".strip(".").split("."))
    place = damaged
    for name in parents:
        place = place[name]
    if value is GONE:
        del place[last]
    else:
        place[last] = value
    return damaged


@pytest.mark.parametrize(
    ("where", "value", "problem"),
    [
        ("", GONE, "must be an object, got null"),
        ("", 3, "must be an object, got 3"),
        ("target", "1", 'must be a whole number, got "1"'),
        ("target", 2, "must be in [0, 2), the number of class_names, got 2"),
        ("explainer", None, "must be text, got null"),
        ("explainer", {}, "must be text, got an object"),
        ("num_graphs", LONG, f'must be a whole number, got "{"x" * 36}...'),
        ("num_graphs", [0] * 9, "must be a whole number, got a list of 9"),
        ("class_names", "ab", 'must be a list, got "ab"'),
        ("class_names.1", 7, "must be text, got 7"),
        ("timings", [], "must be an object, got []"),
        ("timings.fit", True, "must be a number, got true"),
        ("timings.fit", 10**400, "must be a number of 64 bits, got 1000000000000000000000000000000000000..."),
        ("versions.torch", 2.4, "must be text, got 2.4"),
        ("confusion.0", [1], "explanation.confusion must have as many columns as rows (2), got others"),
        ("confusion.0.0", 1.5, "must be a whole number, got 1.5"),
        (
            "options.pair.tuple",
            GONE,
            "explanation.options.pair must be an object with one entry of float, tuple, dict, tensor, graph, got []",
        ),
        ("options.of.dict.0", [1], "must be a list of 2, got [1]"),
        (
            "options.of.dict.0.0",
            [],
            "explanation.options.of.dict must be pairs of a name and its value, got [[[], 2]]",
        ),
        ("embedding_map.clusters", [0], "must be a list of 2, one for each of indices, got [0]"),
        ("embedding_map.positions.shape", [4, 1], "must be [2, 2], one row for each of indices, got [4, 1]"),
        ("embedding_map.positions.dtype", "bfloat16", 'must be one of float64, got "bfloat16"'),
        ("embedding_map.explained", [1], "must be a list of 2, got [1]"),
        ("prototypes.0.probability", "hi", 'must be a number, got "hi"'),
        ("prototypes.0.nodes", [0, 1], "must be a list of 3, one for each node of graph, got [0, 1]"),
        ("prototypes.0.nodes.2", 4, "explanation.prototypes[0].nodes must be nodes of graph 17, got others"),
        (
            "prototypes.0.sources",
            [1],
            "explanation.prototypes[0].matches.shape must be [3, 1], nodes by sources, got [3, 2]",
        ),
        (
            "prototypes.0.matches.shape",
            [6],
            "explanation.prototypes[0].matches must be whole numbers of shape [num_nodes, num_sources], got others",
        ),
        (
            "prototypes.0.matches.data.0",
            2**63,
            "explanation.prototypes[0].matches.data must be int64 values of the shape [3, 2], got 6 that are not",
        ),
        (
            "prototypes.0.sessions.0.size",
            GONE,
            "explanation.prototypes[0].sessions[0] must have size, got an object without it",
        ),
        ("prototypes.0.sessions.0.is_exact", 1, "must be true or false, got 1"),
        ("prototypes.0.evidence", [], "must be an object, got []"),
        ("prototypes.0.evidence.num_class", 4.0, "must be a whole number, got 4.0"),
        ("prototypes.0.evidence.num_in_cluster", -1, "must be a whole number of at least 0, got -1"),
        ("prototypes.0.evidence.num_in_class", 5, "must be at most 4, which is num_class, got 5"),
        ("prototypes.0.evidence.num_elsewhere", 6, "must be at most 5, which is num_others, got 6"),
        ("prototypes.0.evidence.information", "nan", 'must be a finite number, got "nan"'),
        ("prototypes.0.evidence.contribution_share", "inf", 'must be a finite number, got "inf"'),
        ("prototypes.0.evidence.contribution_share", "all", 'must be a number, got "all"'),
        ("prototypes.0.evidence.contributions.1", "-inf", 'must be a finite number, got "-inf"'),
        (
            "prototypes.0.evidence.contributions",
            [1.0],
            "must be empty or a list of 3, one for each node of graph, got [1.0]",
        ),
        (
            "prototypes.0.evidence.node_sources",
            [1, 2],
            "must be empty or a list of 3, one for each node of graph, got [1, 2]",
        ),
        (
            "prototypes.0.evidence.edge_graphs",
            [1, 2, 3],
            "must be empty or a list of 2, one for each edge between different nodes of graph, got [1, 2, 3]",
        ),
        ("prototypes.0.evidence.edge_sources.0", True, "must be a whole number, got true"),
        ("prototypes.0.evidence.node_graphs.2", 4, "must be at most 3, which is num_looked_at, got 4"),
        ("prototypes.0.evidence.steps", "one", 'must be a list, got "one"'),
        ("prototypes.0.evidence.steps.1", 2, "must be text, got 2"),
        (
            "prototypes.0.graph.x.tensor.dtype",
            "object",
            "must be one of bool, uint8, uint16, uint32, uint64, int8, int16, int32, int64, float16, "
            'bfloat16, float32, float64, complex64, complex128, got "object"',
        ),
        (
            "prototypes.0.graph.x.tensor.dtype",
            "int64",
            "explanation.prototypes[0].graph.x.tensor.data[0] must be a whole number, got 1.0",
        ),
        (
            "prototypes.0.graph.x.tensor.shape",
            [3, 2],
            "explanation.prototypes[0].graph.x.tensor.data must be float32 values of the shape [3, "
            "2], got 9 that are not",
        ),
        (
            "prototypes.0.graph.x.tensor.shape",
            [-3, -3],
            "explanation.prototypes[0].graph.x.tensor.data must be float32 values of the shape [-3, "
            "-3], got 9 that are not",
        ),
        ("prototypes.0.graph.x.tensor.data.4", "one", 'must be a number, got "one"'),
        (
            "prototypes.0.graph.edge_index.tensor.data.0",
            3,
            "explanation.prototypes[0].graph.edge_index must join nodes 0 to 2, got node 3",
        ),
        (
            "prototypes.0.graph.edge_index.tensor.data.0",
            -1,
            "explanation.prototypes[0].graph.edge_index must join nodes 0 to 2, got node -1",
        ),
        (
            "prototypes.0.graph.edge_index.tensor.shape",
            [4, 2],
            "explanation.prototypes[0].graph.edge_index must be whole numbers of shape [2, num_edges], got others",
        ),
        (
            "prototypes.0.graph.x",
            GONE,
            "explanation.prototypes[0].graph.num_nodes must be a whole number of at least 0, unless "
            "x has a row for each node, got null",
        ),
        ("source_graphs", {}, "must be a list, got an object"),
        ("source_graphs.0.0", "a", 'must be a whole number, got "a"'),
        (
            "source_graphs.0.1.num_nodes",
            -1,
            "must be a whole number of at least 0, unless x has a row for each node, got -1",
        ),
        (
            "source_graphs.0.1.num_nodes",
            "four",
            'must be a whole number of at least 0, unless x has a row for each node, got "four"',
        ),
        (
            "options.pair",
            {"set": [1]},
            'must be an object with one entry of float, tuple, dict, tensor, graph, got ["set"]',
        ),
        ("options.pair.tuple", 3, "must be a list, got 3"),
        (
            "options.of.dict.0.0",
            [1],
            "explanation.options.of.dict must be pairs of a name and its value, got [[[1], 2]]",
        ),
        ("options.pair", {}, "must be an object with one entry of float, tuple, dict, tensor, graph, got []"),
        ("options.pair", {"float": "all"}, 'explanation.options.pair.float must be a number, got "all"'),
        ("options.pair", {"tensor": []}, "explanation.options.pair.tensor must be an object, got []"),
        (
            "prototypes.0.graph.x.tensor.shape",
            [-1],
            "explanation.prototypes[0].graph.x.tensor.data must be float32 values of the shape [-1], "
            "got 9 that are not",
        ),
        (
            "prototypes.0.graph.x.tensor",
            {"dtype": "uint8", "shape": [3], "data": [0, 1, -1]},
            "explanation.prototypes[0].graph.x.tensor.data must be uint8 values of the shape [3], got 3 that are not",
        ),
        (
            "prototypes.0.graph.x.tensor",
            {"dtype": "int64", "shape": [3], "data": [0, True, 1]},
            "explanation.prototypes[0].graph.x.tensor.data[1] must be a whole number, got true",
        ),
        (
            "prototypes.0.graph.x.tensor",
            {"dtype": "bool", "shape": [3], "data": [0, True, False]},
            "explanation.prototypes[0].graph.x.tensor.data[0] must be true or false, got 0",
        ),
        (
            "prototypes.0.graph.x.tensor",
            {"dtype": "complex64", "shape": [3], "data": [0.5, 1.5, 1.0]},
            "explanation.prototypes[0].graph.x.tensor.data must be complex64 values of the shape "
            "[3], got 3 that are not",
        ),
        (
            "prototypes.0.graph.x.tensor",
            {"dtype": "float32", "shape": [10**30, 0], "data": []},
            "explanation.prototypes[0].graph.x.tensor.data must be float32 values of the shape "
            "[1000000000000000000000000000000, 0], got 0 that are not",
        ),
        (
            "prototypes.0.graph.x.tensor",
            {"dtype": "float32", "shape": [], "data": [1.0]},
            "explanation.prototypes[0].graph.num_nodes must be a whole number of at least 0, unless "
            "x has a row for each node, got null",
        ),
        (
            "prototypes.0.graph.x.tensor.extra",
            1,
            'explanation.prototypes[0].graph.x.tensor must have no entries but dtype, shape, data, got "extra"',
        ),
        ("prototypes.0.graph", [], "must be an object, got []"),
        ("graph_predictions", [], "must be the class of each graph where there are reasons, got []"),
        (
            "graph_predictions.2",
            2,
            "explanation.graph_predictions must be below 2, the number of class_names, got 2",
        ),
        (
            "graph_predictions.2",
            1,
            "explanation.graph_predictions must be 1 for 4 graphs, which is num_predicted, got 5",
        ),
        (
            "num_graphs",
            8,
            "explanation.graph_predictions must be empty or a list of 8, one for each graph, got a list of 9",
        ),
        ("graph_parts", [0], "must be empty or a list of 9, one for each of graph_predictions, got [0]"),
        (
            "typical_uncovered.0",
            3,
            "explanation.typical_uncovered must be graphs of the class in which no reason holds, got [3]",
        ),
        ("reasons.0.has.0.kind", "all", 'must be "part" or "induced", got "all"'),
        (
            "reasons.0.has.0.closed.0",
            3,
            "explanation.reasons[0].has[0].closed must be nodes of graph, from 0 to 2 and ascending, got [3]",
        ),
        ("reasons.0.has.0.at_least", 0, "must be at least 1, got 0"),
        (
            "reasons.0.has.0.graph.num_nodes",
            4,
            "explanation.reasons[0].has[0].graph must be connected and have a node, got one that is not",
        ),
        ("reasons.0.has.0.feature_names", ["a"], 'must be empty or those of the explanation, got ["a"]'),
        ("reasons.1.unless.0.lacks.0.edge_names", ["a"], 'must be empty or those of the explanation, got ["a"]'),
        (
            "reasons.1.unless",
            [],
            "explanation.reasons[1].has must have a pattern where lacks and unless have none, got none",
        ),
        (
            "reasons.0.holds_in_indices.0",
            10**30,
            "explanation.reasons[0].holds_in_indices must be ascending and at least 0, got others",
        ),
        ("reasons.0.searched.num_in_class", 3, "must be in [0, 2], 2 being num_class, got 3"),
        ("reasons.0.holds_in_indices", [0, 3], "must be a list of 3, as many as the supports count, got [0, 3]"),
        (
            "reasons.0.holds_in_indices",
            [0, 1, 7],
            "explanation.reasons[0].searched must be what holds_in_indices comes to (num_in_class 2, num_class 2, "
            "num_elsewhere 0, num_others 1), got others",
        ),
        (
            "reasons.0.kept_apart",
            None,
            "explanation.reasons[0].holds_in_indices must be a list of 2, as many as the supports count, got [0, 3, 7]",
        ),
        (
            "reasons.1.kept_apart",
            None,
            "explanation.reasons[1].kept_apart must be what holds_in_indices comes to (num_in_class 0, num_class 1, "
            "num_elsewhere 0, num_others 2), got others",
        ),
        (
            "reasons.0.example.marked",
            [[0, 1, 2]],
            "must be lists of [3, 3] nodes, one for each place of each pattern of has, got others",
        ),
        ("reasons.0.example.nodes.3", 9, "explanation.reasons[0].example.nodes must be nodes of graph 17, got others"),
        ("prototypes.0.graph.edge_index", [[0], [1]], "must be whole numbers of shape [2, num_edges], got others"),
        ("prototypes.0.feature_names", ["a"], 'must be empty or those of the explanation, got ["a"]'),
        ("source_graphs.0", [17], "must be a list of 2, got [17]"),
        (
            "prototypes.0.graph.edge_index.tensor.dtype",
            "float32",
            "explanation.prototypes[0].graph.edge_index must be whole numbers of shape [2, num_edges], got others",
        ),
    ],
)
def test_every_damaged_field_is_named(where, value, problem, document, tmp_path, monkeypatch):
    """A problem that begins with "must" is that of the damaged place itself."""
    place = re.sub(r"\.(\d+)", r"[\1]", f"explanation.{where}".strip("."))
    wanted = f"{place} {problem}" if problem.startswith("must ") else problem
    content = json.dumps(damaged_copy(document, where, value)).encode()
    assert message_of(content, tmp_path, monkeypatch) == wanted


def places_of(value, path=()):
    """Every place of a JSON document but the document itself."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from places_of(item, (*path, key))


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
    | st.just("nan"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(TEXT | st.sampled_from(["tuple", "dict", "tensor", "graph", "float"]), inner, max_size=2)
    ),
    max_leaves=4,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_other_value_at_any_place_is_read_or_refused_with_a_message(data, document, tmp_path):
    damaged = copy.deepcopy(document)
    *parents, last = data.draw(st.sampled_from([*places_of(document["explanation"])]))
    place = damaged["explanation"]
    for name in parents:
        place = place[name]
    place[last] = data.draw(JSON)
    (tmp_path / "e.json").write_text(json.dumps(damaged))
    problem = frame = "path must be an explanation file that save wrote, got "
    try:
        load(tmp_path / "e.json").save(tmp_path / "f.json")
    except ValueError as error:
        problem = str(error)
    assert problem.startswith(frame)


def test_two_explanations_of_one_class_are_refused(document, tmp_path, monkeypatch):
    twice = document | {"kind": "explanations", "explanations": [document["explanation"]] * 2}
    problem = message_of(json.dumps(twice).encode(), tmp_path, monkeypatch)
    assert problem == "explanations must be of different classes, got [1, 1]"


def test_why_classes_have_no_explanation_comes_back(document, tmp_path, monkeypatch):
    saved = Explanations({1: one()}, not_explained={0: "no graph is predicted as it"})
    saved.save(tmp_path / "explanation.json")
    assert load(tmp_path / "explanation.json").not_explained == {0: "no graph is predicted as it"}
    several = {"kind": "explanations", "explanations": [document["explanation"]]}
    for entry, expected in (
        ([[1, "gone"]], "not_explained must be of classes that have no explanation, got [1]"),
        ([["a", "gone"]], 'not_explained[0][0] must be a whole number, got "a"'),
        (3, "not_explained must be a list, got 3"),
    ):
        content = json.dumps(document | several | {"not_explained": entry}).encode()
        assert message_of(content, tmp_path, monkeypatch) == expected


def test_deep_options_are_refused(document, tmp_path, monkeypatch):
    content = json.dumps(document).replace('"pair": {', '"deep": ' + "[" * 950 + "]" * 950 + ', "pair": {').encode()
    problem = message_of(content, tmp_path, monkeypatch)
    assert "too deeply" in problem or "recursion" in problem


def test_every_truncation_is_refused(document, tmp_path, monkeypatch):
    content = json.dumps(document).encode()
    for length in range(0, len(content), 97):
        assert message_of(content[:length], tmp_path, monkeypatch).startswith("it is not JSON, or cut off (")


def test_an_entry_that_is_missing_gets_the_default_of_its_field(document, tmp_path):
    short = copy.deepcopy(document)
    for name in ("evidence", "num_clusters", "feature_names"):
        del short["explanation"]["prototypes"][0][name]
    del short["explanation"]["model_calls"]
    (tmp_path / "e.json").write_text(json.dumps(short))
    explanation = load(tmp_path / "e.json")
    (prototype,) = explanation.prototypes
    assert explanation.model_calls is prototype.evidence is prototype.num_clusters is None
    assert prototype.feature_names == ()
    assert prototype.cluster_size == 312


def test_evidence_of_numpy_is_saved_and_none_is_written(tmp_path):
    counted = Evidence(
        num_in_class=np.int64(3),
        num_class=4,
        num_elsewhere=0,
        num_others=5,
        num_in_cluster=2,
        information=np.float32(0.5),
        node_graphs=tuple(np.array([1, 1, 1])),
        num_looked_at=1,
    )
    prototype = dataclasses.replace(one().prototypes[0], evidence=counted, num_clusters=np.int64(2))
    one(prototypes=[prototype]).save(tmp_path / "e.json")
    (again,) = load(tmp_path / "e.json").prototypes
    assert same(again.evidence, dataclasses.replace(
        counted, num_in_class=3, information=0.5, node_graphs=(1, 1, 1)
    ))  # fmt: skip
    one(prototypes=[dataclasses.replace(prototype, evidence=None, num_clusters=None)]).save(tmp_path / "e.json")
    written = json.loads((tmp_path / "e.json").read_text())["explanation"]["prototypes"][0]
    assert written["evidence"] is written["num_clusters"] is None


def test_every_field_is_written(document):
    explanation = document["explanation"]
    assert list(explanation) == [field.name for field in dataclasses.fields(Explanation)]
    assert list(explanation["prototypes"][0]) == [field.name for field in dataclasses.fields(Prototype)]
    assert list(explanation["prototypes"][0]["evidence"]) == [field.name for field in dataclasses.fields(Evidence)]


RECORDS = {
    "explanation": Explanation,
    "explanation.prototypes[0]": Prototype,
    "explanation.prototypes[0].sessions[0]": Session,
    "explanation.prototypes[0].evidence": Evidence,
    "explanation.embedding_map": EmbeddingMap,
    "explanation.reasons[0]": Reason,
    "explanation.reasons[0].searched": Support,
    "explanation.reasons[0].example": Example,
    "explanation.reasons[0].has[0]": Pattern,
}


@pytest.mark.parametrize("where", RECORDS)
def test_every_missing_and_every_further_entry_is_refused(where, document, tmp_path, monkeypatch):
    damaged = copy.deepcopy(document)
    record = damaged
    for step in where.replace("[0]", ".0").split("."):
        record = record[int(step) if step.isdigit() else step]
    for field in dataclasses.fields(RECORDS[where]):
        if field.default is field.default_factory is dataclasses.MISSING:
            value = record.pop(field.name)
            problem = message_of(json.dumps(damaged).encode(), tmp_path, monkeypatch)
            assert problem == f"{where} must have {field.name}, got an object without it"
            record[field.name] = value
    record["colour"] = 1
    names = ", ".join(field.name for field in dataclasses.fields(RECORDS[where]))
    problem = message_of(json.dumps(damaged).encode(), tmp_path, monkeypatch)
    assert problem == f'{where} must have no entries but {names}, got "colour"'
