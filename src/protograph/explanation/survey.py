"""All graphs of a fit in a row each, and what the model makes of them with a pattern taken out."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from torch_geometric.data import Data

from protograph._base.arrays import Floats
from protograph.explanation.codec import UnfitError, unfit


@dataclass(frozen=True, kw_only=True, eq=False)
class Survey:
    """All graphs given to ``fit``, an entry a graph: what lists and maps of them show. The same for all classes.

    Attributes:
        places: Place of each in the user's own data.
        names: What each is called there; empty where none has a name.
        labels: The class that each was given; empty where they have none.
        predictions: The class that the model predicts for each.
        probabilities: The model's probability of that class.
        positions: ``[num_graphs, 2]``, the first two principal components of all graph embeddings.
        explained: Share of the variance that each of the two has.
        graphs: Some of the graphs themselves, by index, to be shown.
    """

    places: tuple[int, ...]
    names: tuple[str, ...] = ()
    labels: tuple[int, ...] = ()
    predictions: tuple[int, ...]
    probabilities: tuple[float, ...]
    positions: Floats
    explained: tuple[float, float]
    graphs: Mapping[int, Data] = field(default_factory=dict)

    def __post_init__(self) -> None:
        size = len(self.places)
        for name in ("names", "labels", "predictions", "probabilities"):
            values, may_lack = getattr(self, name), name in ("names", "labels")
            if len(values) != size and (values or not may_lack):
                raise unfit(name, f"{'empty or ' if may_lack else ''}a list of {size}, one for each of places", values)
        if self.positions.shape != (size, 2):
            raise unfit("positions.shape", f"[{size}, 2], one row for each of places", self.positions.shape)
        if not all(0 <= index < size for index in self.graphs):
            raise UnfitError(f"graphs must be by indices below {size}, got others")

    def __len__(self) -> int:
        return len(self.places)


@dataclass(frozen=True, kw_only=True)
class TakenOut:
    """What the model makes of a graph, and of the same graph without the nodes of a pattern.

    Attributes:
        index: The graph.
        nodes: Its nodes that were taken out.
        margin: The log-odds of the class for the whole graph.
        margin_without: The same for what is left of it.
    """

    index: int
    nodes: tuple[int, ...]
    margin: float
    margin_without: float


@dataclass(frozen=True, kw_only=True, eq=False)
class NextBest:
    """A pattern that a session of the search came to, and that was not taken as the prototype.

    Attributes:
        graph: The pattern.
        probability: The model's probability of the class for it.
        margin: The log-odds of the class for it.
    """

    graph: Data
    probability: float
    margin: float
