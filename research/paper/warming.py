"""What a process does once before it measures: loops are compiled, or read from disk, when they are first run."""

import warnings

from protograph import datasets
from protograph._base.errors import ProtographWarning
from protograph.training import train
from research.paper.methods import TITLES, WITH_RULES, explainer_of
from research.paper.settings import Settings


def warm_up() -> None:
    """Let every explainer explain a small model of few graphs, so that no time that is measured has compiling in it."""
    settings = Settings(is_quick=True)
    graphs = datasets.load("ba-house", num_graphs=settings.num_graphs)
    trained = train(graphs, hidden=graphs.hidden, max_epochs=settings.max_epochs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ProtographWarning)
        for method in {**TITLES, **WITH_RULES}:
            explainer_of(method, 0, settings).fit(trained.model, graphs).explain_all()
