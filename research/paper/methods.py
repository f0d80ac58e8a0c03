"""The explainers that stand side by side, by name."""

from collections.abc import Callable, Mapping

from protograph.baselines.gnninterpreter import GNNInterpreter
from protograph.baselines.random_subgraph import RandomSubgraph
from protograph.baselines.xgnn import XGNN
from protograph.explainer import Explainer
from protograph.page.explainer import PAGE
from research.paper.settings import Settings

# What the paper gives a class: two prototypes.
NUM_PROTOTYPES = 2
# A quick run has generators stop early: it shows that all works, not what comes out.
_QUICK_XGNN: Mapping[str, int] = {"num_epochs": 1, "num_rollouts": 1, "max_nodes": 5}
_QUICK_GNNINTERPRETER: Mapping[str, int] = {"num_iterations": 10, "max_nodes": 5}

TITLES = {
    "walk": "PAGE (walk)",
    "page": "PAGE (default)",
    "xgnn": "XGNN",
    "gnninterpreter": "GNNInterpreter",
    "random": "random subgraphs",
}
# The same where rules are measured too: our default with all that it gives.
WITH_RULES = {"walk": TITLES["walk"], "rules": TITLES["page"]} | {
    name: TITLES[name] for name in ("xgnn", "gnninterpreter", "random")
}
# What the paper calls the ones that it has.
IN_PAPER = {"walk": "PAGE", "page": "PAGE", "xgnn": "XGNN"}


def explainer_of(method: str, seed: int, settings: Settings) -> Explainer:
    """The explainer of that name with its defaults, and with the paper's two prototypes where it cannot tell."""
    makers: Mapping[str, Callable[[], Explainer]] = {
        "walk": lambda: PAGE(search="walk", num_clusters=NUM_PROTOTYPES, random_state=seed),
        # Its prototypes do not depend on reasons, which take longer than they do.
        "page": lambda: PAGE(max_reasons=0, random_state=seed),
        "rules": lambda: PAGE(random_state=seed),
        "xgnn": lambda: XGNN(num_prototypes=NUM_PROTOTYPES, random_state=seed, **_quick(settings, _QUICK_XGNN)),
        "gnninterpreter": lambda: GNNInterpreter(
            num_prototypes=NUM_PROTOTYPES, random_state=seed, **_quick(settings, _QUICK_GNNINTERPRETER)
        ),
        "random": lambda: RandomSubgraph(num_prototypes=NUM_PROTOTYPES, random_state=seed),
    }
    if method not in makers:
        raise ValueError(f"method must be one of {', '.join(makers)}, got {method!r}")
    return makers[method]()


def _quick(settings: Settings, options: Mapping[str, int]) -> dict[str, int]:
    return dict(options) if settings.is_quick else {}
