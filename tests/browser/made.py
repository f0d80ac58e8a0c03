"""Reports of real explanations, made once for all tests in a browser."""

import warnings
from itertools import product

import torch
from torch import nn
from torch_geometric.nn import global_add_pool

import protograph as pg
from tests.metrics.small_graphs import path, ring

EVIL = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"
SCAFFOLDS = (
    "c1ccccc1{}",
    "C1CCCCC1{}",
    "c1ccncc1{}",
    "CC(C){}",
    "CCCC{}",
    "c1ccc2ccccc2c1{}",
    "COC{}",
    "c1cc(Cl)ccc1{}",
)
GROUPS = ("C(=O)O", "N", "OC", "Cl", "C(=O)OC", "C#N", "S(=O)(=O)N", "O", "F", "C")
NITRO = "[N+](=O)[O-]"


def house(file):
    """A GCN that knows houses, of 600 graphs of BA-house."""
    graphs = pg.datasets.load("ba-house")[:600]
    trained = pg.train(graphs, max_epochs=40, random_state=0)
    return _reported(pg.PAGE().fit(trained.model, graphs).explain_all(), file)


def molecules(file):
    """A GCN that knows nitro groups, of a table of molecules, one of which has a hostile name."""
    plain = [scaffold.format(group) for scaffold, group in product(SCAFFOLDS, GROUPS)]
    nitro = [scaffold.format(NITRO) for scaffold in SCAFFOLDS]
    nitro += [f"O=[N+]([O-])c1ccc(cc1){group}" for group in GROUPS]
    nitro += [f"O=[N+]([O-])CC{group}" for group in GROUPS]
    rows = [(smiles, "plain") for smiles in plain] + [(smiles, "nitro") for smiles in nitro] * 2
    lines = [
        f'"{EVIL if number == 3 else f"m{number}"}",{smiles},{label}' for number, (smiles, label) in enumerate(rows)
    ]
    table = file.with_suffix(".csv")
    table.write_text("\n".join(["name,smiles,label", *lines]) + "\n")
    dataset = pg.datasets.read_table(table).dataset
    trained = pg.train(dataset, max_epochs=80, random_state=0)
    return _reported(pg.PAGE().fit(trained.model, dataset).explain_all(), file)


class NumEdges(nn.Module):
    """Class 1 for graphs of at least as many edges as nodes; the sum of degrees less 2 a node decides."""

    def forward(self, x, edge_index, batch):
        degrees = torch.zeros(len(batch)).index_add(0, edge_index[0], torch.ones(edge_index.size(1)))
        pooled = global_add_pool(x * (degrees - 1.9)[:, None], batch)
        return torch.cat([-pooled[:, :1], pooled[:, :1]], dim=1)


def large(file):
    """12,000 rings and paths, told apart by counting edges."""
    graphs = [ring(3 + n % 7) if n % 2 else path(3 + n % 7) for n in range(12_000)]
    noise = torch.Generator().manual_seed(0)
    for n, graph in enumerate(graphs):
        graph.x = torch.ones(graph.num_nodes, 2)
        graph.x[:, 1] = torch.randint(0, 2, (graph.num_nodes,), generator=noise)
        graph.y, graph.name = n % 2, f"graph-{n}"
    return _reported(pg.PAGE(num_clusters=1, max_reasons=2).fit(NumEdges(), graphs).explain_all(), file)


def peer(file):
    """What another explainer finds: no clusters, no matches, no reasons."""
    return _reported(pg.baselines.RandomSubgraph().fit(NumEdges(), few_graphs()).explain_all(), file)


def small_explanations(_file):
    """Explanations of a few rings and paths."""
    return pg.PAGE(num_clusters=1).fit(NumEdges(), few_graphs()).explain_all()


def few_graphs():
    graphs = [ring(3 + n % 4) if n % 2 else path(3 + n % 4) for n in range(60)]
    for n, graph in enumerate(graphs):
        graph.x, graph.y = torch.ones(graph.num_nodes, 2), n % 2
    return graphs


def _reported(explanations, file):
    explanations.report(file)
    return file


def quietly(make, file):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make(file)
