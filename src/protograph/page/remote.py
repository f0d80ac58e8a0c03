"""Phase 1 of a class and Phase 2 of a cluster as pieces of work that may be done in another process.

What is sent there is a twin of the fitted explainer, whose graphs are read from where that process can read them: the
same code runs on the same numbers, and so the same prototypes are found.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from protograph._base.randomness import preserved_random_state
from protograph._base.reports import Reports
from protograph.engines.engine import Engine, LocalEngine, Shared
from protograph.graphs.encoding import own_arrays
from protograph.graphs.store import GraphStore
from protograph.models.running import Usage
from protograph.models.sharding import elsewhere
from protograph.page.candidate import NoPrototypeError
from protograph.page.clustering import Cluster, Selection
from protograph.page.merging import ClusterResult

if TYPE_CHECKING:
    from protograph.page.explainer import PAGE

# What workers are searching, among what is kept of a fit.
_BEGUN = "begun searches"
# What of a fit is made by the time that searches begin, by how its name begins.
_MADE_BEFORE = ("encoded", "nodes", "edges", "head")


class Twin:
    """A fitted explainer, in another process than it was fitted in.

    Args:
        explainer: The explainer, with what searches need made already.
        store: Its graphs, as that process reads them.
    """

    def __init__(self, explainer: "PAGE", store: GraphStore) -> None:
        twin = copy(explainer)
        twin._store, twin._engine, twin._shared_graphs, twin._progress = store, LocalEngine(), None, Reports()
        twin._running = elsewhere(explainer._running)
        twin._cache = {name: made for name, made in explainer._cache.items() if name.startswith(_MADE_BEFORE)}
        self._packed = twin

    @cached_property
    def explainer(self) -> "PAGE":
        """The explainer."""
        encoded = self._packed._encoded()
        if len(encoded) <= self._packed.consensus_options.max_counted:  # else patterns are counted in parts of them
            own_arrays(encoded)
        return self._packed


@dataclass(frozen=True)
class Search:
    """What to search.

    Attributes:
        twin: The fitted explainer.
        target: The class.
        cluster: The cluster; ``None`` for the clusters of the class.
    """

    twin: Shared[Twin]
    target: int
    cluster: Cluster | None = None

    @property
    def name(self) -> str:
        """What messages call it."""
        members = "" if self.cluster is None else f", a cluster of {len(self.cluster.members)} graphs"
        return f"the search of class {self.target}{members}"


@dataclass(frozen=True)
class Found:
    """The prototype of a cluster, or why it has none, and how much the model was used to find it."""

    result: ClusterResult | str
    usage: Usage


def select_class(search: Search) -> Selection:
    """The clusters of a class, which are told without the model."""
    return search.twin.get().explainer.representatives(search.target)


def search_cluster(search: Search) -> Found:
    """What a cluster's search comes to."""
    explainer, cluster = search.twin.get().explainer, search.cluster
    assert cluster is not None
    before = copy(explainer._running.usage)
    result: ClusterResult | str
    with preserved_random_state():
        try:
            result = explainer._result(explainer._fitted_class(search.target), cluster)
        except NoPrototypeError as error:
            result = str(error)
    return Found(result, explainer._running.usage - before)


class BegunSearch:
    """The searches of a class that workers are at.

    Args:
        selection: The clusters.
        found: What the search of each comes to, in their order.
    """

    def __init__(self, selection: Selection, found: Iterator[Found]) -> None:
        self.selection, self._found = selection, found

    def next_result(self, usage: Usage) -> ClusterResult:
        """What the search of the next cluster has come to; how much the model was used for it is added.

        Raises:
            NoPrototypeError: If it has no prototype.
        """
        found = next(self._found)
        usage.add(found.usage)
        if isinstance(found.result, str):
            raise NoPrototypeError(found.result)
        return found.result


def begin_searches(engine: Engine, twin: Shared[Twin], targets: Sequence[int]) -> dict[int, BegunSearch]:
    """Have workers find the clusters of classes, and then begin with the searches of all clusters."""

    def name_of(search: Search) -> str:
        return search.name

    of_classes = [Search(twin, target) for target in targets]
    selections = list(engine.begin(select_class, of_classes, name_of=name_of))
    return {
        target: BegunSearch(
            selection,
            engine.begin(
                search_cluster, [Search(twin, target, cluster) for cluster in selection.clusters], name_of=name_of
            ),
        )
        for target, selection in zip(targets, selections, strict=True)
    }


@contextmanager
def searches_begun(explainer: "PAGE", targets: Sequence[int]) -> Iterator[None]:
    """The searches of all classes are handed to the workers of the explainer's engine, if it has any, at once."""
    if not explainer._engine.is_local:
        explainer._cache[_BEGUN] = begin_searches(explainer._engine, shared_twin(explainer), targets)
    try:
        yield
    finally:
        explainer._cache.pop(_BEGUN, None)


def begun_search(explainer: "PAGE", target: int) -> BegunSearch | None:
    """The searches of a class that workers do; ``None`` where this process does them."""
    if explainer._engine.is_local:
        return None
    begun = explainer._cache.get(_BEGUN, {}).pop(target, None)
    return begun or begin_searches(explainer._engine, shared_twin(explainer), [target])[target]


def shared_twin(explainer: "PAGE") -> Shared[Twin]:
    """An explainer as it is now, for workers; what all of them would make is made before."""
    explainer._encoded()
    if explainer.search == "consensus":
        explainer._head()
    graphs, code_of = explainer._shared_graphs, [*explainer._running.model.modules(), explainer.match_features]
    assert graphs is not None

    def share() -> Shared[Twin]:
        twin = Twin(explainer, graphs.store())
        return explainer._engine.share(twin, "what was fitted", is_kept=True, code_of=code_of)

    return explainer._once(f"twin, {asdict(explainer)}", share)
