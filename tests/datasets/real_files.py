"""What the tests of data sets read from files share."""

import os
from functools import cache
from pathlib import Path

import networkx as nx
import pytest

from protograph import datasets


def needs(relative):
    """Skip where ``PROTOGRAPH_DATA`` names no folder with the file."""
    folder = os.environ.get("PROTOGRAPH_DATA")
    is_there = bool(folder) and (Path(folder) / relative).is_file()
    return pytest.mark.skipif(not is_there, reason=f"PROTOGRAPH_DATA names no folder with {relative}")


@cache
def whole(name):
    """A data set of real files, read once a process: nobody may change it."""
    return datasets.load(name)


def typed(graph):
    result = nx.Graph()
    result.add_nodes_from((node, {"atom": atom}) for node, atom in enumerate(graph.x.argmax(dim=1).tolist()))
    result.add_edges_from(graph.edge_index.T.tolist())
    return result


def contains(graph, part):
    """Whether the part is a subgraph, induced or not, with equal atoms, by an independent search."""
    matcher = nx.isomorphism.GraphMatcher(typed(graph), typed(part), node_match=lambda a, b: a == b)
    return matcher.subgraph_is_monomorphic()


def directed_edges(dataset):
    """All edges of all graphs as ``(graph, from, to)``."""
    return [(number, u, v) for number, graph in enumerate(dataset) for u, v in graph.edge_index.T.tolist()]


def find(relative):
    """Path of a real file."""
    return Path(os.environ["PROTOGRAPH_DATA"]) / relative
