"""What the nodes and edges of a pattern are called: by their conditions, all of them, and by nothing else."""

from dataclasses import dataclass

from protograph._utils.words import clean_name, listed
from protograph.explanation.pattern import Pattern, noun_of
from protograph.graphs.conditions import Condition, Conditions, Reading
from protograph.graphs.elements import COUNTABLE, OTHER, element_name
from protograph.graphs.variables import DIRECTION, ONE_HOT, Variable
from protograph.molecules.smarts import SIGNS

# Signs of an edge in a formula by the way it goes, as seen from the node before it.
_ARROWS = {1.0: "->", -1.0: "<-", 0.0: "<->"}
# What columns of molecules say, by their names: of false and of true.
_FLAGS = {"is_aromatic": ("not aromatic", "aromatic"), "is_in_ring": ("in no ring", "in a ring")}


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
        return arrow if not name else SIGNS.get(name, "-") if self.are_atoms and name in SIGNS else f"-[{name}]{arrow}"


def kind_words(pattern: Pattern) -> KindWords:
    """What the nodes and edges of a pattern are called."""
    noun = pattern.node_reading.noun
    ways = {one.name for one in pattern.edge_reading.variables if one.kind == DIRECTION}
    arrows = {
        ends: next((_ARROWS[one.low] for one in own if one.variable in ways and one.is_single), "-")
        for ends, own in pattern.of_edges.items()
        if any(one.variable in ways for one in own)
    }
    edges = {
        ends: _edge(tuple(one for one in pattern.of_edges[ends] if one.variable not in ways), pattern.edge_reading)
        for ends in pattern.edges
    }
    nodes = tuple(_node(own, pattern.node_reading) for own in pattern.of_nodes)
    is_atom = [noun is not None and noun_of(own, noun) is not None for own in pattern.of_nodes]
    return KindWords(nodes, edges, noun is not None and noun.are_elements and all(is_atom), arrows)


def is_told_by_nouns(pattern: Pattern) -> bool:
    """Whether each node and edge is told by what it is called, or by nothing at all."""
    nouns = (pattern.node_reading.noun, pattern.edge_reading.noun)
    sides = zip((pattern.of_nodes, pattern.of_edges.values()), nouns, strict=True)

    def is_name(conditions: Conditions, noun: Variable | None) -> bool:
        code = None if noun is None or noun.kind == DIRECTION else noun_of(conditions, noun)
        return len(conditions) == 1 and noun is not None and code is not None and noun.word(code) == noun.label(code)

    return all(not own or is_name(own, noun) for each, noun in sides for own in each)


def _node(conditions: Conditions, reading: Reading) -> NodeWords:
    if not conditions or reading.noun is None:
        return NodeWords()
    code = noun_of(conditions, reading.noun)
    base = NodeWords() if code is None else _noun(reading.noun, code)
    others = [one for one in conditions if code is None or one.variable != reading.noun.name]
    if not others:
        return base
    words = listed([condition_words(one, reading.variable(one.variable)) for one in others])
    short = "; ".join(condition_words(one, reading.variable(one.variable), is_short=True) for one in others)
    return NodeWords(f"{base.one} ({words})", f"{base.several} ({words})", f"{base.short}[{short}]")


def _noun(variable: Variable, code: float) -> NodeWords:
    if variable.are_elements:
        name = variable.label(code) or OTHER
        element = element_name(name)
        several = f"{element}s" if name in COUNTABLE else f"{element} atoms"
        return NodeWords(element if name != OTHER else f"{element} atom", several, name)
    shown = clean_name(variable.word(code))
    if variable.label(code) == shown:
        return NodeWords(f"{shown} node", f"{shown} nodes", shown)
    return NodeWords(f"node of {shown}", f"nodes of {shown}", shown)


def condition_words(condition: Condition, variable: Variable, *, is_short: bool = False) -> str:
    """A condition in words, its values as they are compared.

    >>> condition_words(Condition(variable="degree", low=3.0), Variable(name="degree", key="x"))
    'degree of at least 3'
    """
    name = clean_name(variable.name)

    def value(code: float) -> str:
        return clean_name(variable.label(code) or (f"{code:g}" if code >= 0 or variable.kind != ONE_HOT else "none"))

    above = next((cut for cut in variable.cuts if cut > condition.high), None)
    if variable.is_quantity:
        low = "" if condition.low == float("-inf") else f"{condition.low:g}"
        high = "" if above is None else f"{above:g}"
        text = f"{low} <= {name} < {high}" if low and high else f"{name} >= {low}" if low else f"{name} < {high}"
        return f"not {text}" if condition.is_not else text
    if condition.is_single:
        flags = _FLAGS.get(variable.name)
        if flags is not None and variable.is_flag:
            return flags[(value(condition.low).lower() == "true") != condition.is_not]
        sign = "!=" if condition.is_not else "="
        return (
            f"{name}{sign}{value(condition.low)}"
            if is_short
            else (f"{name} {'other than ' if condition.is_not else ''}{value(condition.low)}")
        )
    low, high = ("" if abs(end) == float("inf") else value(end) for end in (condition.low, condition.high))
    if is_short:
        text = f"{low}<={name}<={high}" if low and high else f"{name}>={low}" if low else f"{name}<={high}"
    else:
        one_end = f"{name} of at least {low}" if low else f"{name} of at most {high}"
        text = f"{name} {low} to {high}" if low and high else one_end
    return f"not {text}" if condition.is_not else text


def _edge(conditions: Conditions, reading: Reading) -> str:
    """What is asked of an edge, but for its direction."""
    noun = reading.noun
    texts = []
    for one in conditions:
        variable = reading.variable(one.variable)
        is_name = noun is variable and one.is_single and not one.is_not and variable.label(one.low) is not None
        texts.append(clean_name(variable.label(one.low) or "").lower() if is_name else condition_words(one, variable))
    return ", ".join(texts)
