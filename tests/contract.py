"""What every explainer owes, check by check, on small graphs and models from a seed, which have learned nothing.

``tests/test_contract.py`` makes all of them of our explainers; one of your own is held to them in the same way:
``for check in CHECKS: check(Subject(Mine, folder))``.
"""

import copy
import math
import random
from contextlib import suppress
from functools import cached_property
from itertools import pairwise

import numpy as np
import pytest
import torch
from torch import nn
from torch_geometric.data import Batch, Data
from torch_geometric.nn import BatchNorm, GATConv, GCNConv, GINConv, global_add_pool

import protograph as pg
from protograph._utils.randomness import preserved_random_state, seed_generators

NUM_KINDS, WIDTH = 3, 8
CONVOLUTIONS = ("gcn", "gat")
# Of two margins that are the same, what the order of additions may change; of what was worked out apart, more.
TOLERANCE, APART = 1e-6, 1e-5


def small_graph(seed, num_nodes):
    """A connected graph with nodes of three kinds; its label is by chance."""
    generator = torch.Generator().manual_seed(seed)
    upper = torch.triu(torch.rand(num_nodes, num_nodes, generator=generator) < 0.4, diagonal=1)
    upper[torch.arange(num_nodes - 1), torch.arange(1, num_nodes)] = True  # a path, so that it is connected
    kinds = torch.randint(NUM_KINDS, (num_nodes,), generator=generator)
    edges = (upper | upper.t()).nonzero().t().contiguous()
    return Data(x=torch.eye(NUM_KINDS)[kinds], edge_index=edges, y=torch.tensor([seed % 2]))


def small_graphs(count=40):
    """Graphs of 4 to 9 nodes."""
    return [small_graph(seed, 4 + seed % 6) for seed in range(count)]


def _convolution(kind, inputs):
    return {
        "gcn": lambda: GCNConv(inputs, WIDTH),
        "gat": lambda: GATConv(inputs, WIDTH // 2, heads=2),
        "gin": lambda: GINConv(nn.Sequential(nn.Linear(inputs, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH))),
    }[kind]()


class SmallNet(nn.Module):
    """Two convolutions with batch norm and dropout, a sum over the nodes, and a layer that tells the classes."""

    def __init__(self, convolution, num_classes):
        super().__init__()
        self.first, self.second = _convolution(convolution, NUM_KINDS), _convolution(convolution, WIDTH)
        self.norm, self.head = BatchNorm(WIDTH), nn.Linear(WIDTH, num_classes)

    def forward(self, x, edge_index, batch):
        x = self.norm(self.first(x, edge_index)).relu()
        x = nn.functional.dropout(self.second(x, edge_index).relu(), 0.5, self.training)
        return self.head(global_add_pool(x, batch))


def small_model(convolution="gcn", num_classes=2):
    """A model with weights that are the same each time, for which every class is about as frequent."""
    batch = Batch.from_data_list(small_graphs())
    with preserved_random_state(), torch.no_grad():
        seed_generators(1)
        model = SmallNet(convolution, num_classes).train()
        model(batch.x, batch.edge_index, batch.batch)  # runs the batch norm in
        scores = model.eval()(batch.x, batch.edge_index, batch.batch)
        model.head.weight.div_(scores.std(dim=0)[:, None])
        model.head.bias.sub_(scores.mean(dim=0)).div_(scores.std(dim=0))
    return model


class Subject:
    """What makes the explainer, how it is asked, and a folder to write to."""

    def __init__(self, make, folder):
        self.make, self.folder, self.graphs = make, folder, small_graphs(16)

    def made(self, **options):
        """A new explainer; options that it has may be other than its own."""
        explainer = self.make()
        own = dict(explainer._options())
        return type(explainer)(**own | {name: value for name, value in options.items() if name in own})

    def fitted(self, model=None, graphs=None, **options):
        model = small_model() if model is None else model
        return self.made(**options).fit(model, self.graphs if graphs is None else graphs)

    @cached_property
    def explained(self):
        """An explanation of the class that most graphs are predicted as, by the convolution of the model."""
        others = {convolution: of_most(self.fitted(small_model(convolution))) for convolution in CONVOLUTIONS[1:]}
        return {"gcn": self.explanation} | others

    @cached_property
    def explainer(self):
        """One that was fitted to the plain model, for checks that change nothing about it."""
        return self.fitted()

    @cached_property
    def explanation(self):
        """What it says of the class that most graphs are predicted as."""
        return of_most(self.explainer)


def most_predicted(explainer):
    return int(np.bincount(explainer.predictions_).argmax())


def of_most(explainer):
    explanation = explainer.explain(most_predicted(explainer))
    assert isinstance(explanation, pg.Explanation)
    assert explanation.prototypes
    return explanation


def assert_same(one, other):
    """Two explanations have the same prototypes."""
    assert len(one.prototypes) == len(other.prototypes)
    for first, second in zip(one.prototypes, other.prototypes, strict=True):
        assert torch.equal(first.graph.x, second.graph.x)
        assert torch.equal(first.graph.edge_index, second.graph.edge_index)
        assert first.margin == pytest.approx(second.margin, rel=TOLERANCE, abs=TOLERANCE)


def edges_of(graph):
    return [tuple(edge) for edge in graph.edge_index.T.tolist()]


def probabilities_of(model, graph):
    """The model's probabilities of the classes, worked out in float64 by calling it directly."""
    twin, batch = copy.deepcopy(model).double().eval(), torch.zeros(graph.num_nodes, dtype=torch.long)
    with torch.no_grad():
        return twin(graph.x.double(), graph.edge_index, batch).softmax(dim=1)[0]


def constructor_stores_options(subject):
    """Options are kept under their names, as they were given, and nothing else is done before fit."""
    explainer = subject.made()
    options = dict(explainer._options())
    assert dict(type(explainer)(**options)._options()) == options
    assert [name for name in vars(explainer) if name.endswith("_") and not name.startswith("_")] == []


def before_fit_is_an_error(subject):
    """To explain before fit is a NotFittedError."""
    with pytest.raises(pg.NotFittedError):
        subject.made().explain(0)


def facts_are_told(subject):
    """An explanation knows who made it, for which class, and of how many graphs."""
    explainer, explanation = subject.explainer, subject.explanation
    target = most_predicted(explainer)
    assert (explanation.explainer, explanation.target) == (type(explainer).__name__, target)
    assert explanation.num_graphs == len(subject.graphs) <= explanation.provenance.model_calls
    assert explanation.num_predicted == (explainer.predictions_ == target).sum()


def prototypes_are_graphs_of_the_data(subject):
    """Connected, undirected, simple, with rows of x that occur, and no more nodes than max_nodes."""
    rows = {tuple(row) for graph in subject.graphs for row in graph.x.tolist()}
    most = subject.made()._options().get("max_nodes") or math.inf
    for explanation in subject.explained.values():
        for graph in (prototype.graph for prototype in explanation.prototypes):
            edges = edges_of(graph)
            assert 1 <= graph.num_nodes <= most
            assert graph.x.dtype == subject.graphs[0].x.dtype
            assert set(map(tuple, graph.x.tolist())) <= rows
            assert all(0 <= start < graph.num_nodes and start != end for start, end in edges)
            assert len(set(edges)) == len(edges)
            assert {(end, start) for start, end in edges} == set(edges)
            reached, new = {0}, {0}
            while new := {end for start, end in edges if start in new} - reached:
                reached |= new
            assert len(reached) == graph.num_nodes


def parts_are_where_they_say(subject):
    """A prototype that was cut from a graph has that graph's rows of x, and no edges that it lacks."""
    explanation = subject.explanation
    for prototype in explanation.prototypes:
        if prototype.source is None:
            continue
        source, nodes = subject.graphs[prototype.source], prototype.nodes
        assert prototype.source in explanation.source_graphs
        assert torch.equal(source.x[nodes], prototype.graph.x)
        assert {(nodes[start], nodes[end]) for start, end in edges_of(prototype.graph)} <= set(edges_of(source))


def probabilities_are_the_models(subject):
    """Probability and margin are what the model gives for the prototype by itself."""
    for convolution, explanation in subject.explained.items():
        model = small_model(convolution)
        for prototype in explanation.prototypes:
            chance = float(probabilities_of(model, prototype.graph)[explanation.target])
            assert prototype.probability == pytest.approx(chance, abs=TOLERANCE)
            assert prototype.margin == pytest.approx(math.log(chance) - math.log1p(-chance), rel=APART, abs=APART)


def best_comes_first(subject):
    """Prototypes are in the order of their margins, the highest first."""
    margins = [prototype.margin for prototype in of_most(subject.fitted(num_prototypes=3)).prototypes]
    assert all(first >= second - APART for first, second in pairwise(margins))


def predicted_class_is_known(subject):
    """A prototype says which class it stands for, and which one the model takes it for."""
    model = small_model(num_classes=3)
    for target, explanation in subject.fitted(model).explain_all().items():
        for prototype in explanation.prototypes:
            assert prototype.target == target
            assert prototype.predicted == int(probabilities_of(model, prototype.graph).argmax())


def same_seed_same_result(subject):
    """The same options, model and graphs give the same prototypes, whatever the global generators are at."""
    with preserved_random_state():
        found = []
        for state in (1, 2):
            seed_generators(state)
            found.append(of_most(subject.fitted(random_state=3)))
    assert_same(*found)


def saved_and_loaded_is_the_same(subject):
    """What is saved is loaded again as it was, and its options make an explainer that gives the same result."""
    explanation = subject.explanation
    explanation.save(subject.folder / "explanation.json")
    loaded = pg.load(subject.folder / "explanation.json")
    assert loaded.options == explanation.options
    assert_same(explanation, loaded)
    assert loaded.summary() == explanation.summary()
    again = type(subject.made())(**loaded.options).fit(small_model(), subject.graphs)
    assert_same(explanation, again.explain(explanation.target))


def second_fit_forgets_the_first(subject):
    """What was learned is replaced as a whole by the next fit."""
    others = subject.graphs[::2]
    explainer = subject.fitted(small_model("gin"))
    of_most(explainer)
    assert_same(of_most(subject.fitted(graphs=others)), of_most(explainer.fit(small_model(), others)))


def all_is_left_as_found(subject):
    """Weights, modes, gradients and hooks of the model, the graphs, and the global generators."""
    model = small_model().train()
    model.first.eval()
    weights, modes = copy.deepcopy(model.state_dict()), [module.training for module in model.modules()]
    graphs = copy.deepcopy(subject.graphs)
    with preserved_random_state():
        seed_generators(5)
        states = _generator_states()
        of_most(subject.fitted(model))
        assert _generator_states() == states
    assert all(torch.equal(value, weights[name]) for name, value in model.state_dict().items())
    assert [module.training for module in model.modules()] == modes
    assert all(weight.grad is None for weight in model.parameters())
    assert not any(one._forward_hooks or one._forward_pre_hooks for one in model.modules())
    for before, after in zip(graphs, subject.graphs, strict=True):
        assert before.keys() == after.keys()
        assert all(torch.equal(before[key], after[key]) for key in before.keys())  # noqa: SIM118


def _generator_states():
    state = np.random.get_state()
    return torch.get_rng_state().tolist(), (state[1].tolist(), state[2]), random.getstate()


def every_predicted_class_is_explained(subject):
    """A class at a time, each under its own number, in models with more than two classes too."""
    explainer = subject.fitted(small_model(num_classes=4))
    found = explainer.explain_all()
    assert list(found) == sorted(set(explainer.predictions_.tolist()))
    assert all(explanation.target == target for target, explanation in found.items())


def bad_targets_are_errors(subject):
    """A target that is no class is an error whose message begins with the argument."""
    explainer = subject.explainer
    for target in (2, -1, True, "a"):
        with pytest.raises((ValueError, TypeError), match=r"^target must be"):
            explainer.explain(target)


def class_without_graphs_is_left_out(subject):
    """A class that no graph is predicted as: explain_all says that it has none, explain may still generate some."""
    model = small_model()
    with torch.no_grad():
        model.head.bias[1] -= 1e6
    explainer = subject.fitted(model)
    found = explainer.explain_all()
    assert (list(found), list(found.not_explained)) == ([0], [1])
    with suppress(ValueError):
        assert explainer.explain(1).target == 1


def progress_is_told(subject):
    """Stages have names, and what is done of them is never more than there is."""
    told = []
    subject.made().fit(small_model(), subject.graphs, progress=lambda *step: told.append(step)).explain_all()
    assert all(isinstance(stage, str) and done >= 0 and (total is None or done <= total) for stage, done, total in told)
    assert len({stage for stage, _, _ in told}) >= 2


def picture_and_report_are_drawn(subject):
    """An explanation can be drawn and reported."""
    explanation = subject.explanation
    explanation.plot(subject.folder / "prototypes.png")
    explanation.report(subject.folder / "report.html")
    assert (subject.folder / "prototypes.png").read_bytes().startswith(b"\x89PNG")
    assert explanation.explainer in (subject.folder / "report.html").read_text(encoding="utf-8")


CHECKS = (
    constructor_stores_options,
    before_fit_is_an_error,
    facts_are_told,
    prototypes_are_graphs_of_the_data,
    parts_are_where_they_say,
    probabilities_are_the_models,
    best_comes_first,
    predicted_class_is_known,
    same_seed_same_result,
    saved_and_loaded_is_the_same,
    second_fit_forgets_the_first,
    all_is_left_as_found,
    every_predicted_class_is_explained,
    bad_targets_are_errors,
    class_without_graphs_is_left_out,
    progress_is_told,
    picture_and_report_are_drawn,
)
