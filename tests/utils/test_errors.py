import pytest
from sklearn.exceptions import NotFittedError as OfScikitLearn

import protograph as pg


def test_asking_too_early_is_an_error_that_scikit_learn_s_handlers_catch():
    assert pg.NotFittedError.__bases__ == OfScikitLearn.__bases__ == (ValueError, AttributeError)
    with pytest.raises(ValueError, match=r"fit") as caught:
        pg.PAGE().explain(0)
    assert type(caught.value) is pg.NotFittedError


def test_our_warning_can_be_turned_off_alone():
    assert pg.ProtographWarning.__bases__ == (UserWarning,)
