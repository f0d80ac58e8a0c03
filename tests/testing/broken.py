"""An explainer that keeps the contract, to be broken in one place at a time."""

from dataclasses import dataclass, replace

import protograph as pg


@dataclass(kw_only=True, eq=False)
class Sound(pg.Explainer):
    """The first nodes of the graphs that the model is most certain of."""

    num_prototypes: int = 2
    max_nodes: int = 4
    random_state: int = 0

    def find(self, target):
        members = self.members(target)
        order = self.judge([self.graphs_[index] for index in members], target).margins.argsort()[::-1]
        # A path runs through the nodes of all graphs in their order, so that the first ones are connected.
        return [
            (index, range(min(self.max_nodes, self.graphs_[index].num_nodes)))
            for index in members[order][: self.num_prototypes]
        ]


def changed(**of_explanation):
    """An explainer whose explanations have other values in these fields."""

    class Changed(Sound):
        def explain(self, target):
            return replace(super().explain(target), **of_explanation)

    return Changed


def with_prototypes(change):
    """An explainer whose prototypes are changed by a function of the list of them."""

    class Changed(Sound):
        def explain(self, target):
            explanation = super().explain(target)
            return replace(explanation, prototypes=change(explanation.prototypes))

    return Changed


def with_graphs(change):
    """An explainer that finds graphs which are changed by a function, and so cut from nowhere."""

    class Changed(Sound):
        def find(self, target):
            from protograph.graphs.cutting import induced_subgraph

            return [change(induced_subgraph(self.graphs_[index], nodes)) for index, nodes in super().find(target)]

    return Changed
