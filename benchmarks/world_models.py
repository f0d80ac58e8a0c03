"""Models of the planted worlds, trained and kept as files.

python -m benchmarks.world_models --seeds 10 11 --folder runs/worlds        trains and keeps models, a file each
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch

from protograph.reproduce.worlds.catalogue import WORLDS
from protograph.reproduce.worlds.models import MOST_TRIES, WorldModel, models_of
from protograph.reproduce.worlds.nets import Net, net_for, predicted
from protograph.reproduce.worlds.world import World


def save(one: WorldModel, world: World, path: Path) -> None:
    """Keep a model with all that is needed to explain it."""
    config = {
        "num_features": one.graphs[0].x.shape[1],
        "num_classes": len(world.classes),
        "conv": one.conv,
        "readout": one.readout,
        "has_norm": one.has_norm,
        "edge_dim": None if one.graphs[0].edge_attr is None else one.graphs[0].edge_attr.shape[1],
    }
    kept = {"world": world.name, "config": config, "state": one.model.state_dict(), "graphs": one.graphs}
    about = {"tr": one.train, "te": one.test, "acc": one.accuracy, "pred": predicted(one.model, one.graphs)}
    torch.save(kept | about | {"recalls": one.recalls, "num_dropped": one.num_dropped}, path)


def load(path: Path) -> tuple[World, Net, dict]:
    """The world, the model and the rest of what :func:`save` kept."""
    kept = torch.load(path, weights_only=False)
    options = {key: kept["config"][key] for key in ("conv", "readout", "has_norm")}
    model = net_for(kept["graphs"], kept["config"]["num_classes"], **options)
    model.load_state_dict(kept["state"])
    return WORLDS[kept["world"]], model.eval(), kept


def kept_models(folder: Path | None, world: World, seed: int) -> Iterator[WorldModel]:
    """The models of a world and a seed that :func:`save` kept in a folder."""
    for path in sorted(folder.glob(f"{world.name}-{seed}-*.pt")) if folder else ():
        _, model, kept = load(path)
        yield WorldModel(
            conv=kept["config"]["conv"],
            readout=kept["config"]["readout"],
            has_norm=kept["config"]["has_norm"],
            model=model,
            graphs=kept["graphs"],
            train=kept["tr"],
            test=kept["te"],
            accuracy=kept["acc"],
            recalls=kept["recalls"],
            num_dropped=kept["num_dropped"],
        )


def keep_all(names: Sequence[str], seeds: Sequence[int], number: int, folder: Path, device: str = "cpu") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        for name in names:
            if list(folder.glob(f"{name}-{seed}-*.pt")):
                continue
            world = WORLDS[name]
            kept = []
            for one in models_of(world, seed, number, device):
                save(one, world, folder / f"{name}-{seed}-{one.conv}-{one.readout}.pt")
                kept.append(f"{one.conv} {one.readout} {one.accuracy:.3f} after {one.num_dropped} dropped")
            print(f"{name} {seed}: {'; '.join(kept) or f'none in {MOST_TRIES} tries'}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(WORLDS))
    parser.add_argument("--seeds", type=int, nargs="+", default=[10])
    parser.add_argument("--number", type=int, default=2, help="models of each world")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--device", default="cpu")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    keep_all(asked.names, asked.seeds, asked.number, asked.folder, asked.device)


if __name__ == "__main__":
    main()
