import pytest

import protograph as pg
from protograph.cli.explainers import explainer_of


@pytest.mark.parametrize("name", ["xgnn", "gnninterpreter", "random"])
def test_peers_take_what_page_was_told(name):
    peer = explainer_of(name, pg.PAGE(num_clusters=3, max_nodes=7, random_state=5))
    assert (peer.num_prototypes, peer.max_nodes, peer.random_state) == (3, 7, 5)


@pytest.mark.parametrize("name", ["xgnn", "gnninterpreter", "random"])
def test_peers_have_defaults_of_their_own(name):
    peer = explainer_of(name, pg.PAGE())
    assert (peer.num_prototypes, peer.max_nodes, peer.random_state) == (2, 13, 0)


def test_chance_has_as_many_candidates_as_page_shows_the_model():
    assert explainer_of("random", pg.PAGE(num_clusters=4, budget=7, num_graphs=2)).num_candidates == 4 * 7 * 2


def test_page_is_itself():
    page = pg.PAGE()
    assert explainer_of("page", page) is page
