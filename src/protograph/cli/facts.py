"""What scripts are told of a prototype's graphs, in the JSON of several commands."""

from dataclasses import asdict
from typing import Any

from protograph.explanation import Explanation, Prototype


def source_facts(explanation: Explanation, prototype: Prototype) -> dict[str, Any]:
    """Indices of the graphs that a prototype was found in, among those explained, and where each came from.

    ``source`` and ``sources`` are indices; ``origin`` and ``origins``, in the same order, are places in the user's own
    data, with line, file, name and SMILES.
    """

    def origin(index: int | None) -> dict[str, Any] | None:
        known = None if index is None else explanation.origins.get(index)
        return None if known is None else asdict(known)

    return {
        "source": prototype.source,
        "origin": origin(prototype.source),
        "sources": prototype.sources,
        "origins": None if prototype.sources is None else [origin(index) for index in prototype.sources],
    }
