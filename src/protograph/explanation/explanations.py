"""The explanations of several classes of one model, and all of them from files."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from torch_geometric.data import Data

from protograph._utils.arrays import Bools
from protograph._utils.words import class_label, count_of, one_line
from protograph.explanation.explanation import Explanation
from protograph.explanation.io import UnfitError, pack, pack_record, read_document, unfit, write_document
from protograph.explanation.pattern import SearchedGraphs, as_searched
from protograph.explanation.rule import KEPT_APART, Fidelity, fidelity_of_all, held_by
from protograph.explanation.survey import Survey
from protograph.explanation.tables import frame_of


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

    def predict(self, graphs: Iterable[Data] | SearchedGraphs, *, with_rest: bool = True) -> Bools:
        """Whether the rule of each class holds in each graph, without the model: ``[num_graphs, num_classes]``.

        The columns are all classes of the model; of a class without an explanation no rule holds. See
        :meth:`Explanation.predict`.
        """
        searched = as_searched(graphs)
        return self._columns(len(searched), {n: one.predict(searched, with_rest=with_rest) for n, one in self.items()})

    def _columns(self, num_graphs: int, holds_by_class: Mapping[int, Bools]) -> Bools:
        holds = np.zeros((num_graphs, max((len(one.class_names) for one in self.values()), default=0)), np.bool_)
        for target, column in holds_by_class.items():
            holds[:, target] = column
        return holds

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
        fits = {(one.survey.predictions, () if one.rule is None else one.rule.parts) for one in self.values()}
        if len(fits) != 1:
            return None
        ((predictions, parts),) = fits
        if KEPT_APART not in parts or not set(predictions) <= {*self, *self.not_explained}:
            return None

        held = {
            target: held_by((reason for reason in one.reasons if with_rest or not reason.is_rest), len(predictions))
            for target, one in self.items()
        }
        chosen = np.array(parts) == KEPT_APART
        return fidelity_of_all(self._columns(len(predictions), held)[chosen], np.array(predictions)[chosen])

    def told(self, *, about: Mapping[str, str], doubts: Sequence[str]) -> "Explanations":
        """The same explanations with more of what was explained, by name, and these doubts in place of their own."""
        items = {}
        for target, one in self.items():
            provenance = replace(one.provenance, about={**one.provenance.about, **about})
            items[target] = replace(one, provenance=provenance, doubts=tuple(doubts))
        return Explanations(items, not_explained=self.not_explained)

    def summary(self) -> str:
        """Say in a few lines for each class what was found; what is the same for all is said once, on top."""
        above = list(dict.fromkeys(part for one in self.values() for part in one.about_the_model()))
        names = next((one.class_names for one in self.values()), ())
        missing = [
            f"{class_label(target, names).capitalize()}: not explained: {one_line(reason)}."
            for target, reason in self.not_explained.items()
        ]
        parts = [*above, *(one.found() for one in self.values()), *missing]
        if (fidelity := self.fidelity) is not None and len(self) > 1:
            # Imported on first use, since it loads networkx.
            from protograph.explanation.describing.rule_words import fidelity_words

            has_rest = any(reason.is_rest for one in self.values() for reason in one.reasons)
            rest = f"; without the reason of what marks the others {self.fidelity_without_rest:.3f}" if has_rest else ""
            parts.append(f"Fidelity of all rules together: {fidelity_words(fidelity)}{rest}.")
        return "\n\n".join(parts)

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
        return frame_of(of, list(self.values()))

    def save(self, path: str | PathLike[str]) -> None:
        """Save everything as JSON, to be read again by :func:`protograph.load`; see :meth:`Explanation.save`."""
        content: dict[str, Any] = {"not_explained": pack(self.not_explained, Mapping[int, str], "not_explained")}
        surveys = {id(one.survey): one.survey for one in self.values()}
        is_shared = len(surveys) == 1  # it is the same for all classes of one fit, and large
        if is_shared:
            content["survey"] = pack(next(iter(surveys.values())), Survey, "survey")
        packed = [
            pack_record(one, f"explanations[{place}]", without=("survey",) if is_shared else ())
            for place, one in enumerate(self.values())
        ]
        write_document({**content, "explanations": packed}, path)


def load(path: str | PathLike[str]) -> Explanation | Explanations:
    """Read what :meth:`Explanation.save <protograph.Explanation.save>` wrote.

    Args:
        path: The file.

    Returns:
        An :class:`Explanation` or :class:`Explanations`, whichever was saved.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If the file is damaged, or is something else.
    """
    path = Path(path)
    try:
        return _read(path)
    except UnfitError as error:
        problem = str(error)
    except RecursionError:
        problem = "its content is nested too deeply"
    raise ValueError(
        f"path must be an explanation file that save wrote, got {path}: {problem}; save the explanation again"
    )


def _read(path: Path) -> Explanation | Explanations:
    document, reader = read_document(path)
    if "explanation" in document:
        return reader.read(document["explanation"], Explanation, "explanation")  # type: ignore[no-any-return]
    packed = document.get("explanations")
    if not isinstance(packed, list):
        raise unfit("its content", "an object with explanation, or a list of explanations", document)
    if "survey" in document:
        survey = reader.read(document["survey"], Survey, "survey")
        packed = [one | {"survey": survey} if isinstance(one, dict) else one for one in packed]
    explanations = reader.read(packed, list[Explanation], "explanations")
    items = {explanation.target: explanation for explanation in explanations}
    if len(items) < len(explanations):
        raise unfit("explanations", "of different classes", [explanation.target for explanation in explanations])
    missing = reader.read(document.get("not_explained", {}), Mapping[int, str], "not_explained")
    if both := sorted(set(missing) & set(items)):
        raise unfit("not_explained", "of classes that have no explanation", both)
    return Explanations(items, not_explained=missing)
