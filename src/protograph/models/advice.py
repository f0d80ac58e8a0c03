"""Errors whose message says what to write: in Python, or as options of the command."""

from collections.abc import Iterable, Sequence


class AdviceError(ValueError):
    """Something about a model must be said by the user.

    Args:
        problem: What is the matter, and what is to be said.
        ways: What to write, one way each: options of a :class:`~protograph.GraphClassifier`, by name.
        besides: Options that were given already, and must be given again in Python.

    Attributes:
        for_command: The message with options of the command in place of Python.
    """

    def __init__(
        self,
        problem: str,
        ways: Sequence[tuple[str, object]] = (),
        besides: Sequence[tuple[str, object]] = (),
    ) -> None:
        self.problem, self.ways = problem, tuple(ways)
        calls = [", ".join(["model", *(f"{name}={value!r}" for name, value in (*besides, way))]) for way in ways]
        super().__init__(self._with(f"GraphClassifier({call})" for call in calls))
        self.for_command = self._with(f"--{name.replace('_', '-')} {value}" for name, value in ways)

    def _with(self, lines: Iterable[str]) -> str:
        joined = " or ".join(lines)
        return f"{self.problem}: {joined}" if joined else self.problem
