import pytest

from protograph.page.ablated import AblatedPAGE
from protograph.page.explainer import PAGE
from tests import zoo

GRAPHS = zoo.random_graphs(60)
pytestmark = pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")


def explained(kind, **options):
    return kind(num_clusters=1, max_reasons=0, **options).fit(zoo.make(), GRAPHS).explain(1)


def edges_of(explanation):
    return [prototype.edges for prototype in explanation.prototypes]


def test_with_nothing_left_out_it_is_page():
    plain, ablated = explained(PAGE), explained(AblatedPAGE)
    assert [p.nodes for p in plain.prototypes] == [p.nodes for p in ablated.prototypes]
    assert edges_of(plain) == edges_of(ablated)


def test_without_the_margin_nothing_is_asked_of_nodes():
    plain, ablated = explained(PAGE), explained(AblatedPAGE, without=frozenset({"margin"}))
    assert plain.prototypes[0].evidence.contributions
    assert not ablated.prototypes[0].evidence.contributions


def test_what_is_left_out_goes_to_the_search():
    without = frozenset({"alike", "square"})
    explainer = AblatedPAGE(without=without).fit(zoo.make(), GRAPHS)
    assert explainer._search_options().without == without
    assert explainer._search_options().scoring == "product"
    walk = AblatedPAGE(search="walk", uses_mean_vector=True).fit(zoo.make(), GRAPHS)
    assert walk._search_options().scoring == "mean"
    assert walk.explain(1).prototypes
