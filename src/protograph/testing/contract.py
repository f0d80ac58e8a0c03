"""The contract of explainers, check by check."""

import warnings
from collections.abc import Callable, Iterable, Mapping

from protograph._base.errors import ProtographWarning
from protograph.explainer import Explainer
from protograph.testing import fitting_checks, result_checks
from protograph.testing.subject import Check, ContractError, Subject

__all__ = ["CHECKS", "ContractError", "check_explainer"]

# Every check by its name, in the order in which they are made.
CHECKS: Mapping[str, Check] = {
    check.__name__: check
    for check in (
        fitting_checks.constructor_stores_options,
        fitting_checks.before_fit_is_an_error,
        result_checks.facts_are_told,
        result_checks.prototypes_are_graphs_of_the_data,
        result_checks.parts_are_where_they_say,
        result_checks.probabilities_are_the_models,
        result_checks.best_comes_first,
        result_checks.predicted_class_is_known,
        fitting_checks.same_seed_same_result,
        fitting_checks.options_make_it_again,
        fitting_checks.second_fit_forgets_the_first,
        fitting_checks.all_is_left_as_found,
        fitting_checks.every_predicted_class_is_explained,
        fitting_checks.bad_targets_are_errors,
        fitting_checks.class_without_graphs_is_left_out,
        fitting_checks.progress_is_told,
        result_checks.saved_and_loaded_is_the_same,
        result_checks.picture_and_report_are_drawn,
    )
}


def check_explainer(make: Callable[[], Explainer], *, checks: Iterable[str] | None = None) -> None:
    """Check that an explainer keeps the contract, as scikit-learn's ``check_estimator`` does for estimators.

    It is fitted to small models with random weights, and 40 graphs of 4 to 9 nodes. All checks are made; the error
    says of each that failed what was wanted and what came.

    Args:
        make: The explainer's class, or anything that gives an explainer when it is called without arguments, such as
            ``functools.partial(Mine, num_steps=5)`` for options that make it quick.
        checks: Names of the checks to make; all of ``protograph.testing.CHECKS`` by default.

    Raises:
        ContractError: If a check fails.

    >>> from protograph.peers.random_subgraph import RandomSubgraph
    >>> check_explainer(RandomSubgraph, checks=["before_fit_is_an_error", "bad_targets_are_errors"])
    >>> class Bad(RandomSubgraph):
    ...     def explain(self, target):
    ...         return super().explain(0)
    >>> check_explainer(Bad, checks=["bad_targets_are_errors"])
    Traceback (most recent call last):
    ...
    protograph.testing.subject.ContractError: Bad does not keep the contract of explainers:
      bad_targets_are_errors: wanted explain(2) of a model with 2 classes to raise ValueError, got an Explanation
    """
    wanted = list(CHECKS) if checks is None else list(checks)
    unknown = [name for name in wanted if name not in CHECKS]
    if unknown:
        raise ValueError(f"checks must be among {', '.join(CHECKS)}, got {unknown[0]!r}")
    subject = Subject(make)
    failures = {name: reason for name in wanted if (reason := _failure(CHECKS[name], subject))}
    if failures:
        lines = [f"\n  {name}: {reason}" for name, reason in failures.items()]
        raise ContractError(f"{subject.name} does not keep the contract of explainers:{''.join(lines)}")


def _failure(check: Check, subject: Subject) -> str:
    """Why a check fails; empty where it does not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ProtographWarning)  # that the models have learned nothing is known
        try:
            check(subject)
        except ContractError as failure:
            return str(failure)
        except Exception as error:
            return f"wanted no error, got {type(error).__name__}: {error}"
    return ""
