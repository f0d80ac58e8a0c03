"""Explanations as JSON files: self-contained, versioned, and read without running anything they hold."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from os import PathLike
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from protograph._base.files import atomic_path
from protograph.explanation.checked_json import Field, Json, UnfitError, pack_number
from protograph.explanation.explanation import EmbeddingMap, Evidence, Explanation, Explanations, Prototype, Session
from protograph.explanation.graph_json import (
    INTEGERS,
    pack_graph,
    pack_tensor,
    pack_value,
    read_graph,
    read_tensor,
    read_value,
)

FORMAT = "protograph-explanation"
VERSION = 1

EVIDENCE_COUNTS = ("num_in_class", "num_class", "num_elsewhere", "num_others", "num_in_cluster", "num_looked_at")
NODE_COUNTS = ("node_sources", "node_graphs")
EDGE_COUNTS = ("edge_sources", "edge_graphs")


def save(explanation: Explanation | Explanations, path: str | PathLike[str]) -> None:
    """Write an explanation, or those of several classes, to a JSON file, whole or not at all.

    Of graphs, tensors, nested graphs, texts and numbers are kept. Options that JSON has no value for, such as a
    function, are kept by name.

    Args:
        explanation: What an explainer gave.
        path: The file; an existing one is replaced.

    Raises:
        TypeError: If ``explanation`` is something else.
        ValueError: If its parts contradict each other, so that :func:`load` would refuse the file.
        OSError: If the file cannot be written there.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "explanation.json"
    >>> explanation = Explanation(target=1, prototypes=(), explainer="PAGE", options={"budget": 5}, num_graphs=9,
    ...                           num_predicted=4, class_names=("no", "yes"))
    >>> save(explanation, path)
    >>> load(path).options
    {'budget': 5}
    """
    document: dict[str, Json] = {"format": FORMAT, "version": VERSION}
    if isinstance(explanation, Explanation):
        document |= {"kind": "explanation", "explanation": _pack_explanation(explanation)}
    elif isinstance(explanation, Explanations):
        items = [_pack_explanation(item) for item in explanation.values()]
        document |= {"kind": "explanations", "explanations": items}
    else:
        raise TypeError(f"explanation must be an Explanation or Explanations, got {type(explanation).__name__}")
    try:
        _read_document(Field(document))
    except UnfitError as error:
        raise ValueError(f"the explanation cannot be saved, since it could not be read again: {error}") from None
    text = json.dumps(document, allow_nan=False)
    with atomic_path(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")


def load(path: str | PathLike[str]) -> Explanation | Explanations:
    """Read what :func:`save` wrote.

    Args:
        path: The file.

    Returns:
        An :class:`Explanation` or :class:`Explanations`, whichever was saved.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If the file is damaged, or is something else.
    """
    path = Path(path)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {path}; give the path of a file that save wrote") from None
    try:
        document = json.loads(content, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise _unfit(path, f"it is not JSON, or cut off ({error})") from None
    if isinstance(document, dict) and document.get("format") == FORMAT:
        _check_version(document.get("version"), path)
    try:
        return _read_document(Field(document))
    except UnfitError as error:
        raise _unfit(path, str(error)) from None
    except RecursionError:
        raise _unfit(path, "its content is nested too deeply") from None


def _unfit(path: Path, problem: str) -> ValueError:
    return ValueError(
        f"path must be an explanation file that save wrote, got {path}: {problem}; save the explanation again"
    )


def _refuse_constant(name: str) -> Json:
    raise ValueError(f"it holds {name}, which JSON has not")


def _check_version(version: Json, path: Path) -> None:
    if type(version) is int and version > VERSION:
        raise ValueError(
            f"path must be an explanation file of version {VERSION} or lower, got {path} of version {version}; "
            f"upgrade protograph, or save the explanation again with this release"
        )


def _pack_explanation(explanation: Explanation) -> Json:
    graphs = [{"index": int(i), "graph": pack_graph(graph)} for i, graph in explanation.source_graphs.items()]
    confusion, embeddings = explanation.confusion, explanation.embedding_map
    # Written only where there are some: files of earlier releases do not have the entry.
    edge_names = [str(name) for name in explanation.edge_names]
    # Written only where there is something to write: files of the first version have neither.
    later = {"edge_names": edge_names or None, "model_calls": explanation.model_calls}
    return {key: value for key, value in later.items() if value is not None} | {
        "target": int(explanation.target),
        "prototypes": [_pack_prototype(prototype) for prototype in explanation.prototypes],
        "explainer": explanation.explainer,
        "options": {str(name): pack_value(value) for name, value in explanation.options.items()},
        "source_graphs": graphs,
        "num_graphs": int(explanation.num_graphs),
        "num_predicted": int(explanation.num_predicted),
        "class_names": [str(name) for name in explanation.class_names],
        "feature_names": [str(name) for name in explanation.feature_names],
        "feature_colors": [str(color) for color in explanation.feature_colors],
        "confusion": None if confusion is None else [[int(count) for count in row] for row in confusion],
        "embedding_map": None if embeddings is None else _pack_map(embeddings),
        "timings": {str(stage): pack_number(seconds) for stage, seconds in explanation.timings.items()},
        "versions": {str(package): str(version) for package, version in explanation.versions.items()},
        "warnings": [str(warning) for warning in explanation.warnings],
    }


def _pack_prototype(prototype: Prototype) -> Json:
    matches, evidence = prototype.matches, prototype.evidence
    # Written only where they are known: files of earlier releases have neither.
    later = {
        "num_clusters": None if prototype.num_clusters is None else int(prototype.num_clusters),
        "evidence": None if evidence is None else _pack_evidence(evidence),
    }
    return {key: value for key, value in later.items() if value is not None} | {
        "graph": pack_graph(prototype.graph),
        "probability": pack_number(prototype.probability),
        "margin": pack_number(prototype.margin),
        "cluster": None if prototype.cluster is None else int(prototype.cluster),
        "cluster_size": None if prototype.cluster_size is None else int(prototype.cluster_size),
        "sources": _pack_integers(prototype.sources),
        "source": None if prototype.source is None else int(prototype.source),
        "nodes": _pack_integers(prototype.nodes),
        "matches": None if matches is None else pack_tensor(matches),
        "sessions": [_pack_session(session) for session in prototype.sessions],
    }


def _pack_evidence(evidence: Evidence) -> Json:
    share = evidence.contribution_share
    return {name: int(getattr(evidence, name)) for name in EVIDENCE_COUNTS} | {
        "information": pack_number(evidence.information),
        **{name: _pack_integers(getattr(evidence, name)) for name in (*NODE_COUNTS, *EDGE_COUNTS)},
        "contributions": [pack_number(value) for value in evidence.contributions],
        "contribution_share": None if share is None else pack_number(share),
        "steps": [str(step) for step in evidence.steps],
    }


def _pack_session(session: Session) -> Json:
    return asdict(session) | {
        "start": _pack_integers(session.start),
        "probability": pack_number(session.probability),
        "margin": pack_number(session.margin),
        "size": int(session.size),
        "source": int(session.source),
        "num_iterations": int(session.num_iterations),
        "is_exact": bool(session.is_exact),
    }


def _pack_map(embeddings: EmbeddingMap) -> Json:
    return {
        "indices": _pack_integers(embeddings.indices),
        "positions": pack_tensor(torch.tensor(np.asarray(embeddings.positions, np.float64))),
        "clusters": _pack_integers(embeddings.clusters),
        "explained": [pack_number(share) for share in embeddings.explained],
    }


def _pack_integers(values: Sequence[int] | None) -> Json:
    return None if values is None else [int(value) for value in values]


def _read_document(document: Field) -> Explanation | Explanations:
    if document["format"].value != FORMAT:
        raise document["format"].unfit(f'"{FORMAT}"')
    if document["version"].integer() != VERSION:
        raise document["version"].unfit(str(VERSION))
    kind = document["kind"]
    if kind.value == "explanation":
        return _read_explanation(document["explanation"])
    if kind.value != "explanations":
        raise kind.unfit('"explanation" or "explanations"')
    items: dict[int, Explanation] = {}
    for field in document["explanations"].items():
        explanation = _read_explanation(field)
        if explanation.target in items:
            raise field["target"].unfit("a class of its own")
        items[explanation.target] = explanation
    return Explanations(items)


def _read_explanation(field: Field) -> Explanation:
    graphs = {item["index"].integer(): read_graph(item["graph"]) for item in field["source_graphs"].items()}
    class_names = field["class_names"].texts()
    if not 0 <= field["target"].integer() < len(class_names):
        raise field["target"].unfit(f"in [0, {len(class_names)}), the number of class_names")
    entries = field.entries()
    edge_names = field["edge_names"].texts() if "edge_names" in entries else ()
    return Explanation(
        target=field["target"].integer(),
        prototypes=[_read_prototype(item, graphs) for item in field["prototypes"].items()],
        explainer=field["explainer"].text(),
        options={name: read_value(value) for name, value in field["options"].entries().items()},
        source_graphs=graphs,
        num_graphs=field["num_graphs"].integer(),
        num_predicted=field["num_predicted"].integer(),
        class_names=class_names,
        feature_names=field["feature_names"].texts(),
        feature_colors=field["feature_colors"].texts(),
        edge_names=edge_names,
        model_calls=field["model_calls"].integer() if "model_calls" in entries else None,
        confusion=field["confusion"].optional(_read_confusion),
        embedding_map=field["embedding_map"].optional(_read_map),
        timings={stage: seconds.number() for stage, seconds in field["timings"].entries().items()},
        versions={package: version.text() for package, version in field["versions"].entries().items()},
        warnings=field["warnings"].texts(),
    )


def _read_prototype(field: Field, graphs: Mapping[int, Data]) -> Prototype:
    entries = field.entries()
    prototype = Prototype(
        graph=read_graph(field["graph"]),
        probability=field["probability"].number(),
        margin=field["margin"].number(),
        cluster=field["cluster"].optional(Field.integer),
        cluster_size=field["cluster_size"].optional(Field.integer),
        sources=field["sources"].optional(_read_list),
        source=field["source"].optional(Field.integer),
        nodes=field["nodes"].optional(_read_list),
        matches=field["matches"].optional(_read_matches),
        sessions=[_read_session(item) for item in field["sessions"].items()],
        evidence=_read_evidence(field["evidence"]) if "evidence" in entries else None,
        num_clusters=field["num_clusters"].integer() if "num_clusters" in entries else None,
    )
    _check_prototype(prototype, field, graphs)
    return prototype


def _check_prototype(prototype: Prototype, field: Field, graphs: Mapping[int, Data]) -> None:
    count = prototype.num_nodes
    if prototype.nodes is not None:
        if len(prototype.nodes) != count:
            raise field["nodes"].unfit(f"a list of {count}, one for each node of graph")
        whole = graphs.get(prototype.source) if prototype.source is not None else None
        if whole is not None and not all(0 <= node < (whole.num_nodes or 0) for node in prototype.nodes):
            raise UnfitError(f"{field['nodes'].where} must be nodes of graph {prototype.source}, got others")
    if prototype.matches is not None:
        wanted = [count, prototype.matches.size(1) if prototype.sources is None else len(prototype.sources)]
        if list(prototype.matches.shape) != wanted:
            raise field["matches"]["shape"].unfit(f"{wanted}, nodes by sources")
    if prototype.evidence is not None:
        _check_evidence(prototype.evidence, field["evidence"], count, len(prototype.edges))


def _check_evidence(evidence: Evidence, field: Field, num_nodes: int, num_edges: int) -> None:
    """Raise unless there is a figure for each node and edge, where there are any, and no part exceeds its whole."""
    sizes = dict.fromkeys((*NODE_COUNTS, "contributions"), (num_nodes, "node"))
    sizes |= dict.fromkeys(EDGE_COUNTS, (num_edges, "edge between different nodes"))
    for name, (size, what) in sizes.items():
        if len(getattr(evidence, name)) not in (0, size):
            raise field[name].unfit(f"empty or a list of {size}, one for each {what} of graph")
    for part, whole in (("num_in_class", "num_class"), ("num_elsewhere", "num_others")):
        if getattr(evidence, part) > getattr(evidence, whole):
            raise field[part].unfit(f"at most {getattr(evidence, whole)}, which is {whole}")
    for name in ("node_graphs", "edge_graphs"):
        for item in field[name].items():
            if item.integer() > evidence.num_looked_at:
                raise item.unfit(f"at most {evidence.num_looked_at}, which is num_looked_at")


def _read_list(field: Field) -> list[int]:
    return list(field.integers())


def _read_matches(field: Field) -> Tensor:
    matches = read_tensor(field)
    if matches.dim() != 2 or field["dtype"].value not in INTEGERS:
        raise UnfitError(f"{field.where} must be whole numbers of shape [num_nodes, num_sources], got others")
    return matches


def _read_evidence(field: Field) -> Evidence:
    # One by one, so that a type checker knows them.
    return Evidence(
        num_in_class=_read_count(field["num_in_class"]),
        num_class=_read_count(field["num_class"]),
        num_elsewhere=_read_count(field["num_elsewhere"]),
        num_others=_read_count(field["num_others"]),
        num_in_cluster=_read_count(field["num_in_cluster"]),
        information=_read_finite(field["information"]),
        node_sources=_read_counts(field["node_sources"]),
        edge_sources=_read_counts(field["edge_sources"]),
        node_graphs=_read_counts(field["node_graphs"]),
        edge_graphs=_read_counts(field["edge_graphs"]),
        num_looked_at=_read_count(field["num_looked_at"]),
        contributions=tuple(_read_finite(item) for item in field["contributions"].items()),
        contribution_share=field["contribution_share"].optional(_read_finite),
        steps=field["steps"].texts(),
    )


def _read_count(field: Field) -> int:
    count = field.integer()
    if count < 0:
        raise field.unfit("a whole number of at least 0")
    return count


def _read_counts(field: Field) -> tuple[int, ...]:
    return tuple(_read_count(item) for item in field.items())


def _read_finite(field: Field) -> float:
    number = field.number()
    if not math.isfinite(number):
        raise field.unfit("a finite number")
    return number


def _read_session(field: Field) -> Session:
    return Session(
        start=field["start"].integers(),
        probability=field["probability"].number(),
        margin=field["margin"].number(),
        size=field["size"].integer(),
        source=field["source"].integer(),
        stopped=field["stopped"].text(),
        num_iterations=field["num_iterations"].integer(),
        is_exact=field["is_exact"].of(bool, "true or false"),
    )


def _read_confusion(field: Field) -> tuple[tuple[int, ...], ...]:
    rows = tuple(row.integers() for row in field.items())
    if any(len(row) != len(rows) for row in rows):
        raise UnfitError(f"{field.where} must have as many columns as rows ({len(rows)}), got others")
    return rows


def _read_map(field: Field) -> EmbeddingMap:
    indices, clusters = field["indices"].integers(), field["clusters"].integers()
    if field["positions"]["dtype"].value != "float64":
        raise field["positions"]["dtype"].unfit('"float64"')
    positions = read_tensor(field["positions"]).numpy()
    explained = [item.number() for item in field["explained"].items()]
    if len(clusters) != len(indices):
        raise field["clusters"].unfit(f"a list of {len(indices)}, one for each of indices")
    if positions.shape != (len(indices), 2):
        raise field["positions"]["shape"].unfit(f"[{len(indices)}, 2], one row for each of indices")
    if len(explained) != 2:
        raise field["explained"].unfit("a list of 2")
    return EmbeddingMap(indices, positions, clusters, (explained[0], explained[1]))
