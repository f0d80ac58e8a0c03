"""The parts of a sentence on a prototype: what it is, where it is found, and what the model says."""

import math
from collections import Counter
from collections.abc import Sequence

from torch_geometric.data import Data

from protograph._utils.intervals import wilson
from protograph._utils.words import class_label, clean_name, count_of, counted, listed, with_article
from protograph.explanation.describing.kind_words import is_told_by_nouns
from protograph.explanation.describing.motifs import compose, simple_graph
from protograph.explanation.prototype import Evidence, Prototype
from protograph.explanation.rule import Support
from protograph.graphs.names import node_columns
from protograph.models.sensitivity import Sensitivity
from protograph.molecules.functional_groups import NamedPart


def everywhere(parts: Sequence[NamedPart], said: str = "") -> str:
    """What the pattern is in every molecule that it was counted in; nothing where no name holds in all of them.

    Args:
        parts: The parts that have a name.
        said: What was said before: what is named there is not named again.

    >>> ester, rings = NamedPart("ester group", (0, 1, 2)), [NamedPart("benzene ring", (n, n + 1)) for n in (3, 5)]
    >>> everywhere([ester, *rings])
    ' (in every molecule: an ester group and two benzene rings)'
    >>> everywhere([ester], "an ester group"), everywhere([])
    ('', '')
    """
    tally = Counter(clean_name(part.name) for part in parts if part.name not in said)
    names = [with_article(name) if number == 1 else counted(number, name) for name, number in tally.items()]
    return f" (in every molecule: {listed(names)})" if names else ""


# Bits; below, containing the prototype says nothing worth mentioning about the class.
_TELLS_NOTHING = 0.01
# Graphs; of fewer, a share says little, and is said with its interval.
FEW = 30


def name_of(graph: Data, feature_names: Sequence[str] = ()) -> str:
    """Say what a graph is: a motif, or how many nodes of each kind it has.

    Args:
        graph: The graph.
        feature_names: Names of the columns of ``x``. Symbols of atoms make it a molecule.

    >>> import torch
    >>> name_of(Data(edge_index=torch.tensor([[0, 1, 2, 3], [1, 2, 3, 0]]), num_nodes=4))
    'a ring of four nodes'
    """
    columns = node_columns(graph)
    kinds = columns if columns is not None and graph.x.size(1) == len(feature_names) else None
    return compose(simple_graph(graph), kinds, feature_names)


def what_it_is(prototype: Prototype) -> str:
    """Say what a prototype is: all that its nodes and edges had to be, and nothing else."""
    pattern = prototype.pattern
    noun = None if pattern is None else pattern.node_reading.noun
    if pattern is not None and (not is_told_by_nouns(pattern) or (noun is not None and noun.are_elements)):
        from protograph.explanation.describing.pattern_words import pattern_words

        words = pattern_words(pattern).present
        return f"{words}{everywhere(prototype.named_parts, words)}"
    graph, feature_names, _ = prototype.named if pattern is None else pattern.named
    name = name_of(graph, feature_names)
    return f"{name}{everywhere(prototype.named_parts, name)}"


def where_found(evidence: Evidence | None, class_name: str | None = None) -> str:
    """In how many graphs a prototype is found; shares of no graphs are left out, those of few have their interval.

    >>> counts = {"num_in_class": 97, "num_class": 100, "num_elsewhere": 0, "num_others": 50}
    >>> where_found(Evidence(**counts, num_in_cluster=60, information=0.9), "mutagen")
    'found in 97% of the graphs predicted as mutagen and in none of the others'
    """
    if evidence is None:
        return ""
    text = shares_words(evidence, "its class" if class_name is None else clean_name(class_name))
    if evidence.num_class and evidence.num_others and evidence.information < _TELLS_NOTHING:
        # Such a class is known by what its graphs lack.
        text += ", so that by itself it does not tell the class"
    return f"found {text}" if text else ""


def shares_words(counts: Support, name: str, where: str = "") -> str:
    """In which shares of the class and of the others something is; of no graphs nothing is said.

    Args:
        counts: In how many graphs it is.
        name: What the class is called.
        where: What graphs it is of, such as " kept apart"; empty for all.
    """
    own = f"predicted as {'class ' if name.isdigit() else ''}{name}"
    which = f"{where} that are " if where else " "
    noun, rest = ("other", where) if counts.num_class else ("graph", f"{which}not {own}")
    parts = [
        _found_in(counts.num_in_class, counts.num_class, "graph", f"{which}{own}") if counts.num_class else "",
        _found_in(counts.num_elsewhere, counts.num_others, noun, rest) if counts.num_others else "",
    ]
    return " and ".join(part for part in parts if part)


def _found_in(number: int, total: int, noun: str, which: str) -> str:
    """A share of some graphs; where they are few, in figures and with its interval."""
    if total >= FEW:
        return f"in {share_of(number, total)} of the {noun}s{which}"
    share = {0: "none of the", total: "all of the"}.get(number, f"{number} of")
    return f"in {share} {count_of(total, noun)}{which} ({interval_of(number, total)})"


def interval_of(number: int, total: int) -> str:
    """Wilson's interval of a share, in per cent.

    >>> interval_of(2, 3), interval_of(0, 1)
    ('95%: 21% to 94%', '95%: 0% to 79%')
    """
    low, high = wilson(number, total)
    return f"95%: {100 * low:.0f}% to {100 * high:.0f}%"


def share_of(number: int, total: int) -> str:
    """A share as a percentage that never claims none or all where it is not so.

    >>> share_of(97, 100), share_of(2, 1000), share_of(0, 9), share_of(9, 9), share_of(1999, 2000)
    ('97%', '0.2%', 'none', 'all', 'more than 99.9%')
    """
    if number in (0, total):
        return "all" if number else "none"
    # Compared as whole numbers: as a fraction one in a thousand may come out just below or above.
    if 1000 * number < total:
        return "less than 0.1%"
    if 1000 * (total - number) < total:
        return "more than 99.9%"
    percent = 100 * number / total
    return f"{percent:.0f}%" if 1 <= percent <= 99 else f"{percent:.1f}".removesuffix(".0") + "%"


def chance(probability: float) -> str:
    """The model's probability, 1 or 0 only where it is exactly so.

    >>> chance(0.9981), chance(0.99999), chance(1.0), chance(math.nan)
    ('p = 0.998', 'p more than 0.999', 'p = 1.000', '')
    """
    if math.isnan(probability):
        return ""
    shown = f"{probability:.3f}"
    if shown == "1.000" and probability < 1:
        return "p more than 0.999"
    if shown == "0.000" and probability > 0:
        return "p less than 0.001"
    return f"p = {shown}"


def taken_for(prototype: Prototype, class_names: Sequence[str] = ()) -> str:
    """That the model takes a prototype by itself for another class than its own; nothing where it does not.

    >>> odd = Prototype(graph=Data(num_nodes=0), probability=0.1, margin=-2.2, source=3, target=0, predicted=1)
    >>> taken_for(odd, ("other", "mutagen"))
    'by itself the model takes this for class 1 (mutagen); it counts only inside a graph'
    """
    predicted = prototype.predicted
    if predicted is None or prototype.target in (None, predicted):
        return ""
    text = f"by itself the model takes this for {class_label(predicted, class_names)}"
    # What was made, and not cut from a graph, is inside none.
    return text if prototype.source is None else f"{text}; it counts only inside a graph"


def cluster_of(number: int | None, num_clusters: int | None = None, size: int | None = None) -> str:
    """A cluster as people count, from 1; the data count from 0.

    >>> cluster_of(0), cluster_of(0, 2, 3120), cluster_of(None)
    ('cluster 1', 'cluster 1 of 2, 3,120 graphs', '')
    """
    if number is None:
        return ""
    text = f"cluster {number + 1}" + ("" if num_clusters is None else f" of {num_clusters}")
    return text if size is None else f"{text}, {count_of(size, 'graph')}"


def sensitivity_lines(sensitivity: Sensitivity) -> list[str]:
    """What the model reads of its input, a line; and, before it, that much of it is nothing that patterns speak of."""
    if sensitivity.note:
        return [f"What the model reads is not known: {sensitivity.note}."]
    if not sensitivity.effects:
        return []
    lines = []
    if names := sensitivity.unexpressed_names:
        share = f"{100 * sensitivity.unexpressed:.0f}%"
        lines.append(f"{share} of the model's decisions depend on {listed(names)}, which no pattern can describe.")
    named = [(clean_name(one.variable.name), one) for one in sensitivity.effects]
    told = [f"{name} ({100 * one.decisions:.0f}%)" for name, one in named if one.is_sufficient]
    # Of other attributes, such as masks, nobody expects that they are read.
    usual = ("x", "edge_attr", "edge_index")
    others = [name for name, one in named if not one.is_sufficient and (one.log_odds or one.variable.key in usual)]
    verb = "makes" if len(others) == 1 and others != ["edges"] else "make"
    idle = f"; {listed(others)} {verb} no difference beyond that" if others else ""
    return [*lines, f"Share of decisions that change when an input is shuffled: {', '.join(told) or 'none'}{idle}."]
