"""What evidence must say, worked out with networkx and RDKit; nothing here is shared with the library's counting."""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

import networkx as nx
import torch
from rdkit import Chem
from torch_geometric.data import Data

SIGNS = {"single": "-", "double": "=", "triple": "#", "aromatic": ":"}
# Parts of a prototype to try in graphs without it; beyond, its nodes and edges are not looked up.
MAX_TRIES = 4_000
MAX_EDGES = 8


def as_networkx(graph: Data, nodes, edges) -> nx.Graph:
    """Nodes and edges with what they are told apart by: edges with what they hold there and back, as one pair.

    Args:
        graph: The graph.
        nodes: What nodes are told apart by, a :class:`~protograph.graphs.conditions.Reading`.
        edges: The same of edges; which way they go is left out.
    """
    result = nx.Graph()
    result.add_nodes_from((node, {"kind": _codes(graph, nodes, node)}) for node in range(graph.num_nodes))
    held: dict[tuple[int, int], tuple] = {}
    for number, (u, v) in enumerate(graph.edge_index.T.tolist()):
        held.setdefault((u, v), _codes(graph, edges, number))
    for (u, v), row in held.items():
        if u != v:
            result.add_edge(u, v, kind=tuple(sorted((row, held.get((v, u), row)))))
    return result


def _codes(graph: Data, reading, place: int) -> tuple:
    if reading.rows:
        return () if graph.get(reading.rows) is None else tuple(graph[reading.rows][place].reshape(-1).tolist())
    return tuple(code(one, graph[one.key][place].reshape(-1).tolist()) for one in reading.variables if one.places)


def code(variable, row: Sequence[float]) -> float:
    """What a row is by a variable: the place of the 1, a whole number, or the lower bound of the bin."""
    own = [float(row[place]) for place in variable.places]
    if variable.kind == "one-hot":
        return own.index(max(own)) if max(own) > 0 else -1
    if variable.kind == "continuous":
        bounds = [-math.inf, *variable.cuts]
        return bounds[-1] if math.isnan(own[0]) else bounds[bisect_right(variable.cuts, own[0])]
    return own[0]


def has_pattern(whole: nx.Graph, pattern) -> bool:
    """Whether a graph has a pattern somewhere, as a part: nodes and edges meet all of their conditions.

    Args:
        whole: The graph as :func:`as_networkx` has it by the readings of the pattern.
        pattern: The pattern, which asks for no direction, no closed nodes, and no second place.
    """
    part = nx.Graph()
    readings = pattern.node_reading, pattern.edge_reading
    nodes, edges = ([one.name for one in reading.variables if one.places] for reading in readings)
    part.add_nodes_from((node, {"asked": asked}) for node, asked in enumerate(pattern.of_nodes))
    part.add_edges_from((u, v, {"asked": pattern.of_edges[u, v]}) for u, v in pattern.edges)
    matcher = nx.isomorphism.GraphMatcher(
        whole,
        part,
        node_match=lambda has, wanted: _meets(has["kind"], wanted["asked"], nodes),
        edge_match=lambda has, wanted: any(_meets(row, wanted["asked"], edges) for row in has["kind"]),
    )
    return matcher.subgraph_is_monomorphic()


def _meets(codes: tuple, asked, names: Sequence[str]) -> bool:
    return all((one.low <= codes[names.index(one.variable)] <= one.high) != one.is_not for one in asked)


def contains(whole: nx.Graph, part: nx.Graph) -> bool:
    """Whether the part lies in the whole, not necessarily with all edges between its nodes."""
    if any(_kinds(part, of)[kind] > _kinds(whole, of)[kind] for of in ("nodes", "edges") for kind in _kinds(part, of)):
        return False
    same = nx.isomorphism.categorical_node_match("kind", None), nx.isomorphism.categorical_edge_match("kind", None)
    matcher = nx.isomorphism.GraphMatcher(whole, part, node_match=same[0], edge_match=same[1])
    return matcher.subgraph_is_monomorphic()


def _kinds(graph: nx.Graph, of: str) -> Counter:
    if of == "nodes":
        return Counter(kind for _, kind in graph.nodes(data="kind"))
    kind_of = dict(graph.nodes(data="kind"))
    return Counter((*sorted((kind_of[u], kind_of[v])), kind) for u, v, kind in graph.edges(data="kind"))


def information(inside: float, outside: float) -> float:
    """Mutual information in bits of "has it" and "is of the cluster", both sides equally likely; signed."""
    bits = 0.0
    for a, b in ((inside, outside), (1 - inside, 1 - outside)):
        bits += sum(0.5 * share * math.log2(share / ((a + b) / 2)) for share in (a, b) if share > 0)
    return bits if inside >= outside else -bits


def wilson(number: int, total: int) -> tuple[float, float]:
    """Wilson's interval of a share, at 95%."""
    z, share = 1.959963984540054, number / total
    middle, scale = share + z * z / (2 * total), 1 + z * z / total
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return (middle - half) / scale, (middle + half) / scale


def scores(model, graphs: Sequence[Data]) -> torch.Tensor:
    """Log probabilities of each graph by itself, straight from the model."""
    rows = []
    with torch.no_grad():
        for graph in graphs:
            x = torch.ones(graph.num_nodes, 1) if graph.x is None else graph.x
            rows.append(model(x, graph.edge_index, torch.zeros(graph.num_nodes, dtype=torch.long))[0].double())
    return torch.stack(rows).log_softmax(dim=1)


def largest_parts(part: nx.Graph, wholes: Sequence[nx.Graph]) -> list[tuple[int, set, set, set, set]] | None:
    """Of the connected parts of a prototype with the most nodes and edges in each graph: size, and what they hold.

    For each graph: nodes and edges together, nodes that all of these parts have, those that some have, and the same of
    edges. ``None`` where there is too much to try.
    """
    if part.size() > MAX_EDGES or len(wholes) * 2 ** part.size() > MAX_TRIES:
        return None
    parts = sorted(_connected_parts(part), key=lambda one: -(len(one) + one.size()))
    return [_largest(parts, whole) for whole in wholes]


def _connected_parts(part: nx.Graph) -> Iterator[nx.Graph]:
    for node in part:
        yield part.subgraph([node])
    for number in range(1, part.size() + 1):
        for edges in combinations(part.edges, number):
            one = part.edge_subgraph(edges)
            if nx.is_connected(one):
                yield one


def _largest(parts: Sequence[nx.Graph], whole: nx.Graph) -> tuple[int, set, set, set, set]:
    size, best = 0, []
    for one in parts:
        own = len(one) + one.size()
        if own < size:
            break
        if contains(whole, one):
            size = own
            best.append(one)
    nodes = [set(one) for one in best]
    edges = [{tuple(sorted(edge)) for edge in one.edges} for one in best]
    if not best:
        return 0, set(), set(), set(), set()
    return size, set.intersection(*nodes), set.union(*nodes), set.intersection(*edges), set.union(*edges)


def molecule(graph: Data, symbols: Sequence[str], bonds: Sequence[str]) -> Chem.Mol:
    """A graph's molecule as it is; hydrogens are atoms where they are nodes."""
    result = Chem.RWMol()
    for column in graph.x.argmax(dim=1).tolist():
        result.AddAtom(Chem.Atom(symbols[column]))
    for (u, v), row in zip(graph.edge_index.T.tolist(), graph.edge_attr.tolist(), strict=True):
        if u < v:
            kind = getattr(Chem.BondType, bonds[row.index(1)].upper())
            number = result.AddBond(u, v, kind) - 1
            if kind == Chem.BondType.AROMATIC:
                result.GetBondWithIdx(number).SetIsAromatic(True)
                for node in (u, v):
                    result.GetAtomWithIdx(node).SetIsAromatic(True)
    result.UpdatePropertyCache(strict=False)
    Chem.FastFindRings(result)
    return result.GetMol()


def query(graph: Data, symbols: Sequence[str], bonds: Sequence[str], is_matched: bool) -> Chem.Mol:
    """A prototype as a query of RDKit, every bond written as the closure of a ring."""
    number_of = Chem.GetPeriodicTable().GetAtomicNumber
    atoms = [f"[#{number_of(symbols[column])}]" for column in graph.x.argmax(dim=1).tolist()]
    closure = 10
    for (u, v), row in zip(graph.edge_index.T.tolist(), graph.edge_attr.tolist(), strict=True):
        if u < v:
            sign = SIGNS[bonds[row.index(1)].lower()] if is_matched else "~"
            atoms[u] += f"{sign}%{closure}"
            atoms[v] += f"{sign}%{closure}"
            closure += 1
    return Chem.MolFromSmarts(".".join(atoms))


def is_molecular(graphs: Sequence[Data], symbols: Sequence[str], bonds: Sequence[str]) -> bool:
    """Whether all nodes are atoms of one element and all edges bonds of one type, by the names of their columns."""
    known = {Chem.GetPeriodicTable().GetElementSymbol(number) for number in range(1, 119)}
    if graphs[0].edge_attr is None or not symbols or not bonds:
        return False
    atoms = {symbols[column] for graph in graphs for column in graph.x.argmax(dim=1).tolist()}
    types = {bonds[row.index(1)].lower() for graph in graphs for row in graph.edge_attr.tolist()}
    return atoms <= known and types <= set(SIGNS)


def same_as(text: str, graph: Data, symbols: Sequence[str], bonds: Sequence[str]) -> bool:
    """Whether a SMILES, hydrogens and all, has the atoms and bonds of a graph."""
    options = Chem.SmilesParserParams()
    options.sanitize = options.removeHs = False
    read = Chem.MolFromSmiles(text, options)
    ours = molecule(graph, symbols, bonds)
    return read is not None and nx.is_isomorphic(
        _of_molecule(read), _of_molecule(ours), node_match=lambda a, b: a == b, edge_match=lambda a, b: a == b
    )


def _of_molecule(read: Chem.Mol) -> nx.Graph:
    result = nx.Graph()
    result.add_nodes_from((atom.GetIdx(), {"symbol": atom.GetSymbol()}) for atom in read.GetAtoms())
    for bond in read.GetBonds():
        result.add_edge(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), kind=str(bond.GetBondType()))
    return result
