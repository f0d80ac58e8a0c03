"""The one warning and the one error that are ours alone."""


class ProtographWarning(UserWarning):
    """Something was done differently from what was asked, and the result says so."""


class NotFittedError(ValueError, AttributeError):
    """An explainer was asked for something that only ``fit`` can give.

    It derives from the same classes as scikit-learn's error of that name, so code that
    catches those catches this one.
    """
