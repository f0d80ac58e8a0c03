"""The explanations of several classes of one model."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
from torch_geometric.data import Data

from protograph._base.arrays import Bools
from protograph._base.words import class_label, count_of, one_line
from protograph.explanation.codec import pack
from protograph.explanation.explanation import Explanation
from protograph.explanation.fidelity import Fidelity, fidelity_of_all
from protograph.explanation.saving import write
from protograph.explanation.searched_graphs import SearchedGraphs, as_searched
from protograph.explanation.survey import Survey


class Explanations(Mapping[int, Explanation]):
    """The explanations of several classes, by class.

    Attributes:
        not_explained: Why other classes of the model have no explanation, by class.
    """

    def __init__(self, items: Mapping[int, Explanation], *, not_explained: Mapping[int, str] | None = None) -> None:
        self._items = dict(sorted(items.items()))
        self.not_explained: Mapping[int, str] = dict(sorted((not_explained or {}).items()))

    def __getitem__(self, target: int) -> Explanation:
        return self._items[target]

    def __iter__(self) -> Iterator[int]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        counts = ", ".join(f"{target}: {count_of(len(e.prototypes), 'prototype')}" for target, e in self._items.items())
        return f"Explanations({{{counts}}})"

    def predict(self, graphs: Iterable[Data] | SearchedGraphs) -> Bools:
        """Whether the rule of each class holds in each graph, without the model: ``[num_graphs, num_classes]``.

        The columns are all classes of the model; of a class without an explanation no rule holds. See
        :meth:`Explanation.predict`.
        """
        return self._predict(as_searched(graphs))

    def _predict(self, graphs: SearchedGraphs, *, with_rest: bool = True) -> Bools:
        holds = np.zeros((len(graphs), self._num_classes), np.bool_)
        for target, one in self.items():
            holds[:, target] = one._predict(graphs, with_rest=with_rest)
        return holds

    @property
    def _num_classes(self) -> int:
        return max((len(one.class_names) for one in self.values()), default=0)

    @property
    def fidelity(self) -> Fidelity | None:
        """For which share of the graphs kept apart exactly one class's rule holds, and it is the predicted class.

        Every predicted class weighs the same. ``None`` where no graphs were kept apart, where the explanations are not
        of one fit, or where a predicted class is not among them; see :func:`protograph.metrics.fidelity` for others.
        """
        return self._fidelity(with_rest=True)

    @property
    def fidelity_without_rest(self) -> Fidelity | None:
        """The same without the reason "none of what marks the others", if a class has that."""
        return self._fidelity(with_rest=False)

    def _fidelity(self, *, with_rest: bool) -> Fidelity | None:
        fits = {(one.graph_predictions, one.graph_parts) for one in self.values()}
        if len(fits) != 1:
            return None
        ((predictions, _),) = fits
        chosen = next(iter(self.values()))._kept_apart
        if not chosen.size or not set(predictions) <= {*self, *self.not_explained}:
            return None
        holds = np.zeros((len(predictions), self._num_classes), np.bool_)
        for target, one in self.items():
            holds[:, target] = one._holds_by(*(r for r in one.reasons if with_rest or not r.is_rest))
        return fidelity_of_all(holds[chosen], np.array(predictions)[chosen])

    def doubted(self, doubts: Sequence[str]) -> "Explanations":
        """The same explanations with these reasons to doubt the model in place of their own."""
        items = {target: replace(one, doubts=tuple(doubts)) for target, one in self.items()}
        return Explanations(items, not_explained=self.not_explained)

    def told(self, about: Mapping[str, str]) -> "Explanations":
        """The same explanations with what was explained, by name: data, model, date."""
        items = {target: replace(one, about={**one.about, **about}) for target, one in self.items()}
        return Explanations(items, not_explained=self.not_explained)

    def summary(self) -> str:
        """Say in a few lines for each class what was found; what is the same for all is said once, on top."""
        above = list(dict.fromkeys(part for one in self.values() for part in one._about_the_model()))
        names = next((one.class_names for one in self.values()), ())
        missing = [
            f"{class_label(target, names).capitalize()}: not explained: {one_line(reason)}."
            for target, reason in self.not_explained.items()
        ]
        return "\n\n".join([*above, *(one._found() for one in self.values()), *missing, *self._agreement()])

    def _agreement(self) -> list[str]:
        """How far the rules of all classes together agree with the model; nothing where that is not known."""
        fidelity, without = self.fidelity, self.fidelity_without_rest
        if fidelity is None or without is None or len(self) < 2:
            return []
        # Imported on first use, since it loads networkx.
        from protograph.explanation.describing.rule_words import fidelity_words

        has_rest = any(reason.is_rest for one in self.values() for reason in one.reasons)
        rest = f"; without the reason of what marks the others {without:.3f}" if has_rest else ""
        return [f"Fidelity of all rules together: {fidelity_words(fidelity)}{rest}."]

    def plot(self, path: str | PathLike[str] | None = None) -> None:
        """Draw the prototypes and reasons of all classes; see :meth:`Explanation.plot`."""
        from protograph.report.figure import plot

        plot(list(self.values()), path)

    def report(self, path: str | PathLike[str]) -> None:
        """Write one self-contained HTML file on all classes."""
        from protograph.report.report import write_report

        write_report(list(self.values()), path, not_explained=self.not_explained)

    def _repr_html_(self) -> str:
        """What a notebook shows: static HTML, no scripts."""
        from protograph.report.notebook import explanations_html

        return explanations_html(list(self.values()), self.not_explained)

    def to_frame(self, of: str = "prototypes") -> Any:
        """One tidy table of all classes as a :class:`pandas.DataFrame`; see :meth:`Explanation.to_frame`."""
        # Imported on first use, since few need it.
        from protograph.explanation.frames import frame_of

        return frame_of(of, list(self.values()))

    def save(self, path: str | PathLike[str]) -> None:
        """Save everything as JSON, to be read again by :func:`protograph.load`; see :meth:`Explanation.save`."""
        # It is the same for all classes of one fit, and large.
        surveys = {id(one.survey): one.survey for one in self.values()}
        survey = next(iter(surveys.values())) if len(surveys) == 1 else None
        bare = [one if survey is None else replace(one, survey=None) for one in self.values()]
        content = {
            "explanations": pack(bare, list[Explanation], "explanations"),
            "survey": pack(survey, Survey | None, "survey"),
            "not_explained": pack(self.not_explained, Mapping[int, str], "not_explained"),
        }
        write({"kind": "explanations", **content}, path)
