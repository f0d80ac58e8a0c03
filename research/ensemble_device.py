"""Does a GPU train many models at once as the CPU does, and how fast?

    python -m research.ensemble_device                    compares and times; needs a GPU
    python -m research.ensemble_device --sets mnist-sp    for another data set

Every model of the sweep over widths is trained for two epochs in 64 bits on both devices, and the largest difference of
a weight must stay below 1e-9. The time is that of the second of three epochs in 32 bits on all graphs, of all models.
"""

import argparse
import sys
import time
from typing import Any

import torch

import protograph as pg
from protograph.evaluation.sweeps import width_specs
from protograph.training.ensemble import train_many
from research import certificate

RESULT = certificate.RESULTS / "ensemble_device.json"
LARGEST_DIFFERENCE = 1e-9
# Graphs in 64 bits: agreement does not depend on how many there are.
NUM_COMPARED = 1000


def largest_difference(data: pg.datasets.GraphDataset, device: str) -> float:
    """Of any weight of any model after two epochs on the CPU and on the device."""
    specs = width_specs(len(data.hidden), random_state=0)
    options: Any = {"max_epochs": 2, "dtype": torch.float64}
    runs = (train_many(data, specs, device=where, **options) for where in ("cpu", device))
    return max(
        float((here - there.cpu()).abs().max())
        for one, other in zip(*runs, strict=True)
        for here, there in zip(one.model.state_dict().values(), other.model.state_dict().values(), strict=True)
    )


def epoch_seconds(data: pg.datasets.GraphDataset, device: str) -> float:
    """Wall-clock seconds of one epoch of all models."""
    ends: list[float] = []
    specs = width_specs(len(data.hidden), random_state=0)
    train_many(data, specs, device=device, max_epochs=3, progress=lambda *_: ends.append(time.perf_counter()))
    return ends[1] - ends[0]


def limits_of(content: dict[str, dict]) -> list[dict]:
    """Whether the weights of both devices agree on every data set."""
    return [
        certificate.limit(
            f"{name}, largest difference of a weight", one["largest_difference"], at_most=LARGEST_DIFFERENCE
        )
        for name, one in content.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=["ba-house", "benzene"])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--no-cpu-time", action="store_true", help="time the device only; the CPU takes minutes")
    asked = parser.parse_args()
    if asked.device.startswith("cuda") and not torch.cuda.is_available():
        sys.exit("no GPU here")
    results: dict[str, dict] = {}
    for name in asked.sets:
        data = pg.datasets.load(name)
        results[name] = {
            "num_models": len(width_specs(len(data.hidden), random_state=0)),
            "num_graphs": len(data),
            "largest_difference": largest_difference(data[:NUM_COMPARED], asked.device),
            "device_seconds": epoch_seconds(data, asked.device),
            "cpu_seconds": None if asked.no_cpu_time else epoch_seconds(data, "cpu"),
        }
        print(name, results[name], flush=True)
    limits = limits_of(results)
    is_gpu = asked.device.startswith("cuda")
    device = torch.cuda.get_device_name() if is_gpu else asked.device
    certificate.write(RESULT, results, seeds=[0], limits=limits, device=device)
    sys.exit(0 if all(one["holds"] for one in limits) else 1)


if __name__ == "__main__":
    main()
