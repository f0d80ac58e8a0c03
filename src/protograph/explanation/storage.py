"""Explanations from JSON files: versioned, and read without running anything they hold."""

import json
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path

from protograph.explanation.codec import Json, UnfitError, read, unfit
from protograph.explanation.explanation import Explanation
from protograph.explanation.explanations import Explanations
from protograph.explanation.saving import FORMAT, VERSION
from protograph.explanation.survey import Survey


def load(path: str | PathLike[str]) -> Explanation | Explanations:
    """Read what :meth:`Explanation.save <protograph.Explanation.save>` wrote.

    Args:
        path: The file.

    Returns:
        An :class:`Explanation` or :class:`Explanations`, whichever was saved.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If the file is damaged, or is something else.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "explanation.json"
    >>> explanation = Explanation(target=1, prototypes=[], explainer="PAGE", options={"budget": 5}, num_graphs=9,
    ...                           num_predicted=4, class_names=("no", "yes"))
    >>> explanation.save(path)
    >>> load(path).options
    {'budget': 5}
    """
    path = Path(path)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {path}; give the path of a file that save wrote") from None
    try:
        document = json.loads(content, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise _not_an_explanation(path, f"it is not JSON, or cut off ({error})") from None
    try:
        return _read_document(document, path)
    except UnfitError as error:
        raise _not_an_explanation(path, str(error)) from None
    except RecursionError:
        raise _not_an_explanation(path, "its content is nested too deeply") from None


def _not_an_explanation(path: Path, problem: str) -> ValueError:
    return ValueError(
        f"path must be an explanation file that save wrote, got {path}: {problem}; save the explanation again"
    )


def _refuse_constant(name: str) -> Json:
    raise ValueError(f"it holds {name}, which is not a number in JSON")


def _read_document(value: Json, path: Path) -> Explanation | Explanations:
    document = read(value, Mapping[str, object])
    if document.get("format") != FORMAT:
        raise unfit("format", f'"{FORMAT}"', document.get("format"))
    version = read(document.get("version"), int, "version")
    if version > VERSION:
        raise ValueError(
            f"path must be an explanation file of version {VERSION} or lower, got {path} of version {version}; "
            f"upgrade protograph, or save the explanation again with this release"
        )
    if version < 1:
        raise unfit("version", f"from 1 to {VERSION}", version)
    if document.get("kind") == "explanation":
        return read(document.get("explanation"), Explanation, "explanation")  # type: ignore[no-any-return]
    if document.get("kind") != "explanations":
        raise unfit("kind", '"explanation" or "explanations"', document.get("kind"))
    explanations = _read_explanations(document)
    by_class = {explanation.target: explanation for explanation in explanations}
    if len(by_class) < len(explanations):
        raise unfit("explanations", "of different classes", [explanation.target for explanation in explanations])
    missing = read(document.get("not_explained", []), Mapping[int, str], "not_explained")
    if both := sorted(set(missing) & set(by_class)):
        raise unfit("not_explained", "of classes that have no explanation", both)
    return Explanations(by_class, not_explained=missing)


def _read_explanations(document: Mapping[str, Json]) -> list[Explanation]:
    """The explanations of a file; what they share is written once, beside them."""
    explanations: list[Explanation] = read(document.get("explanations"), list[Explanation], "explanations")
    survey = read(document.get("survey"), Survey | None, "survey")
    if survey is None:
        return explanations
    try:
        return [replace(one, survey=survey) for one in explanations]
    except ValueError as error:
        raise UnfitError(str(error)) from None
