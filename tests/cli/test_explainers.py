import pytest

import protograph as pg
from protograph.cli.explainers import peer_of


@pytest.mark.parametrize("name", ["xgnn", "gnninterpreter", "random"])
def test_peers_take_what_page_was_told(name):
    told = peer_of(name, pg.PAGE(num_clusters=3, max_nodes=7, random_state=5))
    assert (told.num_prototypes, told.max_nodes, told.random_state) == (3, 7, 5)


@pytest.mark.parametrize("name", ["xgnn", "gnninterpreter", "random"])
def test_peers_have_defaults_of_their_own(name):
    peer = peer_of(name, pg.PAGE())
    assert (peer.num_prototypes, peer.max_nodes, peer.random_state) == (2, 13, 0)


def test_chance_has_as_many_candidates_as_page_shows_the_model():
    assert peer_of("random", pg.PAGE(num_clusters=4, budget=7, num_graphs=2)).num_candidates == 4 * 7 * 2
