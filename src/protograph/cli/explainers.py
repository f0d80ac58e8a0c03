"""The explainers that commands know by name."""

from typing import Any

from protograph import PAGE
from protograph.baselines import XGNN, GNNInterpreter, RandomSubgraph

# How many prototypes of a class, and of how many nodes, explainers find that cannot tell by themselves.
NUM_PROTOTYPES = 2
MAX_NODES = 13


def explainer_of(name: str, page: PAGE) -> Any:
    """The explainer of that name with PAGE's options: as many prototypes of the same size where these are given."""
    if name == "page":
        return page
    options = {
        "num_prototypes": NUM_PROTOTYPES if page.num_clusters == "auto" else page.num_clusters,
        "max_nodes": MAX_NODES if page.max_nodes is None else page.max_nodes,
        "random_state": page.random_state,
    }
    if name == "random":  # as many candidates as PAGE would show the model
        options["num_candidates"] = options["num_prototypes"] * page.budget * page.num_graphs
    return {"xgnn": XGNN, "gnninterpreter": GNNInterpreter, "random": RandomSubgraph}[name](**options)
