"""Where a model reads its graphs out of their nodes: found by watching a call, caught in all others."""

from dataclasses import dataclass

POOLED_NOTE = (
    "the model leaves nodes out on the way, or puts them together (hierarchical pooling): a node's embedding is what "
    "is read out of it, its share where it is one of several, and 0 where it is gone"
)
LEFT_OUT_NOTE = (
    "where nodes enter the model's readout cannot be told, so what a node adds is what changes when it is left out of "
    "its graph"
)
OUTPUT_NOTE = "no module of the model takes one vector a graph, so its output is taken for the graph embedding"


@dataclass(frozen=True)
class Place:
    """One step of a readout, found again in every call of the model.

    Attributes:
        ordinal: Which reduction over nodes it is, or which call of the module.
        module: Name of the aggregation module, ``None`` for a reduction in the model's own code.
        is_mean: Whether the sums are divided by counts afterwards.
    """

    ordinal: int
    module: str | None = None
    is_mean: bool = False


@dataclass(frozen=True)
class Readout:
    """Where node and graph embeddings are to be caught.

    Attributes:
        places: The steps that make up the readout. Node embeddings are what enters them side by side, each tensor once;
            graph embeddings what they give side by side.
        is_pooled: Whether nodes are left out on the way, so that some steps take what is left of them.
        node_module: Module whose output is the node embeddings, where the user named one.
        graph_module: Module whose input is the graph embeddings, where the user named one or it is the only one.
        is_output: Whether the model's output stands for the graph embeddings, as nothing else does.
    """

    places: tuple[Place, ...] = ()
    is_pooled: bool = False
    node_module: str | None = None
    graph_module: str | None = None
    is_output: bool = False

    @property
    def note(self) -> str:
        """What is to be said of how embeddings were had; empty for a plain readout."""
        if self.places:
            return POOLED_NOTE if self.is_pooled else ""
        return f"{OUTPUT_NOTE}; {LEFT_OUT_NOTE}" if self.is_output else LEFT_OUT_NOTE
