"""The numbers that decide how rules are searched."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ReasonOptions:
    """How the rule of a class is searched, confirmed and measured."""

    searched_share: float = 0.7  # of the graphs: what rules are made of ...
    confirming_share: float = 0.15  # ... what confirms them; the rest measures fidelity and serves for nothing else
    min_kept_apart: int = 5  # graphs of every class; with fewer, nothing is kept apart and no fidelity is printed
    chance: float = 0.1  # share of the confirmed reasons that may be so by luck ...
    far_chance: float = 0.2  # ... where the rule is far from the model and each reason adds little
    least_rest: float = 0.002  # agreement that "none of what marks the others" must add
    num_examples: int = 3  # graphs that examples are cut from; the smallest is shown
    max_graph_nodes: int = 500  # larger graphs are not searched
    max_searched: int = 50_000  # graphs that are searched; more find the same patterns, and memory grows with them
    max_confirming: int = 12_500  # graphs that confirm; all that is in neither is kept apart
    max_nodes: int = 5  # of the patterns that are all gone through; larger ones grow from these
    max_ring: int = 8  # nodes of the rings that are gone through
    max_sets: int = 1_000_000  # steps from sets of nodes to neighbours; dense graphs are gone through up to fewer nodes
    far_max_sets: int = 3_000_000  # the same where single patterns do not come near the model
    num_sampled: int = 100  # patterns of more nodes, of each class, where not all sets of them can be gone through
    min_share: float = 0.01  # of the searched graphs in which a condition holds, and in which it does not, at least
    max_places: int = 4  # "at least so many" of patterns of several nodes; nobody counts further
    num_thresholds: int = 12  # of "at least so many nodes"
    max_conditions: int = 4  # of a reason; longer ones nobody reads
    several_from: int = 30  # searched graphs of the class, and of the others, for reasons of several patterns
    cost: float = 0.0003  # balanced accuracy that a condition must be worth: a graph in some thousand
    lack_cost: float = 2.0  # times that, for what is missing: presence goes before lack
    max_calls: int = (
        2_000  # nodes to place in one graph; while searching, a pattern that needs more counts as not lying there
    )
    sample: int = 100  # graphs of each side that patterns are counted in while they grow
    num_sources: int = 2  # graphs that a pattern is grown in, and ...
    num_places: int = 2  # ... places of it there: the first may be there by chance
    num_far_apart: int = 6  # graphs in which it is looked for what a pattern is only a shared part of ...
    least_part: float = 0.08  # ... share of the class that each of the larger patterns must add
    least_worse: float = 0.005  # accuracy of the rule that may be lost as one of its reasons grows
    max_tried: int = 1_000  # larger patterns tried while one grows; molecules have up to 600, dense graphs far more
    loss: float = 0.03  # share of the graphs that a pattern may lose as it grows: the model errs too
    least_information: float = 0.15  # bits; what is added must tell the class: a neighbour of any node does not
    least_gain: float = 0.02  # in shares told apart that a step of narrowing a pattern is worth
    num_narrowed: int = 6  # patterns that are narrowed where small ones do not tell the class
    enough: float = 0.98  # balanced accuracy from which a rule needs no larger patterns
    near: float = 0.9  # balanced accuracy, less costs, from which a rule comes near the model
    simpler: float = 0.01  # balanced accuracy that presence is worth over lack, and one pattern over several
    needless: float = 0.003  # balanced accuracy for which a rule near the model says no more than it must
    max_pattern_nodes: int = 20  # of what patterns grow to
