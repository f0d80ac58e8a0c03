"""A pattern as text to be copied: SMILES, SMARTS, JSON and Python."""

import json
from typing import Any

from torch import Tensor
from torch_geometric.data import Data

from protograph.explanation import Pattern, Prototype
from protograph.explanation.figures import smarts_of, smiles_of
from protograph.molecules.smarts import to_smarts


def prototype_texts(prototype: Prototype) -> dict[str, str]:
    """What a prototype is copied as, by the name of the form; those that it has none of are left out."""
    texts = {"SMILES": smiles_of(prototype) or "", "SMARTS": smarts_of(prototype) or ""}
    return {**{name: text for name, text in texts.items() if text}, **graph_texts(prototype.graph)}


def pattern_texts(pattern: Pattern) -> dict[str, str]:
    """The same of a pattern of a reason."""
    smarts = _smarts(pattern)
    return {**({"SMARTS": smarts} if smarts else {}), **graph_texts(pattern.graph)}


def _smarts(pattern: Pattern) -> str:
    # What SMARTS cannot say here: closed nodes, chords that must not be there, and how often.
    if not pattern.are_nodes_matched or pattern.closed or pattern.is_induced:
        return ""
    try:
        return to_smarts(*pattern.named, pattern.edge_rule)
    except (ImportError, ValueError):
        return ""


def graph_texts(graph: Data) -> dict[str, str]:
    """A graph as JSON and as Python.

    >>> import torch
    >>> texts = graph_texts(Data(x=torch.eye(2), edge_index=torch.tensor([[0, 1], [1, 0]])))
    >>> texts["JSON"]
    '{"num_nodes": 2, "x": [[1.0, 0.0], [0.0, 1.0]], "edge_index": [[0, 1], [1, 0]]}'
    >>> print(texts["Python"])
    import torch
    from torch_geometric.data import Data
    <BLANKLINE>
    graph = Data(
        num_nodes=2,
        x=torch.tensor([[1.0, 0.0], [0.0, 1.0]]),
        edge_index=torch.tensor([[0, 1], [1, 0]]),
    )
    """
    parts: dict[str, Any] = {"num_nodes": int(graph.num_nodes or 0)}
    for key in ("x", "edge_index", "edge_attr", "pos"):
        value = graph.get(key)
        if isinstance(value, Tensor) and not value.is_complex():
            parts[key] = value.tolist()
    lines = [f"    {key}={_python(value)}," for key, value in parts.items()]
    code = ["import torch", "from torch_geometric.data import Data", "", "graph = Data(", *lines, ")"]
    return {"JSON": json.dumps(parts), "Python": "\n".join(code)}


def _python(value: Any) -> str:
    return f"torch.tensor({value!r})" if isinstance(value, list) else repr(value)
