"""What marks a digit? MNIST-sp, one digit against the rest, explained with no option given.

    python -m benchmarks.superpixels            prints the prototypes of two readings, draws them into runs/superpixels

Two readings of the same graphs: ``cells``, the data set as the library has it (grey level and place one-hot), and
``numbers``, as it comes from PyG with its places added: grey, x and y as continuous columns. A small GCN learns to tell
the digit from the others; the graphs kept apart and those it has learned from are explained together.
"""

import argparse
import warnings
from pathlib import Path

import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GraphConv, global_max_pool, global_mean_pool

import protograph as pg
from protograph.datasets.mnist_sp import LEVELS, SIDE
from protograph.report.depicted_images import LEVELS as GREYS

BATCH = 32
HIDDEN = 32


def graphs_of(digit: int, number: int, reading: str) -> list[Data]:
    """The graphs of a digit among the first so many, class 1, and twice as many of the others, class 0."""
    data = pg.datasets.load("mnist-sp", num_graphs=number)
    chosen = [graph for graph in (data[place] for place in range(number)) if int(graph.y) == digit]
    others = [graph for graph in (data[place] for place in range(number)) if int(graph.y) != digit]
    both = [*chosen, *others[: 2 * len(chosen)]]
    return [_read(graph, int(int(graph.y) == digit), reading) for graph in both]


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


def trained(graphs: list[Data], epochs: int, seed: int = 0) -> tuple[DigitNet, float]:
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--digit", type=int, default=1)
    parser.add_argument("--graphs", type=int, default=1500)
    parser.add_argument("--epochs", type=int, default=25)
    parser.add_argument("--readings", nargs="+", default=["cells", "numbers"], choices=["cells", "numbers"])
    parser.add_argument("--out", type=Path, default=Path("runs") / "superpixels")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore", pg.ProtographWarning)
    for reading in asked.readings:
        graphs = graphs_of(asked.digit, asked.graphs, reading)
        model, accuracy = trained(graphs, asked.epochs)
        names = ("grey", "to the right", "upwards") if reading == "numbers" else feature_names()
        explanation = pg.PAGE().fit(model, graphs, feature_names=names, class_names=("others", "digit")).explain(1)
        print(f"{reading}: {len(graphs)} graphs, accuracy {accuracy:.3f}; {'; '.join(explanation.feature_lines)}")
        for one in explanation.prototypes:
            print(
                f"  {one.num_nodes} nodes, {len(one.edges)} edges, p {one.probability:.3f}, "
                f"support {one.evidence.support:.2f}, elsewhere {one.evidence.support_elsewhere:.2f}"
            )
        print("  fidelity", explanation.fidelity and round(float(explanation.fidelity), 3), flush=True)
        explanation.save(asked.out / f"{reading}.json")
        explanation.plot(asked.out / f"{reading}.png")


if __name__ == "__main__":
    main()
