"""PAGE with steps left out or exchanged, to measure what each of them is for."""

from dataclasses import dataclass, replace

from protograph.page.explainer import PAGE
from protograph.page.options import SearchOptions, Step


@dataclass(kw_only=True, eq=False)
class AblatedPAGE(PAGE):
    """PAGE without some of its steps; for experiments, and no way to explain a model.

    Args:
        without: Steps of a consensus to leave out. ``"margin"``: what nodes add to the margin is not asked.
            ``"information"``: parts weigh by the margin alone. ``"worth"``: a consensus grows by size, not by what its
            nodes are worth. ``"wholes"``: rings and equal leaves may be cut. ``"model"``: closing does not ask the
            model. ``"alike"``: sessions take the next k graphs nearest the mean. ``"square"``: sessions are compared
            by ``1 + z`` in place of ``1 + z^2``.
        uses_mean_vector: Whether a walk scores tuples by the mean vector: the alternative that the paper's remark on
            scoring functions sets aside.

    >>> AblatedPAGE(without=frozenset({"wholes"})).without
    frozenset({'wholes'})
    """

    without: frozenset[Step] = frozenset()
    uses_mean_vector: bool = False

    def _search_options(self) -> SearchOptions:
        options = replace(super()._search_options(), without=self.without)
        return replace(options, scoring="mean") if self.uses_mean_vector else options
