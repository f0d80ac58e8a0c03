"""What holds for every test: a cache of its own, and few examples of Hypothesis."""

import os

import pytest
from hypothesis import settings

# `pytest --hypothesis-profile thorough` tries more, where a test does not say how many.
settings.register_profile("few", max_examples=20, deadline=None)
settings.register_profile("thorough", max_examples=500, deadline=None)
settings.load_profile("few")


@pytest.fixture(scope="session", autouse=True)
def _cache_of_this_run(tmp_path_factory):
    """One for all processes: what one of them has made of a data set's files the others read."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROTOGRAPH_CACHE", str(folder / "cache"))
        yield


@pytest.fixture
def no_data_folder(monkeypatch):
    """No folder of data files is named."""
    monkeypatch.delenv("PROTOGRAPH_DATA", raising=False)
    assert "PROTOGRAPH_DATA" not in os.environ
