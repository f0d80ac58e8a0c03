"""Of more than 5,000 graphs this process runs the model in single precision, workers of Ray in double: same answers.

No cluster is started: what workers give differs in nothing but that, so that single precision is forbidden instead.
Sizes from which on it is used, and from which on a sample decides, are brought down.
"""

import pytest

import protograph as pg
from protograph.models import embedding
from protograph.page.consensus import contributions
from tests import zoo
from tests.test_streaming import answers

GRAPHS = zoo.random_graphs(180)
# Graphs without kinds, of which very many have twins, and others that are as far from a mean.
PLAIN = zoo.random_graphs(180, num_kinds=1, density=0.15)
for graph in PLAIN:
    graph.x = graph.x.expand(-1, 3)


@pytest.fixture(autouse=True)
def many(monkeypatch):
    for module in (embedding, contributions):
        monkeypatch.setattr(module, "GRAPHS_IN_DOUBLE", 50)


def fitted(model, graphs, **options):
    """An explainer, and all that it answers."""
    explainer = pg.PAGE(budget=2, **options).fit(model, graphs)
    chosen = {
        target: [
            (one.representatives, one.near, sorted(one.members), one.far) for one in explainer.representatives(target)
        ]
        for target in set(explainer.predictions_.tolist())
    }
    return explainer, (explainer.predictions_.tolist(), chosen, answers(explainer.explain_all()))


def assert_same_answers(monkeypatch, model, graphs, **options):
    explainer, found = fitted(model, graphs, **options)
    assert explainer.embedded_.exact is not None
    with monkeypatch.context() as patched:
        patched.setattr(embedding, "in_single_precision", lambda *_: None)
        explainer, wanted = fitted(model, graphs, **options)
        assert explainer.embedded_.exact is None
    assert found == wanted


CASES = [
    {"conv": "gcn", "pool": "add"},
    {"conv": "gin", "pool": "mean"},
    {"conv": "sage", "pool": "max"},
    {"conv": "gat", "pool": "add", "num_classes": 3},
    {"conv": "gcn", "pool": "Set2Set"},
    {"conv": "gin", "pool": "add", "output": "probs"},
]
# Rules know nothing of clusters and take most of the time, so that they are looked for with two of the models.
WITH_RULES = (0, 3)


@pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")
@pytest.mark.parametrize("max_fitted", [40, 20_000], ids=["a sample fitted", "all fitted"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case.values())))
def test_models_of_the_zoo_have_the_same_answers_in_both_precisions(monkeypatch, case, max_fitted):
    seed = CASES.index(case)
    options = {"num_clusters": "auto" if seed % 2 else 2, "random_state": seed}
    options["cluster_options"] = {"max_fitted": max_fitted}
    if max_fitted > len(GRAPHS) or seed not in WITH_RULES:
        options["max_reasons"] = 0
    assert_same_answers(monkeypatch, zoo.make(seed=seed, **case), GRAPHS, **options)


@pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")
@pytest.mark.parametrize("max_fitted", [20_000, 40], ids=["all fitted", "a sample fitted"])
@pytest.mark.parametrize("seed", range(3))
def test_so_have_graphs_that_the_model_sees_alike(monkeypatch, seed, max_fitted):
    model = zoo.make(seed=seed, pool="mean" if seed == 1 else "add")
    assert_same_answers(
        monkeypatch, model, PLAIN, num_clusters=2, random_state=seed, cluster_options={"max_fitted": max_fitted}
    )


@pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")
def test_so_have_samples_of_rules(monkeypatch):
    assert_same_answers(
        monkeypatch,
        zoo.make(seed=7),
        GRAPHS,
        num_clusters=2,
        cluster_options={"max_fitted": 30},
        consensus_options={"max_counted": 80, "drawn_from": 30},
        reason_options={"max_searched": 100, "max_confirming": 40, "min_kept_apart": 2},
    )
