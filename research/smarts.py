"""Does RDKit count what patterns of molecules say? A GINE on the nine columns of ``torch_geometric.utils.from_smiles``.

    python -m research.smarts            BBBP and Solubility; prints a line a table, writes results/smarts.json

Every pattern that is shown, of prototypes and rules, is counted by its SMARTS in all molecules, and held against our
own count; the fidelity of the rules against that of rules whose patterns must agree in all columns.
"""

import sys
import warnings
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GINEConv, global_mean_pool
from torch_geometric.utils import from_smiles
from torch_geometric.utils.smiles import e_map, x_map

import protograph as pg
from protograph.molecules.read import import_chem
from research import certificate

RESULT = certificate.RESULTS / "smarts.json"
TABLES, EPOCHS, SEEDS = ("bbbp", "solubility"), 25, (0, 1, 2)


class GINE(nn.Module):
    """Embeddings of all columns, three layers, a mean."""

    def __init__(self, hidden: int = 64) -> None:
        super().__init__()
        self.nodes, *self.edges = (
            nn.ModuleList(nn.Embedding(len(values), hidden) for values in names.values())
            for names in (x_map, e_map, e_map, e_map)
        )
        self.edges = nn.ModuleList(self.edges)
        self.layers = nn.ModuleList(
            GINEConv(
                nn.Sequential(nn.Linear(hidden, hidden), nn.BatchNorm1d(hidden), nn.ReLU(), nn.Linear(hidden, hidden))
            )
            for _ in self.edges
        )
        self.head = nn.Linear(hidden, 2)

    def forward(self, x: Tensor, edge_index: Tensor, edge_attr: Tensor, batch: Tensor) -> Tensor:
        """Scores of two classes."""
        h = sum(table(x[:, place]) for place, table in enumerate(self.nodes))
        for layer, tables in zip(self.layers, self.edges, strict=True):
            h = layer(h, edge_index, sum(table(edge_attr[:, place]) for place, table in enumerate(tables))).relu()
        return self.head(global_mean_pool(h, batch))


def measured(name: str, seed: int) -> dict:
    """One table of SMILES, and a model of one seed."""
    graphs = []
    for molecule in pg.datasets.load(name):
        graphs.append(from_smiles(molecule.smiles))
        graphs[-1].y = molecule.y
    torch.manual_seed(seed)
    model = GINE()
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for _ in range(EPOCHS):
        for batch in DataLoader(graphs, 64, shuffle=True):
            optimizer.zero_grad()
            nn.functional.cross_entropy(
                model(batch.x, batch.edge_index, batch.edge_attr, batch.batch), batch.y
            ).backward()
            optimizer.step()
    explanations = pg.PAGE(random_state=seed).fit(model.eval(), graphs).explain_all()
    plain = pg.PAGE(random_state=seed, match_features=True, match_edges=True).fit(model, graphs).explain_all()
    patterns = [one.pattern for each in explanations.values() for one in each.prototypes if one.pattern]
    patterns += [one for each in explanations.values() for reason in each.reasons for one in reason.patterns]
    chem = import_chem("counting by SMARTS")
    molecules = [chem.MolFromSmiles(graph.smiles) for graph in graphs]
    mismatches, columns = 0, []
    for pattern in patterns:
        asked = {one.variable for own in pattern.of_nodes for one in own}
        columns.append(len(asked - {"atomic_num"}))
        if pattern.smarts is None:  # an induced pattern
            continue
        query = chem.MolFromSmarts(pattern.smarts)
        theirs = np.array([molecule.HasSubstructMatch(query) for molecule in molecules])
        mismatches += int((theirs != replace(pattern, at_least=1).holds_in(graphs)).sum())
    return {
        "table": name,
        "seed": seed,
        "molecules": len(graphs),
        "patterns": len(patterns),
        "without SMARTS": sum(pattern.smarts is None for pattern in patterns),
        "mismatches": mismatches,
        "columns besides the element, median": float(np.median(columns)),
        "fidelity": float(explanations.fidelity),
        "fidelity of all columns": float(plain.fidelity),
        "rules": [str(one.rule or "") for one in explanations.values()],
    }


def main() -> None:
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    rows, limits = [], []
    for name in TABLES:
        for seed in SEEDS:
            rows.append(measured(name, seed))
            print({key: value for key, value in rows[-1].items() if key != "rules"}, flush=True)
        own = rows[-len(SEEDS) :]
        below = float(np.mean([row["fidelity of all columns"] - row["fidelity"] for row in own]))
        columns = max(row["columns besides the element, median"] for row in own)
        limits += [
            certificate.limit(f"{name}: wrong counts", sum(row["mismatches"] for row in own), at_most=0),
            certificate.limit(f"{name}: mean fidelity below that of all columns", below, at_most=0.01),
            certificate.limit(f"{name}: columns besides the element, highest median", columns, at_most=2),
        ]
    certificate.write(RESULT, rows, seeds=list(SEEDS), limits=limits)
    sys.exit(not all(one["holds"] for one in limits))


if __name__ == "__main__":
    main()
