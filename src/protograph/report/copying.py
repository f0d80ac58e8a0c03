"""A pattern as text to be copied: SMILES, SMARTS, JSON and Python."""

import json
from collections.abc import Mapping
from typing import Any

from torch import Tensor
from torch_geometric.data import Data

from protograph.explanation import Pattern, Prototype, Reason
from protograph.explanation.prototype import smarts_of, smiles_of
from protograph.molecules.smarts import to_smarts


def prototype_texts(prototype: Prototype) -> dict[str, str]:
    """What a prototype is copied as, by the name of the form; those that it has none of are left out."""
    texts = {"SMILES": smiles_of(prototype) or "", "SMARTS": smarts_of(prototype) or ""}
    return {**{name: text for name, text in texts.items() if text}, **graph_texts(prototype.graph)}


def reason_texts(reason: Reason) -> dict[str, str]:
    """The same of a reason: SMARTS where all that it asks for is one pattern that can be said so, and its patterns."""
    patterns = {"has": reason.has, "lacks": reason.lacks}
    if not reason.patterns:
        return {}
    is_one = len(reason.has) == 1 and not reason.lacks and not reason.unless
    smarts = _smarts(reason.has[0]) if is_one else ""
    parts = {name: [_asked(pattern) for pattern in some] for name, some in patterns.items()}
    code = ["import torch", "from torch_geometric.data import Data", "", "# Each pattern, and how it is asked for."]
    for name, some in patterns.items():
        code += [f"{name} = [", *(f"    {_asked_code(pattern)}," for pattern in some), "]"]
    texts = {"JSON": json.dumps(parts), "Python": "\n".join(code)}
    return {**({"SMARTS": smarts} if smarts else {}), **texts}


def _asked(pattern: Pattern) -> dict[str, Any]:
    how = {"kind": pattern.kind, "closed": list(pattern.closed), "at_least": pattern.at_least}
    return {**_arrays(pattern.graph), **how}


def _asked_code(pattern: Pattern) -> str:
    how = {"kind": pattern.kind, "closed": pattern.closed, "at_least": pattern.at_least}
    return f"({_call(_arrays(pattern.graph))}, {how!r})"


def _smarts(pattern: Pattern) -> str:
    # What SMARTS cannot say here: closed nodes, chords that must not be there, and how often.
    if not pattern.are_nodes_matched or pattern.closed or pattern.is_induced or pattern.at_least > 1:
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
    parts = _arrays(graph)
    lines = [f"    {key}={_python(value)}," for key, value in parts.items()]
    code = ["import torch", "from torch_geometric.data import Data", "", "graph = Data(", *lines, ")"]
    return {"JSON": json.dumps(parts), "Python": "\n".join(code)}


def _arrays(graph: Data) -> dict[str, Any]:
    parts: dict[str, Any] = {"num_nodes": int(graph.num_nodes or 0)}
    for key in ("x", "edge_index", "edge_attr", "pos"):
        value = graph.get(key)
        if isinstance(value, Tensor) and not value.is_complex():
            parts[key] = value.tolist()
    return parts


def _call(parts: Mapping[str, Any]) -> str:
    return f"Data({', '.join(f'{key}={_python(value)}' for key, value in parts.items())})"


def _python(value: Any) -> str:
    return f"torch.tensor({value!r})" if isinstance(value, list) else repr(value)
