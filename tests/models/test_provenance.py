import re
from types import SimpleNamespace

import torch
from torch import nn

from protograph import GraphClassifier, __version__
from protograph.models.provenance import package_versions, provenance_of


def test_data_set_model_and_time_are_named():
    about = provenance_of(nn.Linear(1, 2), SimpleNamespace(name="mine"))
    assert (about["data"], about["model"]) == ("mine", "Linear")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", about["date"])


def test_what_has_no_name_has_none_and_a_task_is_told():
    about = provenance_of(GraphClassifier(nn.Linear(1, 2), task=1), [])
    assert "data" not in about
    assert about["model"] == "Linear, task 1"


def test_versions_are_those_that_run():
    versions = package_versions()
    assert versions["protograph"] == __version__
    assert versions["torch"] == torch.__version__
