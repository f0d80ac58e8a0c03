"""Models of worlds as files, so that one is trained once for all that is measured of it."""

import pickle
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from protograph._base.files import atomic_path
from protograph.evaluation.keeping import versions
from protograph.graphs.fingerprint import content_hash
from research.paper.settings import WORLDS as LEFT_OUT
from research.paper.settings import Settings
from research.paper.worlds.catalogue import WORLDS
from research.paper.worlds.models import WorldModel, models_of, trained
from research.paper.worlds.nets import Recipe, net_for, split
from research.paper.worlds.world import PlantedGraphs, World

# A quick run has one world whose colours are soon learned, and takes the model as it is after few epochs.
QUICK_WORLD, QUICK_RECIPE = "red-path-ba1", Recipe(epochs=6, learning_rate=0.01)
FACTS = ("conv", "readout", "has_norm", "accuracy", "recalls", "num_dropped")


def worlds_of(settings: Settings) -> tuple[str, ...]:
    """The worlds that are measured, by their names.

    >>> worlds_of(Settings(is_quick=True)), worlds_of(Settings(without=("worlds",)))
    (('red-path-ba1',), ())
    """
    if LEFT_OUT in settings.without:
        return ()
    return (QUICK_WORLD,) if settings.is_quick else tuple(WORLDS)


def world_model(path: Path, world: World, seed: int, settings: Settings) -> WorldModel | None:
    """The first model that has learned a world, from its file or else trained and kept; ``None`` where none has."""
    if settings.is_quick:
        world = replace(world, num_graphs=settings.num_graphs or world.num_graphs)
    planted = world.make(np.random.default_rng(seed))
    made_from = {
        "graphs": content_hash(planted.graphs),
        "seed": seed,
        "is_quick": settings.is_quick,
        "versions": versions(),
    }
    content = _read(path)
    if content.get("made_from") != made_from:
        one = next(_models(world, planted, seed, settings), None)
        content = {"made_from": made_from, "model": None if one is None else _as_plain(one)}
        with atomic_path(path) as temporary:
            torch.save(content, temporary)
    return None if content["model"] is None else _restored(content["model"], world, planted, seed)


def _models(world: World, planted: PlantedGraphs, seed: int, settings: Settings) -> Iterator[WorldModel]:
    if settings.is_quick:
        return iter([trained(world, planted, seed, "gin", "sum", QUICK_RECIPE)])
    return models_of(world, seed, 1, settings.device)


def _as_plain(one: WorldModel) -> dict[str, Any]:
    return {"state": one.model.state_dict(), **{name: getattr(one, name) for name in FACTS}}


def _restored(kept: dict[str, Any], world: World, planted: PlantedGraphs, seed: int) -> WorldModel:
    facts = {name: kept[name] for name in FACTS}
    options = {name: kept[name] for name in ("conv", "readout", "has_norm")}
    model = net_for(planted.graphs, len(world.classes), **options)
    model.load_state_dict(kept["state"])
    inside, outside = split(len(planted.graphs), seed)
    return WorldModel(model=model.eval(), graphs=planted.graphs, train=inside, test=outside, **facts)


def _read(path: Path) -> dict[str, Any]:
    """What a file has; nothing where there is none, or it is damaged."""
    try:
        content: dict[str, Any] = torch.load(path, weights_only=True)
    except (OSError, RuntimeError, EOFError, pickle.UnpicklingError):
        return {}
    return content
