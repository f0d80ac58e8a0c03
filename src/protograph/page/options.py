"""Every number that decides an answer of PAGE: its name, its default and the reason, kept with the explanation."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeVar

from protograph._base.options import check_number
from protograph.graphs.conditions import MatchEdges
from protograph.patterns.joint import MatchFeatures

Scoring = Literal["product", "arithmetic", "geometric"]
SCORINGS: tuple[Scoring, ...] = ("product", "arithmetic", "geometric")
# The paper names the last one only to say that it is no good; it is here to be measured, not to be chosen.
AnyScoring = Scoring | Literal["mean"]
# Steps of a consensus that can be left out, to see what each is for.
Step = Literal["margin", "information", "worth", "wholes", "model", "alike", "square"]
Options = TypeVar("Options")


@dataclass(frozen=True)
class _Numbers:
    """Options that are numbers of at least 0, whole where the default is."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            check_number(field.name, value)
            if isinstance(field.default, int) and value != int(value):
                raise ValueError(f"{field.name} must be a whole number, got {value!r}")


@dataclass(frozen=True, kw_only=True)
class ConsensusOptions(_Numbers):
    """Phase 2 of our own: growing what k graphs have in common, trimming and closing it."""

    pool: int = 3  # graphs near the mean, for each that sessions take, among which a session's graphs are alike
    start_sample: int = 50  # graphs of the cluster, and of the others, that the surroundings of starts are counted in
    sample: int = 200  # graphs that parts are counted in; shares are then known to some 3%
    large_sample: int = 1000  # graphs for closing and for comparing sessions, where a few graphs decide
    max_starts: int = 40  # nodes looked at as starts, those that carry the most of the margin
    slack: float = 0.1  # the smallest part within this share of the heaviest: NO2 rather than NO2 with a carbon
    least_information: float = 0.01  # bits; what closing adds must tell the class: a backbone node does not
    max_parts: int = 60  # parts weighed for one consensus
    max_additions: int = 30  # additions tried in a step of closing
    max_steps: int = 20  # steps of closing
    sparse_edges: int = 60  # edges of a source up to which all parts are counted that one may want to
    least_counted: int = 8  # parts counted in a dense source nevertheless
    count_calls: int = 2_000  # nodes to try in one graph; a pattern that needs more counts as not lying there
    grow_calls: int = 200_000  # nodes to try while a consensus grows
    max_graph_nodes: int = 500  # nodes of a larger graph that a session looks at: those around what carries the most
    left_out_rows: int = (
        2**21
    )  # nodes and edges that go through the model to leave nodes out; else gradients have to do
    max_nodes_around: int = 40  # nodes around the start that parts are made of: prototypes are small
    max_edges_around: int = 60  # edges around the start; a basis of shortest rings takes long on what is dense
    linear: float = 1e-7  # relative error up to which scores are a linear map of the embeddings
    independent: float = 1e-9  # embeddings that vary less in some direction leave its weight open
    fitted_to: int = 64  # graphs that the map is fitted to, for each of its weights ...
    exact_for: int = 4  # ... or so many of more than 5,000 graphs, made exact for it, with as many to try it on
    max_counted: int = 100_000  # graphs in all up to which samples are drawn from all of them; of more ...
    drawn_from: int = (
        5_000  # ... from so many of the cluster, and of the others, evenly spaced: what is kept is bounded
    )


@dataclass(frozen=True, kw_only=True)
class WalkOptions(_Numbers):
    """Phase 2 of the paper: limits of a walk beyond which it is no longer proven to be exact."""

    size_calls: int = 200_000  # nodes to try for the largest common pattern, which limits a walk without max_nodes
    max_tuples: int = 2**27  # tuples that are gone through for the best start
    max_cells: int = 2**22  # of a block of scores (32 MiB) computed at once; beyond, a node at a time is improved
    max_rounds: int = 50  # of improving one node at a time; ten are the most that were seen
    beam: int = 16  # tuples that are improved by their matching scores, where there are too many for the best start
    breadth: int = 16  # nodes tried there in each place: those with the highest raw scores


@dataclass(frozen=True, kw_only=True)
class EvidenceOptions(_Numbers):
    """How prototypes are counted."""

    looked_at: int = 100  # graphs of the cluster in which nodes and edges are looked up one by one
    whole_calls: int = 20_000  # nodes to place in one graph before it counts as one without the prototype
    part_calls: int = 5_000  # nodes to try for the largest part of the prototype in one graph


@dataclass(frozen=True, kw_only=True)
class EdgeOptions(_Numbers):
    """How it is found out whether a model reads attributes of edges, and which of them are continuous."""

    num_candidates: int = 256  # graphs among which those with the most different attributes are chosen
    num_graphs: int = 32  # graphs whose attributes are changed: one would do for most models, of each class some
    num_rows: int = 8  # attributes that all edges of a graph are given at once, so that a rare kind is tried too
    max_values: int = 20  # more different floating-point values in a column are continuous, so many are kinds
    num_bins: int = 4  # bins of a continuous column, with about as many edges each: short, middling, long, very long

    def __post_init__(self) -> None:
        super().__post_init__()
        for option in fields(self):
            least, value = 2 if option.name == "num_bins" else 1, getattr(self, option.name)
            if value < least:
                raise ValueError(f"{option.name} must be at least {least}, got {value}")


@dataclass(frozen=True, kw_only=True)
class NodeOptions(_Numbers):
    """How it is found out which columns of ``x`` are continuous, and what bins or kinds their values fall into."""

    sample: int = 20_000  # nodes that all of this is taken from; quartiles are then known to half a per cent
    max_values: int = 20  # more different values in a column are continuous, or quantities; so many must be equal
    max_known_types: int = 2000  # of a column that the model looks up, which it is asked about; more must be equal
    num_bins: int = 4  # bins of a continuous column without gaps, with about as many nodes each
    num_regions: int = 8  # kinds that several continuous columns without gaps are divided into together
    depth: float = 0.6  # of the lower of two peaks: what lies between them is a gap if its density is no more
    certainty: float = (
        3.0  # standard deviations by which a gap must be less than its peaks; of fewer nodes it is chance
    )
    least_share: float = 0.01  # of the nodes that a bin or a kind between gaps holds
    max_bins: int = 8  # of a column with gaps; of a lattice of more, only num_bins - 1 gaps that halve and quarter it
    max_clusters: int = 12  # most kinds of rows of several columns with gaps between them
    cluster_sample: int = 4000  # nodes that these are looked for among
    purity: float = (
        0.98  # share of the nodes whose kind is known by the bins of their columns, so that these are enough
    )
    num_graphs: int = 64  # graphs that show whether a column is read, and what the model makes of other rows
    least_effect: float = 0.01  # in mean probability: a continuous column that changes less when shuffled is ignored
    least_effect_share: float = (
        0.1  # ... or less than this share of what all columns change: a model reads noise a little
    )
    num_rows: int = 256  # rows that the model is asked about where its own view is taken ...
    num_places: int = 96  # ... each in so many places of the graphs
    least_silhouette: float = 0.65  # of the kinds that the model sees; an even spread, cut in two, has up to 0.63
    max_nodes_shown: int = 2**21  # nodes that go through the model for that; larger graphs are asked about fewer rows


@dataclass(frozen=True, kw_only=True)
class ReasonOptions(_Numbers):
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


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """What a search of one cluster goes by; see :class:`~protograph.PAGE`.

    Attributes:
        budget: Number of sessions.
        max_nodes: Most nodes of a prototype; ``None`` where the data decide.
        match_features: Which nodes may stand for each other; see :class:`~protograph.patterns.joint.JointGraphs`.
        match_edges: Whether edges must have equal attributes, or a rule for that.
        decay: What a matching score is divided by for each of its nodes that has been chosen.
        max_iterations: Most steps of a walk.
        scoring: Scoring function.
        distinct_starts: Whether a start's nodes are barred from later starts.
        walk: Limits of a walk.
        consensus: How a consensus grows and is trimmed.
        without: Steps of a consensus that are left out; see :class:`~protograph.page.ablated.AblatedPAGE`.
    """

    budget: int = 5
    max_nodes: int | None = None
    match_features: MatchFeatures = True
    match_edges: MatchEdges = False
    decay: float = 10.0
    max_iterations: int = 1000
    scoring: AnyScoring = "product"
    distinct_starts: bool = True
    walk: WalkOptions = WalkOptions()
    consensus: ConsensusOptions = ConsensusOptions()
    without: frozenset[Step] = frozenset()


def as_options(name: str, value: Any, kind: type[Options]) -> Options:
    """Options as their own object, also where they come from a saved explanation.

    >>> as_options("evidence_options", {"looked_at": 10}, EvidenceOptions).looked_at
    10
    """
    if isinstance(value, kind):
        return value
    if isinstance(value, Mapping):
        return kind(**value)
    raise TypeError(f"{name} must be {kind.__name__} or a mapping of its options, got {value!r}")
