import copy
from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel

from protograph import PAGE, GraphClassifier
from protograph.models.model_state import check_initialised, checked_model, left_as_found
from tests import zoo_outputs
from tests.zoo import make, random_graphs

GRAPHS = random_graphs(12)


def found(model):
    """Everything that a model holds: values of weights and buffers, flags, hooks, and other attributes as they are."""
    values = {name: value.clone() for name, value in model.state_dict().items()}
    flags = [module.training for module in model.modules()]
    hooks = [len(module._forward_hooks) + len(module._forward_pre_hooks) for module in model.modules()]
    others = [
        {name: value for name, value in vars(module).items() if not name.startswith("_")} for module in model.modules()
    ]
    return values, flags, hooks, others


def assert_same(before, after):
    assert list(before[0]) == list(after[0])
    assert all(torch.equal(before[0][name], after[0][name]) for name in before[0])
    assert before[1:] == after[1:]


@pytest.mark.parametrize("kind", [zoo_outputs.Counts, zoo_outputs.Uncopied])
@pytest.mark.parametrize("is_training", [True, False])
@pytest.mark.filterwarnings("ignore::protograph.ProtographWarning")
def test_what_a_model_changes_itself_comes_back(kind, is_training):
    torch.manual_seed(0)
    model = kind().train(is_training)
    model.conv.eval()  # a frozen part stays frozen
    before, state = found(model), torch.get_rng_state()
    explainer = PAGE(max_reasons=0, num_clusters=1).fit(model, GRAPHS)
    explainer.explain(int(explainer.predictions_[0]))
    assert_same(before, found(model))
    assert torch.equal(state, torch.get_rng_state())


def test_a_model_that_cannot_be_copied_is_not_moved():
    with pytest.raises(ValueError, match=r"^device must be cpu, where the model is, as it cannot be copied to another"):
        GraphClassifier(zoo_outputs.Uncopied().eval()).start(GRAPHS, device="meta")


def test_buffers_that_are_replaced_or_added_come_back_too():
    model = zoo_outputs.Counts()
    own = model.mean
    with left_as_found(model, is_own=False):
        model.mean = torch.ones(8)
        own.data.fill_(3.0)
        model.register_buffer("more", torch.ones(1))
    assert model.mean is own
    assert model.mean.tolist() == [0.0] * 8
    assert "more" not in dict(model.named_buffers())


def test_weights_come_back_where_the_model_is_the_user_s_own():
    model = zoo_outputs.Answers()
    before = copy.deepcopy(model.state_dict())
    with left_as_found(model, is_own=True), torch.no_grad():
        model.head.weight.zero_()
        model.surprise = 1
    assert torch.equal(model.head.weight, before["head.weight"])
    assert not hasattr(model, "surprise")


def test_lazy_weights_are_refused_and_stay_lazy():
    model = zoo_outputs.Lazy()
    with pytest.raises(ValueError, match=r"^model has weights") as caught:
        GraphClassifier(model).start(GRAPHS)
    assert str(caught.value) == (
        "model has weights that were never initialised (conv.lin.weight, head.weight, head.bias); load its trained "
        "weights with model.load_state_dict(...), or call it once on a batch, and explain it then"
    )
    with pytest.raises(ValueError, match=r"^model has weights that were never initialised"):
        check_initialised(model)
    graph = GRAPHS[0]
    model(graph.x, graph.edge_index, torch.zeros(graph.num_nodes, dtype=torch.long))  # as the message says
    assert GraphClassifier(model.eval()).start(GRAPHS).classify(GRAPHS).shape == (12, 2)


def test_what_is_wrapped_around_a_model_is_taken_off():
    model = make()
    for wrapped in (torch.compile(model, backend="eager"), nn.DataParallel(nn.DataParallel(model))):
        assert checked_model(wrapped) is model
    averaged = AveragedModel(model)
    assert checked_model(averaged) is averaged.module


def compiled_parts():
    model = zoo_outputs.Answers()
    model.conv = torch.compile(model.conv, backend="eager")
    return model


def compiled_in_place():
    model = zoo_outputs.Answers()
    model.compile(backend="eager")
    return model


@pytest.mark.parametrize("build", [compiled_parts, compiled_in_place])
def test_compiled_parts_run_as_they_were_written(build):
    torch.manual_seed(0)
    plain = zoo_outputs.Answers().eval()
    model = build().eval()
    model.load_state_dict(
        {name.replace("conv.", "conv._orig_mod."): v for name, v in plain.state_dict().items()}
        if build is compiled_parts
        else plain.state_dict()
    )
    running = GraphClassifier(model).start(GRAPHS)
    assert running.is_double
    assert torch.equal(running.classify(GRAPHS), GraphClassifier(plain).start(GRAPHS).classify(GRAPHS))


class Counting(nn.Module):
    """Its output is how often it has been called."""

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(3, 2)
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x, edge_index, batch):
        self.calls += 1
        return self.head(zoo_outputs.global_add_pool(x, batch)) * 0 + self.calls


@pytest.mark.parametrize("is_own", [False, True])
def test_parts_of_a_run_do_not_see_what_a_model_did_to_itself_before(is_own):
    running = replace(GraphClassifier(Counting().eval()).start(GRAPHS), is_own=is_own)
    one_by_one = replace(running, call=replace(running.call, takes_batch=False))
    assert one_by_one.classify(GRAPHS[:5]).tolist() == [[1.0, 1.0]] * 5
