"""What holds for every test: nothing is written to the cache of whoever runs them."""

import os

import pytest


@pytest.fixture(scope="session", autouse=True)
def _cache_of_this_run(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROTOGRAPH_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def no_data_folder(monkeypatch):
    """No folder of data files is named."""
    monkeypatch.delenv("PROTOGRAPH_DATA", raising=False)
    assert "PROTOGRAPH_DATA" not in os.environ
