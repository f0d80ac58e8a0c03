"""What the nodes and edges of a pattern are called: by their conditions, all of them, and by nothing else."""

import math
from dataclasses import dataclass

import numpy as np

from protograph._utils.words import clean_name, listed, number_word
from protograph.explanation.pattern import Pattern, noun_of
from protograph.graphs.conditions import Condition, Conditions, Reading
from protograph.graphs.elements import COUNTABLE, OTHER, SYMBOLS, element_name
from protograph.graphs.variables import DIRECTION, ONE_HOT, WAYS, Variable, in_digits
from protograph.molecules.smarts import SIGNS

# Signs of an edge in a formula by the way it goes, as seen from the node before it.
_ARROWS = {-1: "<-", 0: "<->", 1: "->"}
# Columns of molecules that have words of their own, by the names that PyG gives them, in the order of these words.
CHARGE, HYBRIDIZATION, HYDROGENS = "formal_charge", "hybridization", "num_hs"
FLAGS = {"is_aromatic": ("non-aromatic", "aromatic"), "is_in_ring": ("non-ring", "ring")}
ADJECTIVES = (CHARGE, "is_aromatic", HYBRIDIZATION, "is_in_ring")
CALLED = {CHARGE: "charge", "atomic_num": "element"}


@dataclass(frozen=True)
class NodeWords:
    """A kind of nodes: what one is called, what several are, and in short; all nodes alike have no short name."""

    one: str = "node"
    several: str = "nodes"
    short: str = ""


@dataclass(frozen=True)
class KindWords:
    """The kinds of a pattern in words.

    Attributes:
        nodes: Of each node.
        edges: Of each edge, by its two nodes, ascending; the empty text where nothing is asked.
        are_atoms: Whether it is of a molecule.
        arrows: The sign of each edge that goes a certain way, by its two nodes; empty where no direction is asked.
    """

    nodes: tuple[NodeWords, ...]
    edges: dict[tuple[int, int], str]
    are_atoms: bool
    arrows: dict[tuple[int, int], str]

    @property
    def edge_noun(self) -> str:
        """What an edge is called."""
        return "bond" if self.are_atoms else "edge"

    def sign(self, first: int, second: int) -> str:
        """An edge between two nodes in a formula."""
        name = self.edges[min(first, second), max(first, second)]
        arrow = self.arrows.get((first, second), "-")
        if not name:
            return arrow
        shown = name[1:-1] if name.startswith("(") else name
        return SIGNS[name] if self.are_atoms and name in SIGNS and arrow == "-" else f"-[{shown}]{arrow}"


def kind_words(pattern: Pattern) -> KindWords:
    """What the nodes and edges of a pattern are called."""
    noun = pattern.node_reading.noun
    ways = {one.name for one in pattern.edge_reading.variables if one.kind == DIRECTION}
    arrows = {
        ends: _arrow(told)
        for ends, own in pattern.of_edges.items()
        if (told := [one for one in own if one.variable in ways])
    }
    edges = {
        ends: _edge(tuple(one for one in pattern.of_edges[ends] if one.variable not in ways), pattern.edge_reading)
        for ends in pattern.edges
    }
    nodes = tuple(_node(own, pattern.node_reading) for own in pattern.of_nodes)
    is_atom = [noun is not None and noun_of(own, noun) is not None for own in pattern.of_nodes]
    return KindWords(nodes, edges, noun is not None and noun.are_elements and all(is_atom), arrows)


def is_told_by_nouns(pattern: Pattern) -> bool:
    """Whether each node is told by what it is called, or by nothing at all, and nothing is asked of edges."""
    noun = pattern.node_reading.noun

    def is_name(conditions: Conditions) -> bool:
        code = None if noun is None else noun_of(conditions, noun)
        return len(conditions) == 1 and noun is not None and code is not None and noun.word(code) == noun.label(code)

    return all(not own or is_name(own) for own in pattern.of_nodes) and not any(pattern.of_edges.values())


def _arrow(conditions: list[Condition]) -> str:
    """The sign of an edge that goes one of some ways."""
    fitting = {way: name for way, name in WAYS if all(one.holds(np.array(float(way))) for one in conditions)}
    return _ARROWS[min(fitting)] if len(fitting) == 1 else f"-[{' or '.join(fitting.values()) or 'no way'}]-"


def _node(conditions: Conditions, reading: Reading) -> NodeWords:
    """A node by its noun, with adjectives before it and everything else in brackets behind."""
    told, noun, base = [(one, reading.variable(one.variable)) for one in conditions], reading.noun, NodeWords()
    code = None if noun is None else noun_of(conditions, noun)
    if noun is not None and code is not None and noun.name not in (*ADJECTIVES, HYDROGENS):
        base = _noun(noun, code)
        told = [(one, variable) for one, variable in told if variable != noun]
        hydrogens = [place for place, one in enumerate(told) if base.short in SYMBOLS and _hydrogens(*one) > 0]
        if noun.are_elements and hydrogens:  # as a chemist calls it
            number = _hydrogens(*told.pop(hydrogens[0]))
            name = f"{base.short}H{number if number > 1 else ''}"
            base = NodeWords(f"{name} group", f"{name} groups", name)
    told = sorted(told, key=lambda one: ADJECTIVES.index(one[1].name) if one[1].name in ADJECTIVES else len(ADJECTIVES))
    before, behind = [word for one in told if (word := _adjective(*one))], [one for one in told if not _adjective(*one)]
    words = listed([condition_words(*one) for one in behind])
    short = "; ".join([*before, *(condition_words(*one, is_short=True) for one in behind)])
    one, several = (" ".join([*before, name, *([f"({words})"] if words else [])]) for name in (base.one, base.several))
    return NodeWords(one, several, f"{base.short}[{short}]" if short else base.short)


def _adjective(condition: Condition, variable: Variable) -> str:
    """What is said of a condition before a noun; empty where there is no word for it."""
    value = _value(variable, condition.low) if condition.is_single else ""
    if value and variable.name in FLAGS and variable.is_flag:
        return FLAGS[variable.name][(value.lower() == "true") != condition.is_not]
    if variable.name == HYBRIDIZATION and value.startswith("SP"):
        return f"{'non-' if condition.is_not else ''}{value.lower()}"
    return "uncharged" if variable.name == CHARGE and value == "0" and not condition.is_not else ""


def _hydrogens(condition: Condition, variable: Variable) -> int:
    """How many hydrogens an atom must have; -1 where that is not just one number."""
    value = _value(variable, condition.low)
    is_told = variable.name == HYDROGENS and condition.is_single and not condition.is_not and value.isdecimal()
    return int(value) if is_told else -1


def _noun(variable: Variable, code: float) -> NodeWords:
    label, word = variable.label(code), variable.word(code)
    is_other = variable.kind == ONE_HOT and OTHER not in dict(variable.labels).values()
    if variable.are_elements and (label is not None or is_other):
        name = label or OTHER
        element = element_name(name)
        several = f"{element}s" if name in COUNTABLE else f"{element} atoms"
        return NodeWords(element if name != OTHER else f"{element} atom", several, name)
    shown = clean_name(word)
    if label == word:
        return NodeWords(f"{shown} node", f"{shown} nodes", shown)
    return NodeWords(f"node of {shown}", f"nodes of {shown}", shown)


def _value(variable: Variable, code: float) -> str:
    """A value as it is called, else in digits."""
    if variable.kind == ONE_HOT and code < 0:
        return "none"
    label = clean_name(variable.label(code) or in_digits(code))
    return f"+{label}" if variable.name == CHARGE and label.isdecimal() and label != "0" else label


def condition_words(condition: Condition, variable: Variable, *, is_short: bool = False) -> str:
    """A condition in words, its values as they are compared.

    >>> condition_words(Condition(variable="degree", low=3.0), Variable(name="degree", key="x"))
    'degree of at least 3'
    >>> condition_words(Condition(variable="num_hs", high=1.0), Variable(name="num_hs", key="x"))
    'at most one hydrogen'
    """
    name, no = CALLED.get(variable.name, clean_name(variable.name)), "not " if condition.is_not else ""
    if variable.is_quantity:
        return f"{no}{variable.between(condition.low, condition.high, is_short=is_short)}"
    low, high = ("" if math.isinf(end) else _value(variable, end) for end in (condition.low, condition.high))
    if not low and not high:
        return f"{no}any {name}"
    if is_short and condition.is_single:
        return f"{name}{'!=' if no else '='}{low}"
    if is_short:
        return f"{no}{low}<={name}<={high}" if low and high else f"{no}{name}{'>=' if low else '<='}{low or high}"
    are_hydrogens = variable.name == HYDROGENS and (low + high).isdecimal()
    noun = "hydrogen" if (high or low) == "1" else "hydrogens"
    is_single = condition.is_single or (are_hydrogens and not low and high == "0")  # there are no fewer than none
    if are_hydrogens:
        low, high = (number_word(int(end)) if end else "" for end in (low, high))
    if is_single:
        how = f"other than {high}" if no else high
    else:
        how = f"{no}{low} to {high}" if low and high else f"{no}at {'least' if low else 'most'} {low or high}"
    is_bound = not is_single and not (low and high)
    return f"{how} {noun}" if are_hydrogens else f"{name} {'of ' if is_bound else ''}{how}"


def _edge(conditions: Conditions, reading: Reading) -> str:
    """What is asked of an edge, but for its direction: its name, and in brackets everything else."""
    noun, names, others = reading.noun, list[str](), list[str]()
    for one in conditions:
        variable = reading.variable(one.variable)
        label = variable.label(one.low)
        if noun is variable and one.is_single and (label is not None or variable.kind == ONE_HOT):
            name = "untyped" if label is None else clean_name(label).lower()
            names.append(f"non-{name}" if one.is_not else name)
        else:
            others.append(condition_words(one, variable))
    return " ".join([*names, *([f"({listed(others)})"] if others else [])])
