"""Fidelity: how far rules say what the model predicts, on real data, where truths are known, and in planted worlds."""

from collections.abc import Iterable
from functools import partial

from torch_geometric.data import Data

from protograph.datasets import GraphDataset
from research.paper.fidelity.measuring import measure_rules
from research.paper.fidelity.real_models import QUICK_TRIES, model_of, tries_for
from research.paper.fidelity.truths import prototypes_accuracy, truth_fidelity, truths_among_reasons
from research.paper.item import JSON, Cell, Item, Need
from research.paper.items.fidelity_writing import REAL, TRUTH, WORLD, write
from research.paper.lab import Lab
from research.paper.paper import paper
from research.paper.settings import Settings
from research.paper.worlds.catalogue import WORLDS
from research.paper.worlds.keeping import worlds_of
from research.paper.worlds.models import MOST_TRIES
from research.paper.worlds.nets import predicted
from research.paper.worlds.scores import found_reasons, prototype_accuracy

# The real data sets that LogicXGNN's authors print figures of, and those in which it is known what decides.
REAL_NAMES = ("bbbp", "mutagenicity", "nci1", "imdb-binary")
TRUTH_NAMES = ("ba-house", "ba-grid", "benzene", "solubility")
# How many seeds each architecture has.
CONVS = {"gcn": 5, "gin": 2, "sage": 2, "gat": 2}
NUM_SEEDS = 5
# About how long a cell takes on one core, in seconds; training is in those of real data sets and worlds.
REAL_SECONDS = {"bbbp": 60.0, "mutagenicity": 180.0, "nci1": 240.0, "imdb-binary": 120.0}
TRUTH_SECONDS, WORLD_SECONDS = 10.0, 20.0


def seeds_of(settings: Settings) -> tuple[int, ...]:
    """The seeds of all but the further architectures; in a quick run one."""
    return settings.fewer(settings.seeds[:NUM_SEEDS])


def cells(settings: Settings) -> list[Cell]:
    """A cell a data set, architecture and seed; of what is generated, a cell a data set or world and seed."""
    seeds = seeds_of(settings)
    # A quick run must not need files.
    real = ("ba-house",) if settings.is_quick else settings.sets(REAL_NAMES)
    return [
        *(
            Cell(
                key=(REAL, name, conv, f"seed {seed}"),
                compute=partial(_of_real, name, conv, seed),
                made_from={"least_accuracy": _least_accuracy(name)},
                seconds=REAL_SECONDS.get(name, 1.0),
            )
            for name in real
            for conv, num_seeds in settings.fewer(tuple(CONVS.items()))
            for seed in seeds[:num_seeds]
        ),
        *(
            Cell(
                key=(TRUTH, name, f"seed {seed}"),
                compute=partial(_of_truth, name, seed),
                needs=(Need("model", name, seed),),
                seconds=TRUTH_SECONDS,
            )
            for name in settings.sets(TRUTH_NAMES)
            for seed in seeds
        ),
        *(
            Cell(key=(WORLD, name, f"seed {seed}"), compute=partial(_of_world, name, seed), seconds=WORLD_SECONDS)
            for name in worlds_of(settings)
            for seed in seeds
        ),
    ]


def _least_accuracy(name: str) -> float:
    """What LogicXGNN's models have, whose fidelity stands beside ours."""
    return float(paper("logicxgnn", "test_accuracy", name) or 0.0)


def _of_real(name: str, conv: str, seed: int, lab: Lab) -> JSON:
    """A model of a real data set that is as accurate as it must be."""
    data = lab.data(name, seed)
    graphs, tries = _plain(data), QUICK_TRIES if lab.settings.is_quick else tries_for(len(data))
    one = model_of(graphs, seed, conv, _least_accuracy(name), tries, lab.settings.device)
    inside, outside = ([graphs[i] for i in part] for part in (one.train, one.test))
    row, _ = measure_rules(one.model, inside, outside, seed, **_names(data))
    return {"test_accuracy": one.accuracy, "num_tries": one.num_tries, "least_share": one.least_share, **row}


def _of_truth(name: str, seed: int, lab: Lab) -> JSON:
    """The paper's GCN, and the truth read as a rule beside the explanation."""
    data, kept = lab.data(name, seed), lab.model(name, seed)
    inside, outside = _plain(data[kept.train]), _plain(data[kept.rest])
    row, explanations = measure_rules(kept.model, inside, outside, seed, **_names(data))
    return {
        "test_accuracy": kept.test_accuracy,
        "truth": truth_fidelity(data.ground_truths, outside, predicted(kept.model, outside)),
        "truths_found": truths_among_reasons(data.ground_truths, explanations),
        "accuracy": prototypes_accuracy(data.ground_truths, explanations, inside),
        **row,
    }


def _of_world(name: str, seed: int, lab: Lab) -> JSON:
    """A model that has learned a planted world, and which of its reasons are found."""
    world, one = WORLDS[name], lab.world_model(name, seed)
    if one is None:
        return {"kind": world.kind, "num_dropped": MOST_TRIES, "fidelity": None}
    inside, outside = ([one.graphs[i] for i in part] for part in (one.train, one.test))
    row, explanations = measure_rules(one.model, inside, outside, seed)
    return {
        "kind": world.kind,
        "conv": f"{one.conv} {one.readout}",
        "test_accuracy": one.accuracy,
        "num_dropped": one.num_dropped,
        "found": found_reasons(world, explanations),
        "accuracy": prototype_accuracy(world, explanations),
        **row,
    }


def _plain(graphs: Iterable[Data]) -> list[Data]:
    """Graphs with what models read and no more."""
    return [Data(x=one.x, edge_index=one.edge_index, y=one.y) for one in graphs]


def _names(data: GraphDataset) -> dict[str, object]:
    return {"feature_names": data.feature_names, "class_names": data.class_names}


ITEM = Item(
    name="fidelity",
    title="Do rules say what the model predicts?",
    question="On graphs kept apart, for how many does exactly the rule of the class hold that the model predicts?",
    cells=cells,
    write=write,
    seeds=seeds_of,
)
