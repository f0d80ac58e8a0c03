"""What the arena shows: the leaderboard, our distance to the best other, and every field by itself."""

from collections import Counter

from protograph._base.words import count_of, listed
from research.paper.item import Results
from research.paper.items.arena_losses import differences, losses
from research.paper.items.arena_scores import (
    ALL,
    KINDS,
    LEAST_ACCURACY,
    METRICS,
    OURS,
    SET,
    WORLD,
    Values,
    has_learned,
    of_field,
    over_seeds,
    runs_of,
    seeds_of,
    values_of,
)
from research.paper.methods import WITH_RULES
from research.paper.sets import title_of
from research.paper.sheet import Sheet

LEADERBOARD = (
    "Mean over the fields of a kind, with the 95% interval over seeds; over all fields every data set and every world "
    "counts alike, on the seeds that both kinds have. Accuracy: on data sets as in rq2, on worlds the share of "
    "prototypes that are a planted motif. Reasons found: of what decides the class, the share that a reason or a "
    "prototype is, to the node. Fidelity and coverage on graphs kept apart; where an explainer gives no rule, the rule "
    "is to contain one of its prototypes. Seconds: fit, and finding the explanations of the classes that are explained "
    "(on data sets those that the paper explains, of BA-2motifs and on worlds all), timed once, on a machine that may "
    "have been busy with other cells. A class without an explanation counts with 0."
)


def write(results: Results, sheet: Sheet) -> None:
    """The leaderboard first, then what it is made of."""
    present = [kind for kind in (SET, WORLD) if results.under(kind)]
    kinds = [ALL, *present] if seeds_of(results, ALL) else present
    # What is measured with fewer seeds says so at every number.
    titles = {kind: f"{KINDS[kind]} ({count_of(len(seeds_of(results, kind)), 'seed')})" for kind in kinds}
    by_kind = {kind: values_of(results, kind) for kind in kinds}
    _write_seeds(results, sheet)
    sheet.table(
        "leaderboard",
        ("on", "explainer", *METRICS.values()),
        [
            [titles[kind], WITH_RULES[method], *(over_seeds(values, method, metric) for metric in METRICS)]
            for kind, values in by_kind.items()
            for method in WITH_RULES
        ],
        LEADERBOARD,
    )
    _write_all_models(results, sheet, titles)
    sheet.table(
        "differences",
        ("on", "metric", "best other", "PAGE (default) beyond it"),
        [[titles[kind], *row] for kind, values in by_kind.items() for row in differences(values)],
        "Our default beside the best of the others, paired over seeds: an interval above 0 is a lead, one below 0 a "
        "loss; of seconds the other way round.",
    )
    for kind in present:
        for sentence in losses(by_kind[kind]):
            sheet.note(f"{titles[kind].capitalize()}, {sentence}")
    _write_fields({titles[kind]: by_kind[kind] for kind in present}, sheet)
    _write_missing(results, sheet)
    for kind in (SET, WORLD):
        if kind not in present:
            sheet.note(f"The {KINDS[kind]} were left out of this run.")


def _write_seeds(results: Results, sheet: Sheet) -> None:
    """Say where worlds have fewer seeds than data sets."""
    sets, worlds = seeds_of(results, SET), seeds_of(results, WORLD)
    if sets and worlds and len(worlds) < len(sets):
        sheet.note(
            f"The planted worlds have {count_of(len(worlds), 'seed')} only ({_numbers(worlds)}), the data sets "
            f"{len(sets)}: a world takes about a minute a seed, and there are many. Every number says of how many it "
            f"is."
        )


def _numbers(seeds: list[str]) -> str:
    return listed([seed.removeprefix("seed ") for seed in seeds])


def _write_all_models(results: Results, sheet: Sheet, titles: dict[str, str]) -> None:
    """What leaving out models does to the leaderboard, since that was not decided beforehand."""
    left_out = {(field, seed) for field, _, seed, result in runs_of(results, SET) if not has_learned(result)}
    if not left_out:
        return
    models = {f"right for {LEAST_ACCURACY:.0%} or more": False, "all": True}
    by_kind = {
        kind: {name: values_of(results, kind, with_all_models=with_all) for name, with_all in models.items()}
        for kind in titles
        if kind != WORLD
    }
    sheet.table(
        "all-models",
        ("on", "models", "explainer", *METRICS.values()),
        [
            [titles[kind], name, WITH_RULES[method], *(over_seeds(values, method, metric) for metric in METRICS)]
            for kind, by_models in by_kind.items()
            for name, values in by_models.items()
            for method in WITH_RULES
        ],
        "The leaderboard without and with the models that have not learned what decides.",
    )
    without, with_all = by_kind[SET].values()
    ours = [
        f"{title} {most.mean:.3f} instead of {least.mean:.3f}"
        for metric, title in METRICS.items()
        if (least := over_seeds(without, OURS, metric)) and (most := over_seeds(with_all, OURS, metric))
    ]
    sheet.note(
        f"Decided after seeing the results: {count_of(len(left_out), 'model')} of data sets, right for less than "
        f"{LEAST_ACCURACY:.0%} of the graphs kept apart, {'is' if len(left_out) == 1 else 'are'} left out of all other "
        f"tables. With all models PAGE (default) has on data sets {listed(ours) if ours else 'no figures'}; the table "
        f"above has the others' means."
    )


def _write_fields(by_title: dict[str, Values], sheet: Sheet) -> None:
    for metric, title in METRICS.items():
        sheet.table(
            f"{metric}-by-field",
            ("on", "field", *WITH_RULES.values()),
            [
                [on, title_of(field), *(of_field(values, method, metric, field) for method in WITH_RULES)]
                for on, values in by_title.items()
                for field in dict.fromkeys(field for one in values.values() for field in one)
            ],
            f"{title.capitalize()} on each field, mean over seeds with the 95% interval.",
        )


def _write_missing(results: Results, sheet: Sheet) -> None:
    """Worlds that no model has learned, and what explainers could not explain."""
    unlearned = [f"{field}, {seed}" for (field, seed), one in results.under(WORLD).items() if not one["methods"]]
    if unlearned:
        sheet.note(f"No model learned these worlds, which are left out: {'; '.join(unlearned)}.")
    guessing = {
        f"{title_of(field)}, {seed}": result["test_accuracy"]
        for field, _, seed, result in runs_of(results, SET)
        if not has_learned(result)
    }
    if guessing:
        told = "; ".join(f"{name} ({accuracy:.2f})" for name, accuracy in guessing.items())
        sheet.note(
            f"Models that are right for less than {LEAST_ACCURACY} of the graphs kept apart have not learned what "
            f"decides, and are left out: {told}."
        )
    failed = Counter(
        (method, reason)
        for kind in (SET, WORLD)
        for _, method, _, result in runs_of(results, kind)
        if has_learned(result)
        for reason in result["failed"]
    )
    for (method, reason), times in failed.items():
        sheet.note(f"{WITH_RULES[method]}, {count_of(times, 'time')}: {reason}")
