"""What a comparison will take: by a rule before it starts, and by what was timed as soon as anything was."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from protograph._base.progress import Progress, duration
from protograph._base.words import count_of

# What the training of a model counts as, among the explainers, and that of the models robustness is asked of.
TRAINING, OTHER_MODELS = "training", "other models"
NO_EXPLAINERS = (TRAINING, OTHER_MODELS)
CLASS_SECONDS = {
    "page": (3.0, 0.003),
    "walk": (1.0, 0.001),
    "xgnn": (7.0, 0.0),
    "gnninterpreter": (10.0, 0.0),
    "random": (0.1, 0.0001),
}


@dataclass(frozen=True, kw_only=True)
class CostRule:
    """Seconds on one core: a rule of thumb, for the order of magnitude; as soon as anything is timed, that counts.

    Attributes:
        training: Seconds for each graph of 25 nodes: a hundred epochs with early stopping.
        other_models: How many times as long the ten other models of ``--robustness`` take, which are trained at once.
        classes: Seconds for each class, by explainer, and for each graph besides.
        other: The same of an explainer that is not known: as much as PAGE takes.
        twice: What takes fewer seconds is run twice, so as not to time how compiled code is loaded.
    """

    training: float = 0.005
    other_models: float = 2.0
    classes: Mapping[str, tuple[float, float]] = field(default_factory=lambda: dict(CLASS_SECONDS))
    other: tuple[float, float] = (3.0, 0.003)
    twice: float = 5.0

    def seconds(self, name: str, num_graphs: int, num_classes: int, *, is_quick: bool = False) -> float:
        """What an explainer takes for one seed, or the training of its model or of the other models.

        Args:
            name: The explainer's, ``"training"`` or ``"other models"``.
            num_graphs: How many graphs there are.
            num_classes: How many classes are explained.
            is_quick: Whether generators are cut to a tenth of their steps, and nothing is run twice.

        >>> CostRule().seconds("xgnn", 2000, 1), CostRule().seconds("training", 2000, 1)
        (7.0, 10.0)
        """
        if name in NO_EXPLAINERS:
            return self.training * num_graphs * (1.0 if name == TRAINING else self.other_models)
        fixed, a_graph = self.classes.get(name, self.other)
        if is_quick and name in ("xgnn", "gnninterpreter"):
            fixed /= 10
        once = fixed + a_graph * num_graphs
        return num_classes * once * (2 if once < self.twice and not is_quick else 1)


@dataclass(frozen=True)
class Step:
    """Something that a comparison is at: the training of a seed's model or of other models, or an explainer on it.

    Attributes:
        seed: The seed.
        name: The explainer's, ``"training"`` or ``"other models"``.
        stage: What is being done, with how far it is; empty at the beginning and at the end.
        seconds: How long it took, at the end; 0 where it was kept from an earlier run.
    """

    seed: int
    name: str
    stage: str = ""
    seconds: float | None = None


@dataclass
class TimeLeft:
    """Says how far a comparison is, with the seed, the explainer and the time that is left.

    Args:
        expected: Seconds that each step is expected to take, by seed and name; 0 of what is kept from before.
        progress: Told ``"comparing (seed 1, xgnn: generating 3 of 10; about 2 min left)"``, with how many of the runs
            of explainers are done.
        jobs: How many seeds run side by side.

    >>> left = TimeLeft({(0, "page"): 10.0, (1, "page"): 10.0}, print)
    >>> left.told(Step(0, "page"))
    comparing (seed 0, page; about 20 s left) 0 2
    >>> left.told(Step(0, "page", seconds=30.0))
    comparing (seed 0, page; about 30 s left) 1 2
    """

    expected: Mapping[tuple[int, str], float]
    progress: Progress
    jobs: int = 1
    _took: dict[tuple[int, str], float] = field(default_factory=dict)

    def told(self, step: Step) -> None:
        """Take note of a step and report."""
        if step.seconds is not None:
            self._took[step.seed, step.name] = step.seconds
        done = [key for key in self._took if key[1] not in NO_EXPLAINERS]
        total = [key for key in self.expected if key[1] not in NO_EXPLAINERS]
        what = f"seed {step.seed}, {step.name}" + (f": {step.stage}" if step.stage else "")
        left = f"; about {duration(self.seconds)} left" if self.seconds >= 1 else ""
        self.progress(f"comparing ({what}{left})", len(done), len(total))

    @property
    def seconds(self) -> float:
        """Seconds left: by the mean of the other seeds where one was timed, else by the rule, as far off as it was."""
        timed = {key: took for key, took in self._took.items() if took > 0}
        ruled = sum(self.expected.get(key, 0.0) for key in timed)
        scale = sum(timed.values()) / ruled if ruled else 1.0
        left = [key for key, seconds in self.expected.items() if seconds > 0 and key not in self._took]
        return sum(self._of(key, timed, scale) for key in left) / max(1, min(self.jobs, len({s for s, _ in left})))

    def _of(self, key: tuple[int, str], timed: Mapping[tuple[int, str], float], scale: float) -> float:
        of_others = [took for (_, name), took in timed.items() if name == key[1]]
        return sum(of_others) / len(of_others) if of_others else scale * self.expected[key]


def expected_seconds(
    names: Iterable[str], seeds: Sequence[int], num_graphs: int, num_classes: int, *, is_quick: bool = False
) -> dict[tuple[int, str], float]:
    """Seconds that each step will take by the rule; ``names`` has also what is trained."""
    rule = CostRule()
    return {
        (seed, name): rule.seconds(name, num_graphs, num_classes, is_quick=is_quick) for seed in seeds for name in names
    }


def cost_text(expected: Mapping[tuple[int, str], float], jobs: int) -> str:
    """What a comparison will cost, before it starts; steps of 0 seconds are kept from before.

    >>> cost_text({(0, "training"): 10.0, (0, "page"): 70.0, (1, "training"): 10.0, (1, "page"): 70.0}, 1)
    '2 seeds of 1 explainer: about 2 min 40 s on an idle machine by the rule of docs/metrics.md (page 2 min 20 s, ...'
    """
    names = list(dict.fromkeys(name for _, name in expected))
    runs = [seconds for (_, name), seconds in expected.items() if name not in NO_EXPLAINERS]
    num_explainers = len([name for name in names if name not in NO_EXPLAINERS])
    num_kept = runs.count(0.0)
    begun = f"{count_of(len({seed for seed, _ in expected}), 'seed')} of {count_of(num_explainers, 'explainer')}: "
    unless = "from an earlier run, unless data or model have changed"
    if num_kept == len(runs):
        return f"{begun}all kept {unless}"
    parts = {name: sum(seconds for (_, one), seconds in expected.items() if one == name) for name in names}
    longest = sorted(parts.items(), key=lambda item: -item[1])
    said = ", ".join(f"{name} {duration(seconds)}" for name, seconds in longest if seconds >= 1)
    side_by_side = min(jobs, len({seed for (seed, _), seconds in expected.items() if seconds > 0}))
    return (
        f"{begun}about {duration(max(1.0, sum(parts.values()) / side_by_side))} on an idle machine by the rule of "
        "docs/metrics.md"
        + (f", {side_by_side} seeds at a time" if side_by_side > 1 else "")
        + (f" ({said})" if said else "")
        + (f"; {num_kept} of {count_of(len(runs), 'run')} kept {unless}" if num_kept else "")
    )
