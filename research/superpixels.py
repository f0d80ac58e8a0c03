"""What marks a digit? MNIST-sp, one digit against the rest, explained with no option given.

    python -m research.superpixels     two readings of a digit; writes results/superpixels.json, and a picture of each

Two readings of the same graphs: ``cells``, the data set as the library has it (grey level and place one-hot), and
``numbers``, as it comes from PyG with its places added: grey, x and y as continuous columns. A small network learns to
tell the digit from the others, and some graphs of both are explained.

What a model goes by depends on the digit. To tell a 1 it reads how little is bright, hardly where (shuffling both
places changes its probabilities by .03, shuffling greys by .4), so that its prototypes are dark: nothing else is in all
of its graphs. A 0 has a dark inside between bright strokes, and that is what its prototypes show.
"""

import argparse
import time
import warnings
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GraphConv, global_max_pool, global_mean_pool

import protograph as pg
from protograph.datasets.mnist_sp import LEVELS, SIDE
from protograph.report.depicted_images import LEVELS as GREYS
from protograph.report.depicted_images import Image
from protograph.report.scene import scene_of
from research import certificate

BATCH = 32
HIDDEN = 32
SEED = 0
READINGS = ("cells", "numbers")
# Graphs of the digit that are explained, and twice as many others.
NUM_EXPLAINED = 150


def graphs_of(digit: int, number: int, reading: str) -> list[Data]:
    """The graphs of a digit among the first so many, class 1, and twice as many of the others, class 0."""
    data = pg.datasets.load("mnist-sp", num_graphs=number)
    chosen = [graph for graph in (data[place] for place in range(number)) if int(graph.y) == digit]
    others = [graph for graph in (data[place] for place in range(number)) if int(graph.y) != digit]
    both = [*chosen, *others[: 2 * len(chosen)]]
    return [_read(graph, int(int(graph.y) == digit), reading) for graph in both]


def explained(graphs: list[Data]) -> list[Data]:
    """The graphs that are explained, the first of the digit and of the others."""
    first = sum(int(graph.y) for graph in graphs)
    return [*graphs[: min(NUM_EXPLAINED, first)], *graphs[first : first + 2 * NUM_EXPLAINED]]


def feature_names() -> tuple[str, ...]:
    """Names of the columns as the library has them."""
    return pg.datasets.load("mnist-sp", num_graphs=1).feature_names


def _read(graph: Data, label: int, reading: str) -> Data:
    x = graph.x
    if reading == "numbers":
        greys = graph.x[:, : len(LEVELS)] @ torch.tensor([GREYS[level] for level in LEVELS])
        # The data set keeps three levels; a little of each superpixel's own makes them numbers again.
        noise = torch.rand(len(greys), generator=torch.Generator().manual_seed(int(graph.pos.sum() * 1000)))
        x = torch.cat([(0.95 * greys + 0.05 * noise)[:, None], graph.pos / SIDE], dim=1)
    return Data(x=x, edge_index=graph.edge_index, pos=graph.pos, y=torch.tensor([label]))


class DigitNet(nn.Module):
    """Two layers and a readout of mean and maximum."""

    def __init__(self, num_features: int) -> None:
        super().__init__()
        self.first = nn.Sequential(nn.Linear(num_features, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN), nn.ReLU())
        self.convs = nn.ModuleList(GraphConv(HIDDEN, HIDDEN, aggr="mean") for _ in range(2))
        self.head = nn.Linear(2 * HIDDEN, 2)

    def forward(self, x: Tensor, edge_index: Tensor, batch: Tensor) -> Tensor:
        """Scores of the classes."""
        x = self.first(x)
        for conv in self.convs:
            x = conv(x, edge_index).relu()
        return self.head(torch.cat([global_mean_pool(x, batch), global_max_pool(x, batch)], dim=1))


def trained(graphs: list[Data], epochs: int, seed: int = SEED) -> tuple[DigitNet, float]:
    """A model and its accuracy on a quarter of the graphs, which it was not trained on."""
    torch.manual_seed(seed)
    order = torch.randperm(len(graphs)).tolist()
    cut = 3 * len(order) // 4
    fit = [Batch.from_data_list([graphs[i] for i in order[at : min(at + BATCH, cut)]]) for at in range(0, cut, BATCH)]
    kept = Batch.from_data_list([graphs[i] for i in order[cut:]])
    model = DigitNet(graphs[0].x.size(1))
    optimiser = torch.optim.Adam(model.parameters(), lr=0.003)
    for _ in range(epochs):
        for number in torch.randperm(len(fit)).tolist():
            optimiser.zero_grad()
            batch = fit[number]
            nn.functional.cross_entropy(model(batch.x, batch.edge_index, batch.batch), batch.y).backward()
            optimiser.step()
    model.eval()
    with torch.no_grad():
        found = model(kept.x, kept.edge_index, kept.batch).argmax(dim=1)
    return model, float((found == kept.y).float().mean())


def row(digit: int, number: int, reading: str, epochs: int, pictures: Path) -> dict:
    """One reading: a model, its explanation, and a picture of the prototypes."""
    graphs = graphs_of(digit, number, reading)
    model, accuracy = trained(graphs, epochs)
    names = ("grey", "to the right", "upwards") if reading == "numbers" else feature_names()
    started = time.perf_counter()
    explainer = pg.PAGE().fit(model, explained(graphs), feature_names=names, class_names=("others", f"digit {digit}"))
    explanation = explainer.explain(1)
    seconds = time.perf_counter() - started
    # Reasons are told by the report; here is what the prototypes look like.
    replace(explanation, reasons=(), reasons_taken_out=()).plot(pictures / f"superpixels-{reading}.png")
    scenes = [scene_of(explanation, one) for one in explanation.prototypes]
    return {
        "seed": SEED,
        "reading": reading,
        "digit": digit,
        "test_accuracy": accuracy,
        "features": list(explanation.feature_lines),
        "prototypes": [
            {
                "nodes": one.num_nodes,
                "edges": len(one.edges),
                "probability": one.probability,
                "support": one.evidence.support,
                "support_elsewhere": one.evidence.support_elsewhere,
                "is_over_its_digit": scene.within is not None and isinstance(scene.within.look, Image),
            }
            for one, scene in zip(explanation.prototypes, scenes, strict=True)
        ],
        "fidelity": None if explanation.fidelity is None else float(explanation.fidelity),
        "seconds": round(seconds, 1),
    }


def limits_of(results: list[dict]) -> list[dict]:
    """Prototypes of more than one node, each with its place over the digit."""
    found = [one for result in results for one in result["prototypes"]]
    fewest = min(len(result["prototypes"]) for result in results)
    return [
        certificate.limit("prototypes of a reading", fewest, at_least=1),
        certificate.limit("nodes of a prototype", min(one["nodes"] for one in found), at_least=2),
        certificate.limit(
            "prototypes not over their digit", sum(not one["is_over_its_digit"] for one in found), at_most=0
        ),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--digit", type=int, default=0)
    parser.add_argument("--graphs", type=int, default=4000)
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--readings", nargs="+", default=list(READINGS), choices=READINGS)
    parser.add_argument("--out", type=Path, default=certificate.RESULTS)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore", pg.ProtographWarning)
    results = []
    for reading in asked.readings:
        results.append(row(asked.digit, asked.graphs, reading, asked.epochs, asked.out))
        print(results[-1], flush=True)
    certificate.write(asked.out / "superpixels.json", results, seeds=[SEED], limits=limits_of(results))


if __name__ == "__main__":
    main()
